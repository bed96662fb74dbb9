// See fold.h. Accumulators of stretches that wait for their pair are kept in a stack, like the
// digits of a binary counter.
#include "engine/ops/fold.h"

#include <algorithm>

#include "engine/tensor/block.h"

namespace fusillade {
namespace {

template <class T>
constexpr bool holds(DType dtype) {
  if (std::is_same_v<T, float> || std::is_same_v<T, uint32_t>) return dtype == DType::F32;
  if (std::is_same_v<T, double> || std::is_same_v<T, uint64_t>) return dtype == DType::F64;
  return dtype == DType::I64;
}

const uint8_t* address(const Lines& in, int64_t i) {
  int64_t at = in.offsets ? in.offsets[i] : i * in.step;
  return in.memory + at * static_cast<int64_t>(size_of(in.dtype));
}

// The accumulators, each of `width` numbers, of stretches combined so far.
template <class T>
class Counter {
 public:
  // The accumulators are stored in `stack`, which grows on demand.
  Counter(NativeLoop combine, int64_t n, int64_t width, std::vector<T>& stack)
      : combine_(combine),
        width_(width),
        all_(static_cast<size_t>(std::min(n, kWays) * width)),
        stack_(stack) {}

  // Room for the accumulators of the next stretch.
  T* next() {
    if (stack_.size() < all_ * (depth_ + 1)) stack_.resize(all_ * (depth_ + 1));
    return stack_.data() + all_ * depth_;
  }
  // They are filled, the first `ways` of them: fewer than all only in the last stretch.
  void push(int64_t ways) {
    ++depth_;
    ways_ = ways;
    for (int64_t s = stretches_++; s & 1; s >>= 1) join();
  }
  // All together.
  T* total() {
    while (depth_ > 1) join();
    return stack_.data();
  }

 private:
  void join() {
    T* later = stack_.data() + all_ * --depth_;
    T* earlier = later - all_;
    const void* in[2] = {earlier, later};
    combine_(in, earlier, ways_ * width_);
    ways_ = kWays;
  }

  NativeLoop combine_;
  int64_t width_;
  size_t all_;  // numbers of one stretch
  std::vector<T>& stack_;
  size_t depth_ = 0;
  int64_t stretches_ = 0;
  int64_t ways_ = 0;  // of the uppermost
};

// How many iterations ahead to prefetch: hardware does not predict row pieces that are far apart.
constexpr int64_t kAhead = 8, kCacheLine = 64;

void prefetch(const uint8_t* from, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += kCacheLine) __builtin_prefetch(from + i);
}

// A stretch of lines side by side.
template <class T>
void across(const Lines& in, int64_t first, int64_t n, NativeLoop combine, T* acc) {
  T brought[kFoldLines];
  bool direct = holds<T>(in.dtype) && in.side == 1;
  if (direct && !in.offsets && in.step == in.lines && n >= kWays) {
    // Elements without gaps: those of all accumulators are one run.
    const int64_t run = kWays * in.lines;
    const T* from = reinterpret_cast<const T*>(address(in, first));
    std::copy_n(from, run, acc);
    for (int64_t i = kWays; i < n; i += kWays) {
      const void* pair[2] = {acc, from + i * in.lines};
      combine(pair, acc, std::min(run, (n - i) * in.lines));
    }
    return;
  }
  const int64_t bytes = in.side == 1 ? in.lines * static_cast<int64_t>(size_of(in.dtype)) : 0;
  for (int64_t i = 0; i < n; ++i) {
    T* to = acc + i % kWays * in.lines;
    const uint8_t* from = address(in, first + i);
    if (i + kAhead < n) prefetch(address(in, first + i + kAhead), bytes);
    if (i < kWays) {
      load_block<T>(in.dtype, from, in.side, in.lines, to);
      continue;
    }
    if (!direct) load_block<T>(in.dtype, from, in.side, in.lines, brought);
    const void* pair[2] = {to, direct ? static_cast<const void*>(from) : brought};
    combine(pair, to, in.lines);
  }
}

}  // namespace

template <class T>
void fold_lines(const Lines& in, NativeLoop combine, std::vector<T>& room, T* out) {
  Counter<T> counter(combine, in.n, in.lines, room);
  for (int64_t i = 0; i < in.n; i += kStretch) {
    int64_t n = std::min(kStretch, in.n - i);
    across(in, i, n, combine, counter.next());
    counter.push(std::min(n, kWays));
  }
  T* acc = counter.total();
  for (int64_t m = std::min(in.n, kWays); m > 1; m = m / 2 + m % 2) {
    int64_t half = m / 2;
    const void* pair[2] = {acc, acc + half * in.lines};
    combine(pair, acc, half * in.lines);
    if (m % 2) std::copy_n(acc + (m - 1) * in.lines, in.lines, acc + half * in.lines);
  }
  std::copy_n(acc, in.lines, out);
}

// n elements from the i-th on, which lie in runs, in one piece: where they lie, or brought
// together.
template <class T>
const void* gather(const Lines& in, int64_t i, int64_t n, T* brought) {
  auto place = [&](int64_t k) {
    const int64_t at = in.offsets[k / in.run] + k % in.run;
    return in.memory + at * static_cast<int64_t>(size_of(in.dtype));
  };
  if (holds<T>(in.dtype) && i % in.run + n <= in.run) return place(i);
  T* to = brought;
  for (int64_t end = i + n; i < end;) {
    const int64_t piece = std::min(in.run - i % in.run, end - i);
    load_block<T>(in.dtype, place(i), 1, piece, to);
    to += piece;
    i += piece;
  }
  return brought;
}

template <class T>
T fold_line(const Lines& in, NativeLoop combine, const Fold& fold) {
  int domain = std::is_unsigned_v<T>;
  Model model = std::is_same_v<T, int64_t> ? Model::I64 : sizeof(T) == 4 ? Model::F32 : Model::F64;
  auto* stretch = fold.stretch[domain][static_cast<int>(model)];
  bool direct = holds<T>(in.dtype);
  T brought[kStretch];
  auto read = [&](int64_t i, int64_t n, T* acc) {
    if (in.run > 1) return stretch(gather(in, i, n, brought), n, acc);
    const void* from = address(in, i);
    if (!direct) load_block<T>(in.dtype, from, 1, n, brought);
    stretch(direct ? from : brought, n, acc);
  };
  T single[kWays];
  T* acc = single;
  std::vector<T> stack;
  Counter<T> counter(combine, in.n, 1, stack);
  if (in.n <= kStretch) {
    read(0, in.n, single);
  } else {
    for (int64_t i = 0; i < in.n; i += kStretch) {
      int64_t n = std::min(kStretch, in.n - i);
      read(i, n, counter.next());
      counter.push(std::min(n, kWays));
    }
    acc = counter.total();
  }
  fold.halve[domain][static_cast<int>(model)](acc, std::min(in.n, kWays));
  return acc[0];
}

#define FUS_INSTANTIATE(T)                                                    \
  template void fold_lines<T>(const Lines&, NativeLoop, std::vector<T>&, T*); \
  template T fold_line<T>(const Lines&, NativeLoop, const Fold&);
FUS_INSTANTIATE(float)
FUS_INSTANTIATE(double)
FUS_INSTANTIATE(int64_t)
FUS_INSTANTIATE(uint32_t)
FUS_INSTANTIATE(uint64_t)
#undef FUS_INSTANTIATE

}  // namespace fusillade
