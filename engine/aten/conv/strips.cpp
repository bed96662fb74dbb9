// See strips.h.
//
// The result is cut into strips, some rows of one image and group. What a strip reads is copied
// with the zeros around it; columns at a distance of one stride become adjacent, so that adjacent
// results always read adjacent elements. Filters are packed a share at a time that stays in the
// second-level cache, and each share is multiplied with all strips. Copies are kept where there are
// several shares; else each is created right before its only use.
#include "engine/aten/conv/strips.h"

#include <cstring>
#include <utility>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/tensor/filter.h"
#include "engine/tensor/memory_pool.h"

namespace fusillade {
namespace {

using Shape = ConvolutionShape;

constexpr int64_t kStripBytes = 256 << 10;  // of a copy
constexpr int64_t kShareBytes = 384 << 10;  // of packed filters
constexpr int64_t kAlone = 32;              // filters of a share at least
constexpr int64_t kFew = 4;                 // filters of a group, each by itself
constexpr int64_t kShortest = 27;  // products of a sum: shorter ones wait for what is written
constexpr int64_t kMostStride = 64;
constexpr double kMostCopied = 6;           // copies of the image, in all strips
constexpr double kSmall = 1 << 16;          // elements in addition to these
constexpr int64_t kWorthThreads = 1 << 20;  // products of numbers

// How copies of strips lie in memory. Along an axis, columns of the image with the same index
// modulo the stride are a phase.
template <class T>
class Strips {
 public:
  explicit Strips(const Shape& s) : s_(s) {
    phase_.assign(static_cast<size_t>(s.stride[2]), -1);
    for (int64_t x = 0; x < s.kernel[2]; ++x) {
      const int64_t rest = x * s.dilation[2] % s.stride[2];
      int64_t& phase = phase_[static_cast<size_t>(rest)];
      if (phase >= 0) continue;
      phase = phases();
      rests_.push_back(rest);
    }
    cut();
    find_offsets();
    find_rows();
  }

  int64_t count() const { return across_ * down_; }  // of an image
  int64_t size() const { return plane_ * s_.channels + kBeyond; }
  const std::vector<int64_t>& offsets() const { return offsets_; }
  // Of strip i: its first row and column, and how many.
  struct Strip {
    int64_t y, x, height, width;
  };
  Strip at(int64_t i) const {
    const int64_t down = i / across_, across = i % across_;
    const int64_t y = s_.out[1] * down / down_, x = s_.out[2] * across / across_;
    return {y, x, s_.out[1] * (down + 1) / down_ - y, s_.out[2] * (across + 1) / across_ - x};
  }
  // Where row y of a strip's results begins to read.
  int64_t row(int64_t y) const { return y * s_.stride[1] * row_; }

  // The copy for a strip of an image.
  void copy(const T* image, const Strip& strip, T* to) const {
    const int64_t rows = rows_of(strip.height), first = strip.y * s_.stride[1] - s_.before[1];
    const std::vector<Run> runs = runs_of(strip);
    const std::pair<int64_t, int64_t> next = read_of(strip);  // of the next channel, fetched ahead
    for (int64_t c = 0; c < s_.channels; ++c, image += s_.in_image(), to += plane_) {
      for (const int64_t r : rows_) {
        if (r >= rows) break;
        const int64_t y = first + r;
        if (y < 0 || y >= s_.in[1]) zeros(to + r * row_, row_);
        else {
          const T* line = image + y * s_.in[2];
          for (int64_t j = next.first; j < next.second; j += 64 / sizeof(T))
            __builtin_prefetch(line + s_.in_image() + j);
          copy_row(line, runs, to + r * row_);
        }
      }
    }
  }

 private:
  static constexpr int64_t kRun = 32 / sizeof(T), kBeyond = 64 / sizeof(T);

  int64_t phases() const { return static_cast<int64_t>(rests_.size()); }
  // Rows that so many rows of results read.
  int64_t rows_of(int64_t height) const {
    return (height - 1) * s_.stride[1] + (s_.kernel[1] - 1) * s_.dilation[1] + 1;
  }
  int64_t columns_of(int64_t width) const {
    return width + (s_.kernel[2] - 1) * s_.dilation[2] / s_.stride[2];
  }

  // As many columns as fit if there is one row, then as many rows.
  void cut() {
    const int64_t fit = std::max<int64_t>(kStripBytes / sizeof(T) / s_.channels, 1);
    const int64_t reach = columns_of(0) * phases();
    const int64_t wide = (fit / rows_of(1) - reach) / phases();
    across_ = pieces(s_.out[2], std::max<int64_t>(wide, 64));
    columns_ = columns_of((s_.out[2] + across_ - 1) / across_);
    row_ = columns_ * phases();
    const int64_t high = (fit / row_ - rows_of(0)) / s_.stride[1];
    down_ = pieces(s_.out[1], std::max<int64_t>(high, 1));
    // An odd number of cache lines, so that planes do not compete for the same cache sets.
    constexpr int64_t kLine = 64 / sizeof(T);
    plane_ = (rows_of((s_.out[1] + down_ - 1) / down_) * row_ + kLine - 1) / kLine;
    plane_ = (plane_ | 1) * kLine;
  }
  static int64_t pieces(int64_t n, int64_t most) { return (n + most - 1) / most; }

  void find_offsets() {
    offsets_.reserve(static_cast<size_t>(s_.channels * s_.taps()));
    for (int64_t c = 0; c < s_.channels; ++c) {
      for (int64_t y = 0; y < s_.kernel[1]; ++y) {
        for (int64_t x = 0; x < s_.kernel[2]; ++x) {
          const int64_t at = x * s_.dilation[2];
          const int64_t phase = phase_[static_cast<size_t>(at % s_.stride[2])];
          offsets_.push_back(c * plane_ + y * s_.dilation[1] * row_ + phase * columns_ +
                             at / s_.stride[2]);
        }
      }
    }
  }

  // Rows of a strip that an element of the kernel meets.
  void find_rows() {
    std::vector<bool> met(static_cast<size_t>(s_.stride[1]), false);
    for (int64_t y = 0; y < s_.kernel[1]; ++y)
      met[static_cast<size_t>(y * s_.dilation[1] % s_.stride[1])] = true;
    for (int64_t r = 0; r < rows_of((s_.out[1] + down_ - 1) / down_); ++r)
      if (met[static_cast<size_t>(r % s_.stride[1])]) rows_.push_back(r);
  }

  // Zeros are written in whole runs, beyond where they end: what lies there is written next.
  static void zeros(T* to, int64_t n) {
    constexpr T kZeros[kRun] = {};
    for (int64_t j = 0; j < n; j += kRun) std::memcpy(to + j, kZeros, sizeof kZeros);
  }
  static void elements(const T* from, int64_t n, T* to) {
    if (n < kRun) {
      for (int64_t j = 0; j < n; ++j) to[j] = from[j];
      return;
    }
    for (int64_t j = 0; j < n - kRun; j += kRun) std::memcpy(to + j, from + j, kRun * sizeof(T));
    std::memcpy(to + n - kRun, from + n - kRun, kRun * sizeof(T));
  }

  // Of a phase: zeros, then elements of an image's row from `from` at the stride, then zeros.
  struct Run {
    int64_t before, from, count, after;
  };
  // Columns of the image that a strip reads.
  std::pair<int64_t, int64_t> read_of(const Strip& strip) const {
    const int64_t first = strip.x * s_.stride[2] - s_.before[2];
    return {std::max<int64_t>(first, 0),
            std::min(first + columns_of(strip.width) * s_.stride[2], s_.in[2])};
  }
  std::vector<Run> runs_of(const Strip& strip) const {
    const int64_t columns = columns_of(strip.width), step = s_.stride[2];
    std::vector<Run> runs;
    for (const int64_t rest : rests_) {
      const int64_t offset = strip.x * step + rest - s_.before[2];
      const int64_t first = std::min(columns, offset >= 0 ? 0 : (-offset + step - 1) / step);
      const int64_t end = offset >= s_.in[2] ? 0 : (s_.in[2] - 1 - offset) / step + 1;
      const int64_t last = std::clamp(end, first, columns);
      runs.push_back({first, offset + first * step, last - first, columns - last});
    }
    return runs;
  }

  void copy_row(const T* line, const std::vector<Run>& runs, T* to) const {
    for (const Run& run : runs) {
      T* at = to;
      zeros(at, run.before);
      at += run.before;
      const T* from = line + run.from;
      if (s_.stride[2] == 1) elements(from, run.count, at);
      else if (s_.stride[2] == 2)  // in lanes
        for (int64_t j = 0; j < run.count; ++j) at[j] = from[j * 2];
      else
        for (int64_t j = 0; j < run.count; ++j) at[j] = from[j * s_.stride[2]];
      zeros(at + run.count, run.after);
      to += columns_;
    }
  }

  const Shape& s_;
  std::vector<int64_t> phase_, rests_, offsets_, rows_;  // phase of a rest, rest of a phase
  int64_t across_ = 1, down_ = 1;
  int64_t columns_ = 0, row_ = 0, plane_ = 0;
};

// One group's share of filters meets all strips of all images.
template <class T>
class Group {
 public:
  Group(const Shape& s, const FilterSums<T>& sums)
      : s_(s), sums_(sums), strips_(s), k_(s.channels * s.taps()) {
    const int64_t fit = kShareBytes / static_cast<int64_t>(sizeof(T)) / k_ / kAlone * kAlone;
    share_ = std::min(s.filters, std::max(fit, kAlone));
    kept_ = share_ < s.filters;
    packed_.resize(static_cast<size_t>(sums.packed_size(share_) * k_));
    if (kept_) copies_.resize(static_cast<size_t>(all() * strips_.size()));
  }

  // Of group g.
  void run(int64_t g, const T* in, const T* weight, const T* bias, T* out) {
    in_ = in + g * s_.channels * s_.in_image();
    if (kept_) over_strips([&](int64_t i, T*) { copy(i, strip_copy(i)); });
    for (int64_t f = 0; f < s_.filters; f += share_) {
      const int64_t count = std::min(share_, s_.filters - f), first = g * s_.filters + f;
      sums_.pack(weight + first * k_, count, k_, packed_.data());
      over_strips([&](int64_t i, T* memory) {
        if (kept_) memory = strip_copy(i);
        else copy(i, memory);
        meet(i, memory, count, bias ? bias + first : nullptr, out + first * s_.out_image());
      });
    }
  }

 private:
  int64_t all() const { return s_.images * strips_.count(); }
  T* strip_copy(int64_t i) { return copies_.data() + i * strips_.size(); }

  void copy(int64_t i, T* to) const {
    const int64_t image = i / strips_.count() * s_.groups * s_.channels * s_.in_image();
    strips_.copy(in_ + image, strips_.at(i % strips_.count()), to);
  }

  // out: of the share's first filter, of the first image.
  void meet(int64_t i, const T* from, int64_t count, const T* bias, T* out) const {
    const auto strip = strips_.at(i % strips_.count());
    out += i / strips_.count() * s_.groups * s_.filters * s_.out_image();
    for (int64_t y = 0; y < strip.height; ++y)
      sums_.row(count, k_, packed_.data(), from + strips_.row(y), strips_.offsets().data(),
                strip.width, bias, out + (strip.y + y) * s_.out[2] + strip.x, s_.out_image());
  }

  // f(strip, memory for its copy), on threads where they are worth it.
  template <class F>
  void over_strips(F f) {
    const int64_t each = k_ * share_ * s_.out_image() / strips_.count();
    parallel(all(), std::max<int64_t>(kWorthThreads / std::max<int64_t>(each, 1), 1),
             [&](int64_t begin, int64_t end) {
               Scratch<T> memory(static_cast<size_t>(kept_ ? 0 : strips_.size()));
               for (int64_t i = begin; i < end; ++i) f(i, memory.data());
             });
  }

  const Shape& s_;
  const FilterSums<T>& sums_;
  const Strips<T> strips_;
  const int64_t k_;
  int64_t share_;
  bool kept_;
  const T* in_ = nullptr;
  Scratch<T> packed_, copies_;
};

// Lanes that hold no filter cost as much as others. Kernels of one element need no columns: a
// product reads large images where they lie, and small ones are too few columns for its tiles.
template <class T>
bool is_worth(const Shape& s, const FilterSums<T>& sums) {
  if (s.channels * s.taps() < kShortest) return false;
  if (s.filters * 3 < sums.packed_size(s.filters) * 2) return false;
  return !s.is_plain() || (s.out_image() >= 32 && s.out_image() <= 256);
}

// Each filter by itself, of groups of so few that most lanes would hold none.
template <class T>
void convolve_one_by_one(const Shape& s, const FilterSums<T>& sums, const T* in, const T* weight,
                         const T* bias, T* out) {
  const Strips<T> strips(s);
  const int64_t k = s.channels * s.taps(), each = k * s.filters * s.out_image() / strips.count();
  parallel(s.images * s.groups * strips.count(),
           std::max<int64_t>(kWorthThreads / std::max<int64_t>(each, 1), 1),
           [&](int64_t begin, int64_t end) {
             Scratch<T> memory(static_cast<size_t>(strips.size()));
             for (int64_t i = begin; i < end; ++i) {
               const int64_t share = i / strips.count(), first = share % s.groups * s.filters;
               const auto strip = strips.at(i % strips.count());
               strips.copy(in + share * s.channels * s.in_image(), strip, memory.data());
               T* to = out + share * s.filters * s.out_image() + strip.y * s.out[2] + strip.x;
               for (int64_t f = 0; f < s.filters; ++f, to += s.out_image())
                 sums.plane(k, weight + (first + f) * k, memory.data(), strips.offsets().data(),
                            strip.height, strips.row(1), strip.width, bias ? bias[first + f] : T(0),
                            to, s.out[2]);
             }
           });
}

// Where the elements that a result reads are far from each other, each strip reads far more than it
// gives: strips would copy the image over and over.
template <class T>
bool copies_little(const Shape& s) {
  constexpr int64_t kCompact = 5;
  const auto is_compact = [&](int d) { return s.dilation[d] == 1 && s.kernel[d] <= kCompact; };
  if (is_compact(1) && is_compact(2) && s.stride[1] <= kCompact && s.stride[2] <= kCompact)
    return true;
  const auto image = static_cast<double>(s.channels) * static_cast<double>(s.in_image());
  const auto reach = [&](int d) { return static_cast<double>(s.kernel[d] - 1) * s.dilation[d]; };
  const double most = kMostCopied * image + kSmall;
  if (s.stride[1] > kMostStride || s.stride[2] > kMostStride) return false;
  if (reach(1) * reach(2) * static_cast<double>(s.channels) > most) return false;
  if (reach(1) > most || reach(2) > most) return false;
  const Strips<T> strips(s);
  return static_cast<double>(strips.count()) * static_cast<double>(strips.size()) <= most;
}

// A kernel of one element: an image is one row.
Shape in_one_row(Shape s) {
  s.in[2] = s.out[2] = s.in_image();
  s.in[1] = s.out[1] = 1;
  return s;
}

}  // namespace

template <class T>
bool convolve_in_strips(const ConvolutionShape& given, const T* in, const T* weight, const T* bias,
                        T* out) {
  const FilterSums<T>* sums = filter_sums<T>();
  if (!sums || !given.is_flat() || !copies_little<T>(given)) return false;
  if (given.filters <= kFew && given.channels * given.taps() <= sums->most) {
    convolve_one_by_one(given, *sums, in, weight, bias, out);
    return true;
  }
  if (!is_worth(given, *sums)) return false;
  const Shape s = given.is_plain() ? in_one_row(given) : given;
  Group<T> group(s, *sums);
  for (int64_t g = 0; g < s.groups; ++g) group.run(g, in, weight, bias, out);
  return true;
}
template bool convolve_in_strips(const ConvolutionShape&, const float*, const float*, const float*,
                                 float*);
template bool convolve_in_strips(const ConvolutionShape&, const double*, const double*,
                                 const double*, double*);

}  // namespace fusillade
