// Convolutions of floats and doubles natively, images of one or two dimensions; folds.
//
// Where strips.h does not take one: a product of filters and columns, as in the body. But the
// columns are built for a few rows of the result at a time, so that they stay in the cache, and the
// result is written in place. A kernel of one element needs no columns.
// Transposed: the transposed filters times the image are columns, which are added into the result
// in place, as are those that a fold is given.
//
// Sums are taken in other orders than the body's. Weights that are not finite are, of transposed
// ones, the body's: they make NaN of the zeros around an image.
#include "engine/ops/native.h"

#include <algorithm>
#include <cmath>

#include "engine/aten/conv/conv.h"
#include "engine/aten/conv/shape.h"
#include "engine/aten/conv/strips.h"
#include "engine/tensor/memory_pool.h"
#include "engine/tensor/product.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

using Shape = ConvolutionShape;

// A position in the kernel.
struct Tap {
  int64_t at[3];
  Tap(const Shape& s, int64_t t)
      : at{t / (s.kernel[1] * s.kernel[2]), t / s.kernel[2] % s.kernel[1], t % s.kernel[2]} {}
};

Shape shape_of(const Convolution& c, const Dims& in, const Dims& weight) {
  Shape s;
  int first = in.rank() - c.dims;
  s.images = first == 2 ? in[0] : 1;
  s.groups = c.groups;
  s.channels = weight[1];
  s.filters = weight[0] / c.groups;
  for (int d = 0; d < c.dims; ++d) {
    int at = d + 3 - c.dims;
    s.in[at] = in[first + d];
    s.kernel[at] = c.windows.kernel[d];
    s.stride[at] = c.windows.stride[d];
    s.dilation[at] = c.windows.dilation[d];
    s.before[at] = c.before[d];
    s.out[at] = c.windows.count(d, in[first + d] + c.before[d] + c.after[d]);
  }
  return s;
}

// One row of columns: what an element of the kernel meets for rows r0 .. r1 of the result, those of
// all its planes.
template <class T>
void fill_column(const Shape& s, const T* image, const Tap& tap, int64_t r0, int64_t r1, T* to) {
  int64_t first, last, offset = tap.at[2] * s.dilation[2] - s.before[2];
  s.within(offset, s.in[2], &first, &last);
  for (int64_t r = r0; r < r1; ++r, to += s.out[2]) {
    int64_t plane = r / s.out[1] * s.stride[0] + tap.at[0] * s.dilation[0] - s.before[0];
    int64_t row = r % s.out[1] * s.stride[1] + tap.at[1] * s.dilation[1] - s.before[1];
    if (plane < 0 || plane >= s.in[0] || row < 0 || row >= s.in[1]) {
      std::fill_n(to, s.out[2], T(0));
      continue;
    }
    const T* from = image + (plane * s.in[1] + row) * s.in[2] + offset;
    std::fill_n(to, first, T(0));
    if (s.stride[2] == 1) std::copy(from + first, from + last, to + first);
    else
      for (int64_t x = first; x < last; ++x) to[x] = from[x * s.stride[2]];
    std::fill(to + last, to + s.out[2], T(0));
  }
}

constexpr int64_t kColumns = 1 << 16;  // elements of columns built at a time
constexpr int64_t kFewest = 256;       // columns: each product packs the filters anew

template <class T>
void by_product(const Shape& s, const T* in, const T* weight, T* out) {
  int64_t k = s.channels * s.taps();
  MatrixIn<T> filters{weight, s.filters, k, k, 1};
  if (s.is_plain())
    return multiply_add(filters, MatrixIn<T>{in, k, s.in_image(), s.in_image(), 1}, out,
                        s.out_image());
  int64_t wanted = std::max(kColumns / k, kFewest) / s.out[2];
  int64_t rows = std::clamp<int64_t>(wanted, 1, s.out_rows());
  Scratch<T> columns(static_cast<size_t>(k * rows * s.out[2]));
  for (int64_t y0 = 0; y0 < s.out_rows(); y0 += rows) {
    int64_t y1 = std::min(y0 + rows, s.out_rows()), n = (y1 - y0) * s.out[2];
    T* to = columns.data();
    for (int64_t c = 0; c < s.channels; ++c) {
      for (int64_t t = 0; t < s.taps(); ++t, to += n)
        fill_column(s, in + c * s.in_image(), Tap(s, t), y0, y1, to);
    }
    multiply_add(filters, MatrixIn<T>{columns.data(), k, n, n, 1}, out + y0 * s.out[2],
                 s.out_image());
  }
}

// Each plane of the result starts as its filter's bias.
template <class T>
void start(const Tensor& out, const IValue& bias, int64_t planes, int64_t filters, int64_t plane) {
  Tensor given = bias.is_none() ? Tensor() : contiguous(bias.as_tensor());
  for (int64_t i = 0; i < planes; ++i) {
    T value = given.is_defined() ? given.data<T>()[i % filters] : T(0);
    std::fill_n(out.data<T>() + i * plane, plane, value);
  }
}

template <class T>
bool all_finite(const Tensor& t) {
  const T* data = t.data<T>();
  return std::all_of(data, data + t.numel(), [](T v) { return std::isfinite(v); });
}

template <class T>
void convolve(const Shape& s, const Tensor& in, const Tensor& weight, const Tensor& out) {
  const int64_t share = s.filters * s.channels * s.taps();
  for (int64_t i = 0; i < s.images * s.groups; ++i)
    by_product(s, in.data<T>() + i * s.channels * s.in_image(),
               weight.data<T>() + i % s.groups * share,
               out.data<T>() + i * s.filters * s.out_image());
}

bool suits(const Tensor& in, const Tensor& weight) {
  bool real = in.dtype() == DType::F32 || in.dtype() == DType::F64;
  if (!real || weight.dtype() != in.dtype() || in.numel() == 0 || weight.numel() == 0) return false;
  return true;
}

template <class T>
bool run_typed(const Convolution& c, Values v, std::vector<IValue>& results) {
  Tensor in = contiguous(v[2].as_tensor()), weight = contiguous(v[3].as_tensor());
  Shape s = shape_of(c, in.sizes(), weight.sizes());
  if (s.out_image() == 0) return false;
  Dims sizes;
  if (in.rank() == c.dims + 2) sizes.push_back(s.images);
  sizes.push_back(weight.sizes()[0]);
  for (int d = 3 - c.dims; d < 3; ++d) sizes.push_back(s.out[d]);
  Tensor out = Tensor::empty(sizes, in.dtype());
  Tensor bias = v[4].is_none() ? Tensor() : contiguous(v[4].as_tensor());
  if (!convolve_in_strips<T>(s, in.data<T>(), weight.data<T>(),
                             bias.is_defined() ? bias.data<T>() : nullptr, out.data<T>())) {
    start<T>(out, v[4], s.images * weight.sizes()[0], weight.sizes()[0], s.out_image());
    convolve<T>(s, in, weight, out);
  }
  results.emplace_back(out);
  return true;
}

// input, weight, bias, stride, padding, dilation, groups
template <int kDims>
bool run_convolution(Values args, std::vector<IValue>& results) {
  Tensor in = args[0].as_tensor(), weight = args[1].as_tensor();
  if (!suits(in, weight)) return false;
  std::vector<IValue> values{IValue::str("conv"), IValue(int64_t{kDims})};
  values.insert(values.end(), args.begin(), args.end());
  Convolution c;
  try {
    c = convolution_of(values);
  } catch (const Error&) {
    return false;
  }
  return in.dtype() == DType::F32 ? run_typed<float>(c, values, results)
                                  : run_typed<double>(c, values, results);
}

// columns [filters * taps, in_image], added where each lies in the result.
template <class T>
void add_columns(const Shape& s, const T* columns, T* out) {
  for (int64_t row = 0; row < s.filters * s.taps(); ++row) {
    T* image = out + row / s.taps() * s.out_image();
    const Tap tap(s, row % s.taps());
    int64_t from[3], first, last;
    for (int d = 0; d < 3; ++d) from[d] = tap.at[d] * s.dilation[d] - s.before[d];
    first = from[2] >= 0 ? 0 : std::min(s.in[2], (s.stride[2] - 1 - from[2]) / s.stride[2]);
    last = from[2] >= s.out[2] ? 0 : std::min(s.in[2], (s.out[2] - 1 - from[2]) / s.stride[2] + 1);
    for (int64_t y = 0; y < s.in[0] * s.in[1]; ++y, columns += s.in[2]) {
      int64_t to_z = y / s.in[1] * s.stride[0] + from[0];
      int64_t to_y = y % s.in[1] * s.stride[1] + from[1];
      if (to_z < 0 || to_z >= s.out[0] || to_y < 0 || to_y >= s.out[1]) continue;
      T* to = image + (to_z * s.out[1] + to_y) * s.out[2] + from[2];
      for (int64_t x = first; x < last; ++x) to[x * s.stride[2]] += columns[x];
    }
  }
}

template <class T>
bool run_turned(const Shape& s, Values v, const Dims& sizes, std::vector<IValue>& results) {
  Tensor in = contiguous(v[0].as_tensor()), weight = contiguous(v[1].as_tensor());
  if (!all_finite<T>(weight)) return false;
  Tensor out = Tensor::empty(sizes, in.dtype());
  int64_t filters = s.filters * s.groups, k = s.filters * s.taps();
  start<T>(out, v[2], s.images * filters, filters, s.out_image());
  Scratch<T> columns(static_cast<size_t>(k * s.in_image()));
  for (int64_t i = 0; i < s.images * s.groups; ++i) {
    const T* kernel = weight.data<T>() + i % s.groups * s.channels * k;
    const T* image = in.data<T>() + i * s.channels * s.in_image();
    multiply(MatrixIn<T>{kernel, k, s.channels, 1, k},
             MatrixIn<T>{image, s.channels, s.in_image(), s.in_image(), 1}, columns.data());
    add_columns(s, columns.data(), out.data<T>() + i * s.filters * s.out_image());
  }
  results.emplace_back(out);
  return true;
}

// A number for each dimension; false where there are not as many.
bool numbers_of(const IValue& v, int dims, int64_t* to) {
  Dims given = v.as_dims();
  if (given.rank() != 1 && given.rank() != dims) return false;
  for (int d = 0; d < dims; ++d) to[d + 3 - dims] = given[given.rank() == 1 ? 0 : d];
  return true;
}

// input, weight, bias, stride, padding, output_padding, groups, dilation, dims
bool run_transposed(Values args, std::vector<IValue>& results) {
  Tensor in = args[0].as_tensor(), weight = args[1].as_tensor();
  int dims = static_cast<int>(args[8].as_int());
  int64_t groups = args[6].as_int(), more[3] = {};
  // Of volumes the body adds the bias last, to sums of planes, which oracles follow step by step.
  bool ranks = dims <= 2 && weight.rank() == dims + 2 && in.rank() == dims + 2 && groups >= 1;
  if (!ranks || !suits(in, weight) || in.sizes()[1] != weight.sizes()[0]) return false;
  if (in.sizes()[1] % groups != 0) return false;
  Shape s;
  s.images = in.sizes()[0];
  s.groups = groups;
  s.channels = in.sizes()[1] / groups;
  s.filters = weight.sizes()[1];
  if (!numbers_of(args[3], dims, s.stride) || !numbers_of(args[4], dims, s.before) ||
      !numbers_of(args[5], dims, more) || !numbers_of(args[7], dims, s.dilation))
    return false;
  Dims sizes{s.images, s.filters * groups};
  for (int d = 0; d < dims; ++d) {
    int at = d + 3 - dims;
    s.in[at] = in.sizes()[d + 2];
    s.kernel[at] = weight.sizes()[d + 2];
    bool legal = s.stride[at] >= 1 && s.dilation[at] >= 1 && s.before[at] >= 0 && more[at] >= 0 &&
                 more[at] < std::max(s.stride[at], s.dilation[at]);
    if (!legal) return false;
    s.out[at] = (s.in[at] - 1) * s.stride[at] - 2 * s.before[at] +
                s.dilation[at] * (s.kernel[at] - 1) + more[at] + 1;
    if (s.out[at] < 1) return false;
    sizes.push_back(s.out[at]);
  }
  if (!args[2].is_none()) {
    Tensor bias = args[2].as_tensor();
    if (bias.dtype() != in.dtype() || !(bias.sizes() == Dims{sizes[1]})) return false;
  }
  return in.dtype() == DType::F32 ? run_turned<float>(s, args, sizes, results)
                                  : run_turned<double>(s, args, sizes, results);
}

// Two numbers, neither less than `least`.
bool pair_of(const IValue& v, int64_t least, int64_t* to) {
  const Dims given = v.as_dims();
  if (given.rank() != 2 || given[0] < least || given[1] < least) return false;
  to[1] = given[0], to[2] = given[1];
  return true;
}

// self, output_size, kernel_size, dilation, padding, stride: columns added as the body adds them.
bool run_fold(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  const int first = self.rank() - 2;
  if ((first != 0 && first != 1) || !suits(self, self)) return false;
  Shape s;
  if (!pair_of(args[1], 1, s.out) || !pair_of(args[2], 1, s.kernel) ||
      !pair_of(args[3], 1, s.dilation) || !pair_of(args[4], 0, s.before) ||
      !pair_of(args[5], 1, s.stride))
    return false;
  for (int d = 1; d < 3; ++d)
    s.in[d] =
        (s.out[d] + 2 * s.before[d] - s.dilation[d] * (s.kernel[d] - 1) - 1) / s.stride[d] + 1;
  const int64_t rows = self.sizes()[first];
  if (s.in[1] < 1 || s.in[2] < 1 || rows % s.taps() != 0 || self.sizes()[first + 1] != s.in_image())
    return false;
  s.filters = rows / s.taps();
  self = contiguous(self);
  Dims sizes{s.filters, s.out[1], s.out[2]};
  if (first == 1) sizes.insert(0, self.sizes()[0]);
  const Tensor out = Tensor::zeros(sizes, self.dtype());
  const int64_t from = rows * s.in_image(), to = s.filters * s.out_image();
  for (int64_t i = 0; i < self.numel() / from; ++i) {
    if (self.dtype() == DType::F32)
      add_columns(s, self.data<float>() + i * from, out.data<float>() + i * to);
    else add_columns(s, self.data<double>() + i * from, out.data<double>() + i * to);
  }
  results.emplace_back(out);
  return true;
}

[[maybe_unused]] const bool kRegistered = [] {
  add_native({"aten::conv1d", &run_convolution<1>});
  add_native({"aten::conv1d.padding", &run_convolution<1>});
  add_native({"aten::conv2d", &run_convolution<2>});
  add_native({"aten::conv2d.padding", &run_convolution<2>});
  add_native({"prim::conv_transpose", &run_transposed});
  add_native({"aten::col2im", &run_fold});
  return true;
}();

}  // namespace
}  // namespace fusillade
