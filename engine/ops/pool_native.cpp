// Means and largest elements of windows natively: of images as they lie, without the windows being
// made; and means over whole images.
//
// Sums are taken in other orders than the body's, and of zeros of both signs the first of a window
// is its largest. Contiguous floats and doubles, two dimensions.
#include <algorithm>
#include <limits>

#include "engine/base/thread_pool.h"
#include "engine/ops/fold.h"
#include "engine/ops/native.h"
#include "engine/ops/pool.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

constexpr int64_t kPiece = 1 << 15;  // elements that are worth a thread's while

bool is_plain(const Tensor& t) {
  bool real = t.dtype() == DType::F32 || t.dtype() == DType::F64;
  return real && t.is_contiguous() && t.numel() > 0 && t.rank() >= 3;
}

// From where to where a window reaches along one dimension, and how many elements it counts.
struct Reach {
  int64_t first, last, count;
};

Reach reach_of(const Pooling& p, int d, int64_t i, bool with_padding) {
  int64_t start = i * p.windows.stride[d] - p.padding[d];
  int64_t end = std::min(start + p.windows.kernel[d], p.lengths[d] + p.padding[d]);
  int64_t first = std::max<int64_t>(start, 0), last = std::min(end, p.lengths[d]);
  return {first, last, with_padding ? end - start : last - first};
}

template <class T>
void mean_plane(const Pooling& p, const std::vector<Reach>& down, const std::vector<Reach>& along,
                int64_t divisor, const T* in, T* out) {
  for (const Reach& y : down) {
    for (const Reach& x : along) {
      T sum = 0;
      for (int64_t i = y.first; i < y.last; ++i) {
        const T* row = in + i * p.lengths[1];
        for (int64_t j = x.first; j < x.last; ++j) sum += row[j];
      }
      *out++ = sum / static_cast<T>(divisor ? divisor : y.count * x.count);
    }
  }
}

Dims pooled_sizes(const Tensor& self, const Pooling& p) {
  Dims sizes = self.sizes();
  for (int d = 0; d < 2; ++d) sizes[sizes.rank() - 2 + d] = p.counts[d];
  return sizes;
}

// self, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override
bool run_mean(Values v, std::vector<IValue>& results) {
  Tensor self = v[0].as_tensor();
  int64_t divisor = v[6].is_none() ? 0 : v[6].as_int();
  if (!is_plain(self) || (!v[6].is_none() && divisor == 0)) return false;
  const IValue call[] = {IValue::str("avg_pool2d"),
                         IValue(int64_t{2}),
                         v[0],
                         v[1],
                         v[2],
                         v[3],
                         IValue::int_list(Dims{1, 1}),
                         v[4]};
  Pooling p;
  try {
    p = pooling_of(call);
  } catch (const Error&) {
    return false;
  }
  std::vector<Reach> reaches[2];
  for (int d = 0; d < 2; ++d) {
    for (int64_t i = 0; i < p.counts[d]; ++i)
      reaches[d].push_back(reach_of(p, d, i, v[5].as_bool()));
  }
  Tensor out = Tensor::empty(pooled_sizes(self, p), self.dtype());
  int64_t from = p.lengths[0] * p.lengths[1], to = p.counts[0] * p.counts[1];
  for (int64_t i = 0; i < self.numel() / from; ++i) {
    if (self.dtype() == DType::F32)
      mean_plane(p, reaches[0], reaches[1], divisor, self.data<float>() + i * from,
                 out.data<float>() + i * to);
    else
      mean_plane(p, reaches[0], reaches[1], divisor, self.data<double>() + i * from,
                 out.data<double>() + i * to);
  }
  results.emplace_back(out);
  return true;
}

// ---------------------------------------------------------------------------- largest

template <class T>
T larger(T a, T b) {
  return a != a ? a : b != b || a < b ? b : a;
}

// A row of results meets each element of the windows. kStep: the stride along it, 0 where it is
// only known now.
template <int64_t kStep, class T>
void largest_plane(const Pooling& p, const T* in, T* out) {
  const int64_t step = kStep ? kStep : p.windows.stride[1], count = p.counts[1];
  const int64_t width = p.lengths[1];
  for (int64_t y = 0; y < p.counts[0]; ++y, out += count) {
    std::fill_n(out, count, -std::numeric_limits<T>::infinity());
    for (int64_t ky = 0; ky < p.windows.kernel[0]; ++ky) {
      const int64_t line = y * p.windows.stride[0] + ky * p.windows.dilation[0] - p.padding[0];
      if (line < 0 || line >= p.lengths[0]) continue;
      for (int64_t kx = 0; kx < p.windows.kernel[1]; ++kx) {
        const int64_t offset = kx * p.windows.dilation[1] - p.padding[1];
        const int64_t first = offset >= 0 ? 0 : (-offset + step - 1) / step;
        const int64_t last = offset >= width ? 0 : std::min(count, (width - 1 - offset) / step + 1);
        const T* from = in + line * width + offset;
        for (int64_t x = first; x < last; ++x) out[x] = larger(out[x], from[x * step]);
      }
    }
  }
}

template <class T>
void largest(const Pooling& p, const Tensor& self, const Tensor& out) {
  const int64_t from = p.lengths[0] * p.lengths[1], to = p.counts[0] * p.counts[1];
  auto* plane = p.windows.stride[1] == 1   ? &largest_plane<1, T>
                : p.windows.stride[1] == 2 ? &largest_plane<2, T>
                                           : &largest_plane<0, T>;
  parallel(self.numel() / from, kPiece / from + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      plane(p, self.data<T>() + i * from, out.data<T>() + i * to);
  });
}

// self, kernel, stride, padding, dilation, ceil_mode
bool run_largest(Values v, std::vector<IValue>& results) {
  Tensor self = v[0].as_tensor();
  if (!is_plain(self)) return false;
  const IValue call[] = {
      IValue::str("aten::max_pool2d"), IValue(int64_t{2}), v[0], v[1], v[2], v[3], v[4], v[5]};
  Pooling p;
  try {
    p = pooling_of(call);
  } catch (const Error&) {
    return false;
  }
  Tensor out = Tensor::empty(pooled_sizes(self, p), self.dtype());
  if (self.dtype() == DType::F32) largest<float>(p, self, out);
  else largest<double>(p, self, out);
  results.emplace_back(out);
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

// self, output_size: of one element for each image.
bool run_whole_mean(Values v, std::vector<IValue>& results) {
  Tensor self = v[0].as_tensor();
  Dims asked = v[1].as_dims();
  bool whole = asked == Dims{1, 1} || asked == Dims{1};
  if (!is_plain(self) || self.rank() > 4 || !whole) return false;
  Dims sizes = self.sizes();
  int64_t plane = sizes[sizes.rank() - 1] * sizes[sizes.rank() - 2];
  sizes[sizes.rank() - 1] = sizes[sizes.rank() - 2] = 1;
  Tensor out = Tensor::empty(sizes, self.dtype());
  if (self.dtype() == DType::F32) mean_planes(self, plane, out.data<float>());
  else mean_planes(self, plane, out.data<double>());
  results.emplace_back(out);
  return true;
}

[[maybe_unused]] const bool kRegistered = [] {
  add_native({"aten::avg_pool2d", &run_mean});
  add_native({"aten::max_pool2d", &run_largest});
  add_native({"aten::adaptive_avg_pool2d", &run_whole_mean});
  return true;
}();

}  // namespace
}  // namespace fusillade
