// Resizing one dimension natively: where each result reads, and what each place weighs, is found
// once, and lines are made by it.
//
// Places are computed as the body does, in float32 but for doubles, and sums are taken in its
// order, so results are equal bit by bit.
#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/ops/index.h"
#include "engine/ops/native.h"
#include "engine/ops/view.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

constexpr int64_t kPiece = 1 << 15;  // elements that are worth a thread's while

// Element i of the result is element places[i] of `old` ones.
template <class T>
std::vector<int64_t> places_of(int64_t size, int64_t old, double step, bool centred) {
  std::vector<int64_t> out(static_cast<size_t>(size));
  const T half = centred ? T(0.5) : T(0), each = static_cast<T>(step);
  for (int64_t i = 0; i < size; ++i) {
    const T place = std::floor((static_cast<T>(i) + half) * each);
    out[static_cast<size_t>(i)] =
        static_cast<int64_t>(std::clamp(place, T(0), static_cast<T>(old - 1)));
  }
  return out;
}

// ---------------------------------------------------------------------------- weighed places

// Element i of the result is the sum of elements place[k][i] times share[k][i], k in order.
template <class T>
struct Taps {
  size_t count;
  bool from_zero;  // the sum begins with 0
  std::vector<int64_t> place[4];
  std::vector<T> share[4];
};

struct Resizing {
  int64_t size, old;
  double step;  // between neighbours of the result
  bool corners;
};

template <class T>
T cubic_share(T x) {
  const T near = (T(1.25) * x - T(2.25)) * x * x + 1;
  const T far = ((T(-0.75) * x + T(3.75)) * x - 6) * x + 3;
  return x <= 1 ? near : far;
}

// P: the type that places are computed in.
template <class T, class P>
Taps<T> taps_of(const Resizing& r, bool cubic) {
  Taps<T> taps{cubic ? size_t{4} : size_t{2}, cubic, {}, {}};
  const P step = static_cast<P>(r.step), last = static_cast<P>(r.old - 1);
  for (int64_t i = 0; i < r.size; ++i) {
    P at = static_cast<P>(i);
    at = r.corners ? at * step : (at + P(0.5)) * step - P(0.5);
    if (!cubic && !r.corners) at = std::max(at, P(0));
    const P low = cubic ? std::floor(at) : std::clamp(std::floor(at), P(0), last);
    for (size_t k = 0; k < taps.count; ++k) {
      const P place = low + static_cast<P>(k) - P(cubic);
      taps.place[k].push_back(static_cast<int64_t>(std::clamp(place, P(0), last)));
      const P apart = at - low - (static_cast<P>(k) - 1);
      if (cubic) taps.share[k].push_back(static_cast<T>(cubic_share(std::abs(apart))));
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
      line[k] = from + taps.place[k][static_cast<size_t>(i)] * run;
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
  const double size = static_cast<double>(r.size), old = static_cast<double>(r.old);
  if (r.corners) r.step = r.size > 1 ? (old - 1) / (size - 1) : 0.0;
  else r.step = scale > 0 ? 1 / scale : old / size;
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
  const std::vector<int64_t> places = input.dtype() == DType::F64
                                          ? places_of<double>(size, old, step, mode == "exact")
                                          : places_of<float>(size, old, step, mode == "exact");
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
        for (int64_t place : places) *to++ = from[place];
        continue;
      }
      for (int64_t place : places) to = std::copy_n(from + place * run, run, to);
    }
  });
  results.emplace_back(out);
  return true;
}

[[maybe_unused]] const bool kRegistered = [] {
  add_native({"prim::resized", &run_resized});
  add_native({"prim::resized_cubic", &run_resized_cubic});
  return true;
}();

}  // namespace
}  // namespace fusillade
