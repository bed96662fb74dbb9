// grid_sample natively: the points of a block share one walk over the planes they are read from.
//
// A point is read by taps: 1 for the nearest element, 2 a dimension between neighbours, 4 a
// dimension by cubics. Where a tap lies and what it weighs is found once a block, dimension by
// dimension, for all channels. Each step is the body's. Floats and doubles.
#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/base/thread_pool.h"
#include "engine/ops/native.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

constexpr int kMostDims = 3;
constexpr int kMostTaps = 16;  // of a point: four by four, or two by two by two
constexpr int64_t kPoints = 128;

struct Sampling {
  int mode, padding;  // ATen's numbers
  bool corners;
  int dims;
  int64_t sizes[kMostDims];
  int each() const { return mode == 0 ? 2 : mode == 1 ? 1 : 4; }  // taps a dimension
};

template <class T>
T within(T x, T last) {
  return !(x >= 0) ? T(0) : last < x ? last : x;  // NaN is 0
}

template <class T>
T unnormalise(T at, T size, bool corners) {
  return corners ? (at + 1) / 2 * (size - 1) : ((at + 1) * size - 1) / 2;
}

template <class T>
T brought_inside(T x, T size, const Sampling& s) {
  if (s.padding == 0) return x;
  if (s.padding == 1) return within(x, size - 1);
  const T low = s.corners ? T(0) : T(-0.5), span = s.corners ? size - 1 : size;
  if (span == 0) return 0;
  const T off = std::abs(x - low), flips = std::floor(off / span), rest = off - flips * span;
  const T half = flips / 2;
  return within(half == std::floor(half) ? rest + low : span - rest + low, size - 1);
}

template <class T>
T cubic_share(T x) {
  const T inner = (T(1.25) * x - T(2.25)) * x * x + 1;
  const T far = ((T(-0.75) * x + T(3.75)) * x - 6) * x + 3;
  return x <= 1 ? inner : far;
}

// The taps of a block of points along one dimension.
template <class T>
struct Along {
  int64_t index[4][kPoints];
  T share[4][kPoints];
  uint8_t inside[4][kPoints];
};

// `at`: the points' coordinates, at stride `step`.
template <class T>
void find_along(const Sampling& s, int d, const T* at, int64_t step, int64_t n, Along<T>& out) {
  const T size = static_cast<T>(s.sizes[d]);
  const int each = s.each();
  for (int64_t p = 0; p < n; ++p) {
    const T raw = unnormalise(at[p * step], size, s.corners);
    const T x = s.mode == 2 ? raw : brought_inside(raw, size, s);
    const T first = s.mode == 1 ? std::rint(x) : std::floor(x);
    for (int k = 0; k < each; ++k) {
      const T tap = s.mode == 2 ? first + static_cast<T>(k - 1) : first + static_cast<T>(k);
      const T index = s.mode == 2 ? brought_inside(tap, size, s) : tap;
      const bool inside = index >= 0 && index <= size - 1;
      out.inside[k][p] = inside;
      out.index[k][p] = inside ? static_cast<int64_t>(index) : 0;
      out.share[k][p] = s.mode == 1   ? T(1)
                        : s.mode == 2 ? cubic_share(std::abs(x - first - static_cast<T>(k - 1)))
                        : k == 1      ? x - first
                                      : 1 - (x - first);
    }
  }
}

// The taps of a block of points among the elements of a plane.
template <class T>
struct Taps {
  int count = 1;
  int64_t index[kMostTaps][kPoints];
  T share[kMostTaps][kPoints];
  uint8_t inside[kMostTaps][kPoints];
};

// In the order of the body's sums: by cubics the last dimension runs fastest, else the first.
template <class T>
void combine(const Sampling& s, const Along<T>* along, int64_t n, Taps<T>& out) {
  const int each = s.each();
  out.count = 1;
  for (int d = 0; d < s.dims; ++d) out.count *= each;
  for (int tap = 0; tap < out.count; ++tap) {
    std::fill_n(out.index[tap], n, int64_t{0});
    std::fill_n(out.share[tap], n, T(1));
    std::fill_n(out.inside[tap], n, uint8_t{1});
    int digits = tap;
    int digit[kMostDims];
    for (int k = 0; k < s.dims; ++k, digits /= each)
      digit[s.mode == 2 ? s.dims - 1 - k : k] = digits % each;
    for (int d = 0; d < s.dims; ++d) {
      const Along<T>& a = along[d];
      const int k = digit[d];
      for (int64_t p = 0; p < n; ++p) {
        out.index[tap][p] = out.index[tap][p] * s.sizes[d] + a.index[k][p];
        out.share[tap][p] *= a.share[k][p];
        out.inside[tap][p] &= a.inside[k][p];
      }
    }
  }
}

template <class T>
void read_plane(const Taps<T>& taps, const T* plane, int64_t n, T* out) {
  if (taps.count == 1) {  // the nearest, whole
    for (int64_t p = 0; p < n; ++p)
      out[p] = T(0) + (taps.inside[0][p] ? plane[taps.index[0][p]] : T(0));
    return;
  }
  std::fill_n(out, n, T(0));
  for (int tap = 0; tap < taps.count; ++tap) {
    const int64_t* index = taps.index[tap];
    const T* share = taps.share[tap];
    const uint8_t* inside = taps.inside[tap];
    for (int64_t p = 0; p < n; ++p) {
      const T item = plane[index[p]];
      out[p] += (inside[p] ? item : T(0)) * share[p];
    }
  }
}

template <class T>
void sample(const Sampling& s, const Tensor& input, const Tensor& grid, const Tensor& out) {
  int64_t plane = 1;
  for (int d = 0; d < s.dims; ++d) plane *= s.sizes[d];
  const int64_t images = input.sizes()[0], channels = input.sizes()[1];
  const int64_t points = grid.numel() / (images * s.dims);
  const int64_t blocks = (points + kPoints - 1) / kPoints;
  const int64_t worth = (1 << 15) / (kPoints * channels) + 1;
  parallel(images * blocks, worth, [&](int64_t begin, int64_t end) {
    std::vector<Along<T>> along(static_cast<size_t>(s.dims));
    auto taps = std::make_unique<Taps<T>>();
    for (int64_t b = begin; b < end; ++b) {
      const int64_t image = b / blocks, first = b % blocks * kPoints;
      const int64_t n = std::min(kPoints, points - first);
      const T* at = grid.data<T>() + (image * points + first) * s.dims;
      for (int d = 0; d < s.dims; ++d)
        find_along(s, d, at + s.dims - 1 - d, s.dims, n, along[static_cast<size_t>(d)]);
      combine(s, along.data(), n, *taps);
      for (int64_t c = image * channels; c < (image + 1) * channels; ++c)
        read_plane(*taps, input.data<T>() + c * plane, n, out.data<T>() + c * points + first);
    }
  });
}

// input, grid, interpolation_mode, padding_mode, align_corners
bool run_grid_sampler(Values args, std::vector<IValue>& results) {
  const Tensor input = args[0].as_tensor(), grid = args[1].as_tensor();
  const int64_t mode = args[2].as_int(), padding = args[3].as_int();
  Sampling s{
      static_cast<int>(mode), static_cast<int>(padding), args[4].as_bool(), input.rank() - 2, {}};
  const bool legal = mode >= 0 && mode <= 2 && padding >= 0 && padding <= 2 &&
                     (s.dims == 2 || (s.dims == 3 && mode != 2)) && grid.rank() == input.rank() &&
                     grid.sizes().back() == s.dims && grid.sizes()[0] == input.sizes()[0] &&
                     grid.dtype() == input.dtype();
  const bool real = input.dtype() == DType::F32 || input.dtype() == DType::F64;
  if (!legal || !real || input.numel() == 0 || grid.numel() == 0) return false;
  Dims sizes{input.sizes()[0], input.sizes()[1]};
  for (int d = 0; d < s.dims; ++d) {
    s.sizes[d] = input.sizes()[d + 2];
    if (s.sizes[d] >= 1 << 24) return false;
    sizes.push_back(grid.sizes()[d + 1]);
  }
  Tensor out = Tensor::empty(sizes, input.dtype());
  if (input.dtype() == DType::F32) sample<float>(s, contiguous(input), contiguous(grid), out);
  else sample<double>(s, contiguous(input), contiguous(grid), out);
  results.emplace_back(out);
  return true;
}

[[maybe_unused]] const bool kRegistered = [] {
  add_native({"aten::grid_sampler", &run_grid_sampler});
  return true;
}();

}  // namespace
}  // namespace fusillade
