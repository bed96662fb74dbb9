// Means and largest elements of windows natively, and the indices of the largest: images are read
// in place, without building the windows. Also means over whole images.
//
// Sums are taken in other orders than the body's, but for volumes, as there, planes first. Of zeros
// of both signs the first of a window is its largest. Contiguous floats and doubles; what else
// there is, and windows without an element, are the body's.
#include "engine/ops/native.h"

#include <algorithm>
#include <limits>

#include "engine/aten/pool/pool.h"
#include "engine/base/thread_pool.h"
#include "engine/ops/fold.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

constexpr int64_t kPiece = 1 << 15;  // elements that are worth a thread's while

// A batch of images of `dims` dimensions, or one.
bool is_plain(const Tensor& t, int dims) {
  bool real = t.dtype() == DType::F32 || t.dtype() == DType::F64;
  return real && t.is_contiguous() && t.numel() > 0 &&
         (t.rank() == dims + 1 || t.rank() == dims + 2);
}

// The part of a window along one dimension: `count` elements at stride `step`. Its mean divides by
// `counted`.
struct Reach {
  int64_t first = 0, count = 1, step = 1, counted = 1;
};

// Windows along depth, rows and columns; an image of fewer dimensions has one plane, or one row.
struct Cells {
  int dims = 0;
  std::vector<Reach> along[3] = {{Reach()}, {Reach()}, {Reach()}};
  int64_t lengths[3] = {1, 1, 1};
  int64_t image() const { return lengths[0] * lengths[1] * lengths[2]; }
  int64_t windows() const {
    return static_cast<int64_t>(along[0].size() * along[1].size() * along[2].size());
  }
  Dims pooled_sizes(const Dims& sizes) const {
    Dims out = sizes;
    for (int d = 0; d < dims; ++d)
      out[out.rank() - dims + d] = static_cast<int64_t>(along[d + 3 - dims].size());
    return out;
  }
};

// False where a window holds nothing.
bool cells_of(const Pooling& p, bool with_padding, Cells& cells) {
  cells.dims = p.windows.dims();
  for (int d = 0; d < cells.dims; ++d) {
    const int at = d + 3 - cells.dims;
    const int64_t length = cells.lengths[at] = p.lengths[d], step = p.windows.dilation[d];
    cells.along[at].clear();
    for (int64_t i = 0; i < p.counts[d]; ++i) {
      const int64_t start = i * p.windows.stride[d] - p.padding[d];
      const int64_t end = std::min(start + p.windows.reach(d), length + p.padding[d]);
      const int64_t first = start < 0 ? start + (step - 1 - start) / step * step : start;
      const int64_t last = std::min(end, length);
      if (first >= last) return false;
      const int64_t count = (last - first + step - 1) / step;
      cells.along[at].push_back({first, count, step, with_padding ? end - start : count});
    }
  }
  return true;
}

// Windows of nearly one size that cover an image; false where there is none.
bool adaptive_cells(const Dims& sizes, const Dims& counts, Cells& cells) {
  cells.dims = counts.rank();
  for (int d = 0; d < cells.dims; ++d) {
    const int at = d + 3 - cells.dims;
    const int64_t length = cells.lengths[at] = sizes[sizes.rank() - cells.dims + d], n = counts[d];
    if (n < 1) return false;
    cells.along[at].clear();
    for (int64_t i = 0; i < n; ++i) {
      const int64_t first = i * length / n, count = ((i + 1) * length + n - 1) / n - first;
      cells.along[at].push_back({first, count, 1, count});
    }
  }
  return true;
}

// f(image, result, how many) for pieces of the images, in elements behind the first.
template <class F>
void each_image(const Tensor& self, const Cells& cells, F f) {
  const int64_t from = cells.image(), to = cells.windows();
  parallel(self.numel() / from, kPiece / from + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i * from, i * to);
  });
}

// ---------------------------------------------------------------------------- means

template <class T>
T sum_of(const T* x, int64_t n) {
  constexpr int64_t kSums = 16;
  T sum = 0;
  if (n >= kSums) {
    T sums[kSums] = {};
    for (; n >= kSums; n -= kSums, x += kSums)
      for (int64_t k = 0; k < kSums; ++k) sums[k] += x[k];
    for (int64_t half = kSums / 2; half > 0; half /= 2)
      for (int64_t k = 0; k < half; ++k) sums[k] += sums[half + k];
    sum = sums[0];
  }
  for (int64_t k = 0; k < n; ++k) sum += x[k];
  return sum;
}

// `divisor`: 0, or what is divided by whatever a window counts. The mean of the means of planes.
template <class T>
void mean_image(const Cells& c, int64_t divisor, const T* in, T* out) {
  const bool deep = c.dims == 3;
  for (const Reach& z : c.along[0]) {
    for (const Reach& y : c.along[1]) {
      for (const Reach& x : c.along[2]) {
        const int64_t counted = divisor == 0 ? y.counted * x.counted : deep ? 1 : divisor;
        T total = -T(0);
        for (int64_t i = 0; i < z.count; ++i) {
          const T* row = in + ((z.first + i) * c.lengths[1] + y.first) * c.lengths[2] + x.first;
          T sum = 0;
          for (int64_t j = 0; j < y.count; ++j, row += c.lengths[2]) sum += sum_of(row, x.count);
          total += sum / static_cast<T>(counted);
        }
        *out++ = deep ? total / static_cast<T>(divisor ? divisor : z.counted) : total;
      }
    }
  }
}

Tensor means_of(const Tensor& self, const Cells& cells, int64_t divisor) {
  Tensor out = Tensor::empty(cells.pooled_sizes(self.sizes()), self.dtype());
  each_image(self, cells, [&](int64_t from, int64_t to) {
    if (self.dtype() == DType::F32)
      mean_image(cells, divisor, self.data<float>() + from, out.data<float>() + to);
    else mean_image(cells, divisor, self.data<double>() + from, out.data<double>() + to);
  });
  return out;
}

// Arguments of `op`; false where they do not fit each other.
bool pooling_from(const char* op, int dims, std::span<const IValue> rest, Pooling& p) {
  std::vector<IValue> call{IValue::str(op), IValue(int64_t{dims})};
  call.insert(call.end(), rest.begin(), rest.end());
  try {
    p = pooling_of(call);
  } catch (const Error&) {
    return false;
  }
  return true;
}

// self, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override
template <int dims>
bool run_mean(Values v, std::vector<IValue>& results) {
  Tensor self = v[0].as_tensor();
  int64_t divisor = v[6].is_none() ? 0 : v[6].as_int();
  if (!is_plain(self, dims) || (!v[6].is_none() && divisor == 0)) return false;
  const IValue rest[] = {v[0], v[1], v[2], v[3], IValue::int_list(Dims(dims, 1)), v[4]};
  Pooling p;
  Cells cells;
  if (!pooling_from("avg_pool", dims, rest, p) || !cells_of(p, v[5].as_bool(), cells)) return false;
  results.emplace_back(means_of(self, cells, divisor));
  return true;
}

// ---------------------------------------------------------------------------- largest

template <class T>
T larger(T a, T b) {
  return a != a ? a : b != b || a < b ? b : a;
}

// A row of results meets each element of the windows. kStep: the stride along it, 0 where it is
// only known now. `d`: the dimension of the rows.
template <int64_t kStep, class T>
void join_plane(const Pooling& p, int d, const T* in, T* out) {
  const int64_t step = kStep ? kStep : p.windows.stride[d + 1], count = p.counts[d + 1];
  const int64_t width = p.lengths[d + 1];
  for (int64_t y = 0; y < p.counts[d]; ++y, out += count) {
    for (int64_t ky = 0; ky < p.windows.kernel[d]; ++ky) {
      const int64_t line = y * p.windows.stride[d] + ky * p.windows.dilation[d] - p.padding[d];
      if (line < 0 || line >= p.lengths[d]) continue;
      for (int64_t kx = 0; kx < p.windows.kernel[d + 1]; ++kx) {
        const int64_t offset = kx * p.windows.dilation[d + 1] - p.padding[d + 1];
        const int64_t first = offset >= 0 ? 0 : (-offset + step - 1) / step;
        const int64_t last = offset >= width ? 0 : std::min(count, (width - 1 - offset) / step + 1);
        const T* from = in + line * width + offset;
        for (int64_t x = first; x < last; ++x) out[x] = larger(out[x], from[x * step]);
      }
    }
  }
}

template <class T>
void largest(const Pooling& p, const T* in, T* out) {
  const int d = p.windows.dims() - 2;  // of rows
  const int64_t from = p.lengths[d] * p.lengths[d + 1], to = p.counts[d] * p.counts[d + 1];
  auto* join = p.windows.stride[d + 1] == 1   ? &join_plane<1, T>
               : p.windows.stride[d + 1] == 2 ? &join_plane<2, T>
                                              : &join_plane<0, T>;
  std::fill_n(out, (d ? p.counts[0] : 1) * to, -std::numeric_limits<T>::infinity());
  if (d == 0) return join(p, 0, in, out);
  for (int64_t z = 0; z < p.counts[0]; ++z, out += to) {
    for (int64_t kz = 0; kz < p.windows.kernel[0]; ++kz) {
      const int64_t plane = z * p.windows.stride[0] + kz * p.windows.dilation[0] - p.padding[0];
      if (plane >= 0 && plane < p.lengths[0]) join(p, 1, in + plane * from, out);
    }
  }
}

// self, kernel, stride, padding, dilation, ceil_mode
template <int dims>
bool run_largest(Values v, std::vector<IValue>& results) {
  Tensor self = v[0].as_tensor();
  Pooling p;
  if (!is_plain(self, dims) || !pooling_from("max_pool", dims, v, p)) return false;
  Dims sizes = self.sizes();
  int64_t from = 1, to = 1;
  for (int d = 0; d < dims; ++d) {
    sizes[sizes.rank() - dims + d] = p.counts[d];
    from *= p.lengths[d], to *= p.counts[d];
  }
  Tensor out = Tensor::empty(sizes, self.dtype());
  parallel(self.numel() / from, kPiece / from + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (self.dtype() == DType::F32)
        largest(p, self.data<float>() + i * from, out.data<float>() + i * to);
      else largest(p, self.data<double>() + i * from, out.data<double>() + i * to);
    }
  });
  results.emplace_back(out);
  return true;
}

// ---------------------------------------------------------------------------- argmax

// Of equal elements the first, of NaNs the last.
template <class T>
void best_image(const Cells& c, const T* in, T* values, int64_t* indices) {
  for (const Reach& z : c.along[0]) {
    for (const Reach& y : c.along[1]) {
      for (const Reach& x : c.along[2]) {
        int64_t at = (z.first * c.lengths[1] + y.first) * c.lengths[2] + x.first;
        T best = in[at];
        for (int64_t i = 0; i < z.count; ++i) {
          for (int64_t j = 0; j < y.count; ++j) {
            const int64_t row = (z.first + i * z.step) * c.lengths[1] + y.first + j * y.step;
            const int64_t first = row * c.lengths[2] + x.first;
            for (int64_t k = first; k < first + x.count * x.step; k += x.step) {
              if (in[k] > best || in[k] != in[k]) best = in[k], at = k;
            }
          }
        }
        *values++ = best;
        *indices++ = at;
      }
    }
  }
}

void best_of(const Tensor& self, const Cells& cells, std::vector<IValue>& results) {
  Tensor values = Tensor::empty(cells.pooled_sizes(self.sizes()), self.dtype());
  Tensor indices = Tensor::empty(values.sizes(), DType::I64);
  each_image(self, cells, [&](int64_t from, int64_t to) {
    int64_t* at = indices.data<int64_t>() + to;
    if (self.dtype() == DType::F32)
      best_image(cells, self.data<float>() + from, values.data<float>() + to, at);
    else best_image(cells, self.data<double>() + from, values.data<double>() + to, at);
  });
  results.emplace_back(values);
  results.emplace_back(indices);
}

// self, kernel, stride, padding, dilation, ceil_mode, dims
bool run_best(Values v, std::vector<IValue>& results) {
  Tensor self = v[0].as_tensor();
  const int dims = static_cast<int>(v[6].as_int());
  Pooling p;
  Cells cells;
  if (!is_plain(self, dims) || !pooling_from("max_pool", dims, v.first(6), p) ||
      !cells_of(p, false, cells))
    return false;
  best_of(self, cells, results);
  return true;
}

// self, output_size, dims
bool run_adaptive_best(Values v, std::vector<IValue>& results) {
  Tensor self = v[0].as_tensor();
  const Dims asked = v[1].as_dims();
  Cells cells;
  if (asked.rank() != v[2].as_int() || !is_plain(self, asked.rank()) ||
      !adaptive_cells(self.sizes(), asked, cells))
    return false;
  best_of(self, cells, results);
  return true;
}

// ---------------------------------------------------------------------------- means of planes

template <class T>
void mean_planes(const Tensor& self, int64_t plane, T* out) {
  constexpr auto kAdd = [](auto a, auto b) { return a + b; };
  static const Fold fold = fold_of(kAdd);
  NativeLoop combine = &formula::lanes_loop<2, Lanes<T>, T, decltype(kAdd)>;
  for (int64_t i = 0; i < self.numel() / plane; ++i) {
    Lines line{
        self.dtype(), reinterpret_cast<const uint8_t*>(self.data<T>() + i * plane), plane, 1, 1, 1,
        nullptr};
    out[i] = fold_line<T>(line, combine, fold) / static_cast<T>(plane);
  }
}

Tensor whole_means(const Tensor& self) {
  Dims sizes = self.sizes();
  int64_t plane = sizes[sizes.rank() - 1] * sizes[sizes.rank() - 2];
  sizes[sizes.rank() - 1] = sizes[sizes.rank() - 2] = 1;
  Tensor out = Tensor::empty(sizes, self.dtype());
  if (self.dtype() == DType::F32) mean_planes(self, plane, out.data<float>());
  else mean_planes(self, plane, out.data<double>());
  return out;
}

// self, output_size
template <int dims>
bool run_adaptive_mean(Values v, std::vector<IValue>& results) {
  Tensor self = v[0].as_tensor();
  const Dims asked = v[1].as_dims();
  if (!is_plain(self, dims)) return false;
  if (dims == 2 && asked == Dims{1, 1}) {
    results.emplace_back(whole_means(self));
    return true;
  }
  Cells cells;
  if (asked.rank() != dims || !adaptive_cells(self.sizes(), asked, cells)) return false;
  results.emplace_back(means_of(self, cells, 0));
  return true;
}

[[maybe_unused]] const bool kRegistered = [] {
  add_native({"aten::avg_pool2d", &run_mean<2>});
  add_native({"aten::avg_pool3d", &run_mean<3>});
  add_native({"aten::max_pool2d", &run_largest<2>});
  add_native({"aten::max_pool3d", &run_largest<3>});
  add_native({"prim::max_pool", &run_best});
  add_native({"aten::adaptive_avg_pool2d", &run_adaptive_mean<2>});
  add_native({"aten::adaptive_avg_pool3d", &run_adaptive_mean<3>});
  add_native({"prim::adaptive_max_pool", &run_adaptive_best});
  return true;
}();

}  // namespace
}  // namespace fusillade
