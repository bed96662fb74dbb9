// Means over windows natively: of images as they lie, without the windows being made; and over
// whole images.
//
// Sums are taken in other orders than the body's. Contiguous floats and doubles, two dimensions.
#include <algorithm>

#include "engine/ops/fold.h"
#include "engine/ops/native.h"
#include "engine/ops/pool.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

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
  Dims sizes = self.sizes();
  for (int d = 0; d < 2; ++d) sizes[sizes.rank() - 2 + d] = p.counts[d];
  Tensor out = Tensor::empty(sizes, self.dtype());
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
  add_native({"aten::adaptive_avg_pool2d", &run_whole_mean});
  return true;
}();

}  // namespace
}  // namespace fusillade
