// Resizing one dimension natively: the indices and weights that each result reads are computed
// once, and applied to all lines.
//
// Indices are computed as in the body, in float32 except for doubles, and sums are taken in its
// order, so results are equal bit by bit. Sums of many elements, which smooth, are taken in another
// order.
#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/aten/index/index.h"
#include "engine/aten/view/view.h"
#include "engine/base/thread_pool.h"
#include "engine/ops/native.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

constexpr int64_t kPiece = 1 << 15;  // elements that are worth a thread's while

// Element i of the result is element out[i] of `old` ones.
template <class T>
std::vector<int64_t> nearest_indices(int64_t size, int64_t old, double step, bool centred) {
  std::vector<int64_t> out(static_cast<size_t>(size));
  const T half = centred ? T(0.5) : T(0), each = static_cast<T>(step);
  for (int64_t i = 0; i < size; ++i) {
    const T index = std::floor((static_cast<T>(i) + half) * each);
    out[static_cast<size_t>(i)] =
        static_cast<int64_t>(std::clamp(index, T(0), static_cast<T>(old - 1)));
  }
  return out;
}

// ---------------------------------------------------------------------------- weighted indices

// Element i of the result is the sum of elements index[k][i] times share[k][i], k in order.
template <class T>
struct Taps {
  size_t count;
  bool from_zero;  // the sum begins with 0
  std::vector<int64_t> index[4];
  std::vector<T> share[4];
};

struct Resizing {
  int64_t size, old;
  double step;  // between neighbours of the result
  bool corners;
};

double step_of(const Resizing& r, double scale) {
  const double size = static_cast<double>(r.size), old = static_cast<double>(r.old);
  if (r.corners) return r.size > 1 ? (old - 1) / (size - 1) : 0.0;
  return scale > 0 ? 1 / scale : old / size;
}

template <class T>
T cubic_share(T x) {
  const T inner = (T(1.25) * x - T(2.25)) * x * x + 1;
  const T far = ((T(-0.75) * x + T(3.75)) * x - 6) * x + 3;
  return x <= 1 ? inner : far;
}

// P: the type that indices are computed in.
template <class T, class P>
Taps<T> taps_of(const Resizing& r, bool cubic) {
  Taps<T> taps{cubic ? size_t{4} : size_t{2}, cubic, {}, {}};
  const bool copied = !cubic && r.size == r.old;
  const P step = copied ? P(1) : static_cast<P>(r.step), last = static_cast<P>(r.old - 1);
  for (int64_t i = 0; i < r.size; ++i) {
    P at = static_cast<P>(i);
    at = r.corners ? at * step : (at + P(0.5)) * step - P(0.5);
    if (!cubic && !r.corners) at = std::max(at, P(0));
    const P low = cubic ? std::floor(at) : std::clamp(std::floor(at), P(0), last);
    for (size_t k = 0; k < taps.count; ++k) {
      const P index = copied ? low : low + static_cast<P>(k) - P(cubic);
      taps.index[k].push_back(static_cast<int64_t>(std::clamp(index, P(0), last)));
      const P distance = at - low - (static_cast<P>(k) - 1);
      if (cubic) taps.share[k].push_back(static_cast<T>(cubic_share(std::abs(distance))));
      else taps.share[k].push_back(k ? static_cast<T>(at - low) : 1 - static_cast<T>(at - low));
    }
  }
  return taps;
}

// kCount taps each; lines of `run` neighbours go together.
template <size_t kCount, class T>
void weigh(const Taps<T>& taps, int64_t size, int64_t run, const T* from, T* to) {
  for (int64_t i = 0; i < size; ++i, to += run) {
    const T* line[kCount];
    T share[kCount];
    for (size_t k = 0; k < kCount; ++k) {
      line[k] = from + taps.index[k][static_cast<size_t>(i)] * run;
      share[k] = taps.share[k][static_cast<size_t>(i)];
    }
    for (int64_t j = 0; j < run; ++j) {
      T sum = taps.from_zero ? T(0) + line[0][j] * share[0] : line[0][j] * share[0];
      for (size_t k = 1; k < kCount; ++k) sum += line[k][j] * share[k];
      to[j] = sum;
    }
  }
}

template <class T>
void weigh_lines(const Resizing& r, bool cubic, int64_t run, const Tensor& input,
                 const Tensor& out) {
  using P = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const Taps<T> taps = taps_of<T, P>(r, cubic);
  auto* some = cubic ? &weigh<4, T> : &weigh<2, T>;
  const int64_t lines = input.numel() / (r.old * run);
  parallel(lines, kPiece / (r.size * run) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      some(taps, r.size, run, input.data<T>() + i * r.old * run, out.data<T>() + i * r.size * run);
  });
}

// False where the body is to be run.
bool run_weighed(const Tensor& input, int64_t dim, Resizing r, double scale, bool cubic,
                 std::vector<IValue>& results) {
  const bool real = input.dtype() == DType::F32 || input.dtype() == DType::F64;
  constexpr int64_t kMost = 1 << 24;  // floats hold the numbers of all elements
  if (!real || dim < 0 || dim >= input.rank() || !input.is_contiguous() || input.numel() == 0 ||
      r.size < 1 || r.size >= kMost)
    return false;
  const int d = static_cast<int>(dim);
  r.old = input.sizes()[d];
  r.step = step_of(r, scale);
  if (r.old >= kMost || !(r.step < 1e30)) return false;
  Dims sizes = input.sizes();
  sizes[d] = r.size;
  int64_t run = 1;
  for (int k = d + 1; k < input.rank(); ++k) run *= sizes[k];
  Tensor out = Tensor::empty(sizes, input.dtype());
  if (input.dtype() == DType::F32) weigh_lines<float>(r, cubic, run, input, out);
  else weigh_lines<double>(r, cubic, run, input, out);
  results.emplace_back(out);
  return true;
}

// ---------------------------------------------------------------------------- smooth

// Element i of the result is the sum of neighbours first[i], and so on, times their shares.
template <class T>
struct Neighbours {
  std::vector<int64_t> first;
  std::vector<std::vector<T>> share;
};

double smooth_share(double x, bool cubic) {
  if (!cubic) return x < 1 ? 1 - x : 0.0;
  return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0.0;
}

template <class T>
Neighbours<T> neighbours_of(const Resizing& r, bool cubic) {
  Neighbours<T> out;
  const double wide = std::max(r.step, 1.0), reach = wide * (cubic ? 2.0 : 1.0);
  for (int64_t i = 0; i < r.size; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * r.step;
    const double first = std::max(std::trunc(centre - reach + 0.5), 0.0);
    const double past = std::min(std::trunc(centre + reach + 0.5), static_cast<double>(r.old));
    std::vector<double> shares;
    double sum = 0;
    for (double item = first; item < past; ++item) {
      shares.push_back(smooth_share(std::abs((item - centre + 0.5) / wide), cubic));
      sum += shares.back();
    }
    out.first.push_back(static_cast<int64_t>(first));
    std::vector<T>& to = out.share.emplace_back();
    for (double share : shares) to.push_back(static_cast<T>(share / sum));
  }
  return out;
}

// A plane of r.old lines of `run` elements becomes one of r.size; in memory the results of one
// element of a line follow each other.
template <class T>
void smooth(const Neighbours<T>& by, const Resizing& r, int64_t run, const T* from, T* to) {
  std::vector<T> sums(static_cast<size_t>(run));
  for (int64_t i = 0; i < r.size; ++i) {
    const std::vector<T>& share = by.share[static_cast<size_t>(i)];
    const T* line = from + by.first[static_cast<size_t>(i)] * run;
    std::ranges::fill(sums, T(0));
    for (size_t k = 0; k < share.size(); ++k, line += run)
      for (int64_t j = 0; j < run; ++j) sums[static_cast<size_t>(j)] += line[j] * share[k];
    for (int64_t j = 0; j < run; ++j) to[j * r.size + i] = sums[static_cast<size_t>(j)];
  }
}

template <class T>
void smooth_planes(const Resizing& r, bool cubic, int64_t run, const Tensor& input, T* to) {
  const Neighbours<T> by = neighbours_of<T>(r, cubic);
  parallel(input.numel() / (r.old * run), kPiece / (r.old * run) + 1,
           [&](int64_t begin, int64_t end) {
             for (int64_t i = begin; i < end; ++i)
               smooth(by, r, run, input.data<T>() + i * r.old * run, to + i * r.size * run);
           });
}

// input, dim, size, scale, cubic, corners: of one of the last two dimensions.
bool run_resized_smooth(Values args, std::vector<IValue>& results) {
  Tensor input = args[0].as_tensor();
  const int64_t dim = args[1].as_int(), rank = input.rank();
  const bool real = input.dtype() == DType::F32 || input.dtype() == DType::F64;
  Resizing r{args[2].as_int(), 0, 0, args[5].as_bool()};
  if (!real || dim < 0 || dim + 2 < rank || dim >= rank || input.numel() == 0 || r.size < 1)
    return false;
  const int d = static_cast<int>(dim), last = input.rank() - 1;
  r.old = input.sizes()[d];
  r.step = step_of(r, args[3].as_double());
  // The last result reads something: so do all.
  const double cubic = args[4].as_bool() ? 2 : 1, size = static_cast<double>(r.size);
  const double least = (size - 0.5) * r.step - std::max(r.step, 1.0) * cubic + 0.5;
  if (!(r.step < 1e15) || !(std::trunc(least) < static_cast<double>(r.old))) return false;
  input = contiguous(input);
  const int64_t run = d == last ? 1 : input.sizes()[last];
  Dims sizes = input.sizes(), strides;
  sizes[d] = r.size;
  std::swap(sizes[d], sizes[last]);
  const Tensor out = Tensor::empty(sizes, input.dtype());
  if (input.dtype() == DType::F32)
    smooth_planes(r, args[4].as_bool(), run, input, out.data<float>());
  else smooth_planes(r, args[4].as_bool(), run, input, out.data<double>());
  strides = out.strides();
  std::swap(sizes[d], sizes[last]);
  std::swap(strides[d], strides[last]);
  results.emplace_back(Tensor::view_of(out, 0, sizes, strides));
  return true;
}

// ---------------------------------------------------------------------------- operators

// input, dim, size, scale, corners
bool run_resized_cubic(Values args, std::vector<IValue>& results) {
  return run_weighed(args[0].as_tensor(), args[1].as_int(),
                     {args[2].as_int(), 0, 0, args[4].as_bool()}, args[3].as_double(), true,
                     results);
}

// input, dim, size, scale, mode, corners
bool run_resized(Values args, std::vector<IValue>& results) {
  const Tensor input = args[0].as_tensor();
  const int64_t rank = input.rank(), dim = args[1].as_int(), size = args[2].as_int();
  const double scale = args[3].as_double();
  const std::string& mode = args[4].as_str();
  if (mode == "linear")
    return run_weighed(input, dim, {size, 0, 0, args[5].as_bool()}, scale, false, results);
  const bool nearest = mode == "nearest" || mode == "exact";
  if (!nearest || args[5].as_bool() || dim < 0 || dim >= rank || size < 1 || size >= 1 << 24)
    return false;
  const int64_t old = input.sizes()[static_cast<int>(dim)];
  if (!input.is_contiguous() || input.numel() == 0 || old >= 1 << 24) return false;
  const double step = scale > 0 ? 1 / scale : static_cast<double>(old) / static_cast<double>(size);
  if (!(step < 1e30)) return false;
  const std::vector<int64_t> indices =
      input.dtype() == DType::F64 ? nearest_indices<double>(size, old, step, mode == "exact")
                                  : nearest_indices<float>(size, old, step, mode == "exact");
  Dims sizes = input.sizes();
  sizes[static_cast<int>(dim)] = size;
  Tensor out = Tensor::empty(sizes, input.dtype());
  int64_t run = 1;
  for (int64_t k = dim + 1; k < rank; ++k) run *= input.sizes()[static_cast<int>(k)];
  with_size(input.dtype(), [&](auto element) {
    using E = decltype(element);
    const E* from = input.data<E>();
    E* to = out.data<E>();
    for (int64_t lines = input.numel() / (old * run); lines > 0; --lines, from += old * run) {
      if (run == 1) {
        for (int64_t index : indices) *to++ = from[index];
        continue;
      }
      for (int64_t index : indices) to = std::copy_n(from + index * run, run, to);
    }
  });
  results.emplace_back(out);
  return true;
}

[[maybe_unused]] const bool kRegistered = [] {
  add_native({"prim::resize_dim", &run_resized});
  add_native({"prim::resize_cubic", &run_resized_cubic});
  add_native({"prim::resize_smooth", &run_resized_smooth});
  return true;
}();

}  // namespace
}  // namespace fusillade
