// Operators over lines of elements natively: running products and extremes, positions in sorted
// lines, sets, distances between rows, means of bags of rows, elements that are not zero.
//
// Results are the bodies' bit by bit but for distances, whose sums are taken in another order.
// Contiguous elements of four or eight bytes; what else there is, is the body's.
#include "engine/ops/native.h"

#include <algorithm>
#include <cmath>

#include "engine/aten/scan/lines.h"
#include "engine/aten/sort/order.h"
#include "engine/ops/formula.h"
#include "engine/tensor/block.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

// f with a pointer to the elements, if they are computed as they are stored.
template <class F>
bool with_elements(const Tensor& t, F f) {
  switch (t.dtype()) {
    case DType::F32:
      f(t.data<float>());
      return true;
    case DType::F64:
      f(t.data<double>());
      return true;
    case DType::I64:
      f(t.data<int64_t>());
      return true;
    default:
      return false;
  }
}

bool is_plain(const Tensor& t) {
  bool stored = t.dtype() == DType::F32 || t.dtype() == DType::F64 || t.dtype() == DType::I64;
  return stored && t.is_contiguous() && t.numel() > 0;
}

// A tensor as outer x length x step elements, along one dimension.
struct Along {
  int64_t outer = 1, length = 1, step = 1;
  Along(const Dims& sizes, int d) {
    for (int k = 0; k < d; ++k) outer *= sizes[k];
    length = sizes[d];
    for (int k = d + 1; k < sizes.rank(); ++k) step *= sizes[k];
  }
};

bool has_dim(const Tensor& t, int64_t dim) { return dim >= -t.rank() && dim < t.rank(); }

template <class T>
T product(T a, T b) {
  if constexpr (std::is_same_v<T, int64_t>)
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else return a * b;
}

bool run_cumprod(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  const bool suits = is_float(self.dtype()) || self.dtype() == DType::I64;
  if (!suits || self.numel() == 0 || !has_dim(self, args[1].as_int()) || !args[2].is_none())
    return false;
  results.emplace_back(scan_lines(self, self.dtype(), wrap_dim(args[1].as_int(), self.rank()),
                                  [](auto a, auto b) { return product(a, b); }));
  return true;
}

// Lines side by side, so that a register takes a step of several; in doubles, rounded at the end.
bool run_logcumsumexp(Values args, std::vector<IValue>& results) {
  constexpr auto kJoin = [](auto a, auto b) {
    using N = decltype(a);
    const auto larger = select(a != a, a, select(b != b, b, select(a < b, b, a)));
    const auto sum = larger + log1p(exp(-abs(a - b)));
    return select((a == b) & (abs(a) == N(INFINITY)), larger, sum);
  };
  constexpr int64_t kSide = 32;
  Tensor self = args[0].as_tensor();
  if (self.rank() == 0 || !has_dim(self, args[1].as_int()) || self.numel() == 0 ||
      !is_float(self.dtype()))
    return false;
  self = contiguous(self);
  const Along along(self.sizes(), wrap_dim(args[1].as_int(), self.rank()));
  const DType dtype = self.dtype();
  const int64_t size = static_cast<int64_t>(size_of(dtype));
  // The stride between lines is 1, or their length where their own elements are adjacent.
  const int64_t stride = along.step == 1 ? along.length : 1;
  const int64_t outer = along.step == 1 ? 1 : along.outer;
  const int64_t lines = along.step == 1 ? along.outer : along.step;
  Tensor out = Tensor::empty(self.sizes(), dtype);
  double running[kSide], next[kSide];
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t k = 0; k < lines; k += kSide) {
      const int64_t n = std::min(kSide, lines - k);
      for (int64_t i = 0; i < along.length; ++i) {
        const int64_t at = (o * along.length * along.step + k * stride + i * along.step) * size;
        load_block<double>(dtype, self.raw() + at, stride, n, i ? next : running);
        const void* in[2] = {running, next};
        if (i) formula::lanes_loop<2, Lanes<double>, double, decltype(kJoin)>(in, running, n);
        store_block<double>(dtype, out.raw() + at, stride, n, running);
      }
    }
  }
  results.emplace_back(out);
  return true;
}

// self, dim, largest: of equal elements the later one, and after a NaN nothing else.
bool run_running_extreme(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  if (!is_plain(self) || !has_dim(self, args[1].as_int())) return false;
  Along along(self.sizes(), wrap_dim(args[1].as_int(), self.rank()));
  bool largest = args[2].as_bool();
  Tensor values = Tensor::empty(self.sizes(), self.dtype());
  Tensor indices = Tensor::empty(self.sizes(), DType::I64);
  results.emplace_back(values);
  results.emplace_back(indices);
  return with_elements(self, [&](auto* from) {
    using T = std::remove_pointer_t<decltype(from)>;
    T* to = values.data<T>();
    int64_t* index = indices.data<int64_t>();
    auto newer = [&](T item, T best) {
      return (item != item) | ((largest ? item >= best : item <= best) & (best == best));
    };
    for (int64_t o = 0; o < along.outer; ++o) {
      if (along.step == 1) {
        T best = from[0];
        int64_t at = 0;
        for (int64_t i = 0; i < along.length; ++i) {
          bool is_newer = newer(from[i], best);
          to[i] = best = is_newer ? from[i] : best;
          index[i] = at = is_newer ? i : at;
        }
        to += along.length, from += along.length, index += along.length;
        continue;
      }
      for (int64_t i = 0; i < along.length; ++i) {
        for (int64_t k = 0; k < along.step; ++k) {
          bool is_newer = i == 0 || newer(from[k], to[k - along.step]);
          to[k] = is_newer ? from[k] : to[k - along.step];
          index[k] = is_newer ? i : index[k - along.step];
        }
        to += along.step, from += along.step, index += along.step;
      }
    }
  });
}

std::vector<uint64_t> keys_of(const Tensor& t) {
  std::vector<uint64_t> keys(static_cast<size_t>(t.numel()));
  load_keys(t.dtype(), t.raw(), 1, t.numel(), keys.data());
  return keys;
}

// Where a value belongs among n ascending elements, by the halves that the body takes: of a line
// that does not ascend, too, and of one with NaNs. Without branches.
template <class T>
int64_t index_in(const T* line, int64_t n, T value, bool right) {
  const T* first = line;
  while (n > 0) {
    int64_t half = n / 2;
    bool after = right ? !(first[half] > value) : !(first[half] >= value);
    first = after ? first + half + 1 : first;
    n = after ? n - half - 1 : half;
  }
  return first - line;
}

template <class T>
bool ascends(const T* line, int64_t n) {
  for (int64_t i = 0; i + 1 < n; ++i)
    if (!(line[i] <= line[i + 1])) return false;
  return n == 1 ? line[0] == line[0] : true;
}

// The same of one that ascends, n >= 1: in as many steps whatever the value, so that none is
// guessed wrong.
template <class T>
int64_t index_in_sorted(const T* line, int64_t n, T value, bool right) {
  const T* first = line;
  const auto is_after = [&](T at) { return right ? !(at > value) : !(at >= value); };
  while (n > 1) {
    const int64_t half = n / 2;
    first += is_after(first[half - 1]) ? half : 0;
    n -= half;
  }
  return first - line + is_after(*first);
}

// sorted_sequence, self, out_int32, right, side, sorter.
bool run_searchsorted(Values args, std::vector<IValue>& results) {
  Tensor line = args[0].as_tensor(), self = args[1].as_tensor();
  bool plain = is_plain(line) && line.dtype() == self.dtype() && self.is_contiguous();
  if (!plain || !args[4].is_none() || !args[5].is_none() || line.rank() == 0) return false;
  int64_t length = line.sizes().back(), lines = line.numel() / length;
  if (lines > 1 || line.rank() > 1) {
    if (self.rank() != line.rank() || self.numel() == 0) return false;
    for (int d = 0; d + 1 < line.rank(); ++d) {
      if (self.sizes()[d] != line.sizes()[d]) return false;
    }
  }
  bool narrow = args[2].as_bool(), right = args[3].as_bool();
  Tensor out = Tensor::empty(self.sizes(), narrow ? DType::I32 : DType::I64);
  int64_t share = std::max<int64_t>(self.numel() / lines, 1);
  with_elements(line, [&](auto* elements) {
    auto* wanted = self.data<std::remove_const_t<std::remove_pointer_t<decltype(elements)>>>();
    const auto go = [&](auto* to) {
      using To = std::remove_pointer_t<decltype(to)>;
      const int64_t n = self.numel();
      for (int64_t i = 0; i < n; i += share, elements += length) {
        const bool sorted = share > length && ascends(elements, length);
        for (int64_t j = i; j < i + share; ++j)
          to[j] = static_cast<To>(sorted ? index_in_sorted(elements, length, wanted[j], right)
                                         : index_in(elements, length, wanted[j], right));
      }
    };
    if (narrow) go(out.data<int32_t>());
    else go(out.data<int64_t>());
  });
  results.emplace_back(out);
  return true;
}

// sqrt of the sum of squares, or the sum of sizes, several rows of the second matrix at once.
template <bool Squares, class T>
void distances(const T* a, const T* turned, int64_t columns, int64_t rows, T* out) {
  std::fill_n(out, rows, T(0));
  for (int64_t k = 0; k < columns; ++k) {
    const T* line = turned + k * rows;
    for (int64_t j = 0; j < rows; ++j) {
      T difference = a[k] - line[j];
      out[j] += Squares ? difference * difference : std::abs(difference);
    }
  }
  for (int64_t j = 0; Squares && j < rows; ++j) out[j] = std::sqrt(out[j]);
}

// x1, x2, p, compute_mode: two matrices, p of 1 or 2.
bool run_cdist(Values args, std::vector<IValue>& results) {
  Tensor a = args[0].as_tensor(), b = args[1].as_tensor();
  bool matrices = a.rank() == 2 && b.rank() == 2 && a.sizes()[1] == b.sizes()[1];
  if (!matrices || !is_plain(a) || !is_plain(b) || a.dtype() != b.dtype() ||
      a.dtype() == DType::I64 || (args[2].as_double() != 1 && args[2].as_double() != 2))
    return false;
  int64_t m = a.sizes()[0], n = b.sizes()[0], k = a.sizes()[1];
  Tensor turned = contiguous(Tensor::view_of(b, b.offset(), Dims{k, n}, Dims{1, k}));
  Tensor out = Tensor::empty(Dims{m, n}, a.dtype());
  results.emplace_back(out);
  return with_elements(a, [&](auto* from) {
    using T = std::remove_pointer_t<decltype(from)>;
    if constexpr (!std::is_same_v<T, int64_t>) {
      T* to = out.data<T>();
      for (int64_t i = 0; i < m; ++i, from += k, to += n) {
        if (args[2].as_double() == 1) distances<false>(from, turned.data<T>(), k, n, to);
        else distances<true>(from, turned.data<T>(), k, n, to);
      }
    }
  });
}

// Where each bag ends among n indices; false unless they begin with 0 and follow each other.
bool bags_of(const Tensor& offsets, int64_t n, std::vector<int64_t>& ends) {
  const int64_t* start = offsets.data<int64_t>();
  int64_t count = offsets.numel();
  if (count == 0 || start[0] != 0) return false;
  for (int64_t i = 1; i <= count; ++i) {
    ends.push_back(i < count ? start[i] : n);
    if (ends.back() < start[i - 1]) return false;
  }
  return true;
}

// Sums of each bag's rows, or their means.
template <class T>
bool add_bags(const Tensor& weight, const int64_t* indices, const std::vector<int64_t>& bags,
              bool mean, T* to) {
  constexpr int64_t kTogether = 32;  // columns, whose sums stay in registers
  const int64_t rows = weight.sizes()[0], width = weight.sizes()[1];
  const T* from = weight.data<T>();
  int64_t first = 0;
  for (int64_t end : bags) {
    for (int64_t i = first; i < end; ++i)
      if (indices[i] < 0 || indices[i] >= rows) return false;
    int64_t k = 0;
    for (; k + kTogether <= width; k += kTogether) {
      T sums[kTogether] = {};
      for (int64_t i = first; i < end; ++i)
        for (int64_t j = 0; j < kTogether; ++j) sums[j] += from[indices[i] * width + k + j];
      std::copy_n(sums, kTogether, to + k);
    }
    std::fill(to + k, to + width, T(0));
    for (int64_t i = first; i < end; ++i)
      for (int64_t j = k; j < width; ++j) to[j] += from[indices[i] * width + j];
    const T count = static_cast<T>(std::max<int64_t>(end - first, 1));
    for (int64_t j = 0; mean && j < width; ++j) to[j] /= count;
    to += width;
    first = end;
  }
  return true;
}

// The largest of each bag's rows, and which index it came from; false where an index is none, or an
// element no number.
template <class T>
bool top_bags(const Tensor& weight, const int64_t* indices, const std::vector<int64_t>& bags, T* to,
              int64_t* best) {
  const int64_t width = weight.sizes()[1];
  int64_t i = 0;
  for (int64_t end : bags) {
    const int64_t first = i;
    for (; i < end; ++i) {
      if (indices[i] < 0 || indices[i] >= weight.sizes()[0]) return false;
      const T* row = weight.data<T>() + indices[i] * width;
      for (int64_t k = 0; k < width; ++k) {
        if (row[k] != row[k]) return false;
        if (i > first && row[k] <= to[k]) continue;
        to[k] = row[k];
        best[k] = indices[i];
      }
    }
    if (end == first) std::fill_n(to, width, T(0)), std::fill_n(best, width, int64_t{0});
    to += width, best += width;
  }
  return true;
}

// weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights,
// include_last_offset, padding_idx: means and their counts, sums, or
// the largest.
bool run_embedding_bag(Values args, std::vector<IValue>& results) {
  Tensor weight = args[0].as_tensor(), indices = args[1].as_tensor(), offsets = args[2].as_tensor();
  bool numbers = indices.dtype() == DType::I64 && offsets.dtype() == DType::I64 &&
                 indices.is_contiguous() && offsets.is_contiguous() && indices.rank() == 1 &&
                 offsets.rank() == 1;
  bool suits = numbers && is_plain(weight) && weight.rank() == 2 && weight.dtype() != DType::I64 &&
               args[4].as_int() >= 0 && args[4].as_int() <= 2 && args[6].is_none() &&
               !args[7].as_bool() && args[8].is_none();
  std::vector<int64_t> bags;
  if (!suits || !bags_of(offsets, indices.numel(), bags)) return false;
  int64_t count = offsets.numel();
  Tensor out = Tensor::empty(Dims{count, weight.sizes()[1]}, weight.dtype());
  const int64_t* at = indices.data<int64_t>();
  const bool mean = args[4].as_int() == 1, floats = weight.dtype() == DType::F32;
  const bool most = args[4].as_int() == 2;
  Tensor best = most ? Tensor::zeros(out.sizes(), DType::I64) : Tensor();
  bool good;
  if (most)
    good = floats ? top_bags(weight, at, bags, out.data<float>(), best.data<int64_t>())
                  : top_bags(weight, at, bags, out.data<double>(), best.data<int64_t>());
  else
    good = floats ? add_bags(weight, at, bags, mean, out.data<float>())
                  : add_bags(weight, at, bags, mean, out.data<double>());
  if (!good) return false;
  if (!mean && !most && floats) {
    const Tensor none = Tensor::zeros(Dims{count}, DType::I64);
    results.insert(results.end(), {IValue(out), IValue(Tensor::empty(Dims{0}, DType::I64)),
                                   IValue(none), IValue(contiguous(none, true))});
    return true;
  }
  Tensor bag = Tensor::empty(indices.sizes(), DType::I64);
  Tensor sizes = Tensor::empty(Dims{count}, DType::I64);
  for (int64_t b = 0, i = 0; b < count; ++b) {
    int64_t end = bags[static_cast<size_t>(b)];
    sizes.data<int64_t>()[b] = mean || most ? end - i : 0;
    for (; i < end; ++i) bag.data<int64_t>()[i] = b;
  }
  Tensor again = most ? best : contiguous(sizes, true);
  results.insert(results.end(), {IValue(out), IValue(bag), IValue(sizes), IValue(again)});
  return true;
}

// How often each number occurs: adjacent ones have separate counts, so that none waits for the
// last.
void count_numbers(const int64_t* first, const int64_t* end, Tensor& counts) {
  constexpr int64_t kPartials = 4, kFew = 1 << 12;
  int64_t* to = counts.data<int64_t>();
  const int64_t n = counts.numel();
  if (n > kFew || end - first < n) {
    for (; first != end; ++first) ++to[*first];
    return;
  }
  std::vector<int64_t> partial_counts(static_cast<size_t>(kPartials * n));
  for (; first + kPartials <= end; first += kPartials)
    for (int64_t k = 0; k < kPartials; ++k) ++partial_counts[static_cast<size_t>(k * n + first[k])];
  for (; first != end; ++first) ++to[*first];
  for (size_t i = 0; i < partial_counts.size(); ++i)
    to[i % static_cast<size_t>(n)] += partial_counts[i];
}

// self, weights, minlength
bool run_bincount(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor(), weights;
  int64_t count = args[2].as_int();
  if (self.rank() != 1 || self.numel() == 0 || is_float(self.dtype()) ||
      self.dtype() == DType::Bool || count < 0)
    return false;
  if (!args[1].is_none()) weights = args[1].as_tensor();
  if (weights.is_defined() && !(weights.sizes() == self.sizes())) return false;
  self = self.dtype() == DType::I64 ? contiguous(self) : to_dtype(self, DType::I64);
  const int64_t *first = self.data<int64_t>(), *end = first + self.numel();
  int64_t least = *first, most = *first;
  for (const int64_t* at = first; at != end; ++at) {
    least = std::min(least, *at);
    most = std::max(most, *at);
  }
  if (least < 0 || most == INT64_MAX) return false;
  const bool floats = weights.is_defined() && weights.dtype() == DType::F32;
  const DType dtype = !weights.is_defined() ? DType::I64 : floats ? DType::F32 : DType::F64;
  Tensor out = Tensor::zeros(Dims{std::max(count, most + 1)}, dtype);
  results.emplace_back(out);
  if (!weights.is_defined()) {
    count_numbers(first, end, out);
    return true;
  }
  weights = weights.dtype() == dtype ? contiguous(weights) : to_dtype(weights, dtype);
  auto add = [&](auto* sums, const auto* each) {
    for (; first != end; ++first) sums[*first] += *each++;
  };
  if (floats) add(out.data<float>(), weights.data<float>());
  else add(out.data<double>(), weights.data<double>());
  return true;
}

// The indices of elements that are not 0: a row of numbers for each.
bool run_nonzero(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  if (self.rank() == 0 || !self.is_contiguous()) return false;
  if (self.dtype() != DType::Bool) self = to_dtype(self, DType::Bool);
  const uint8_t* element = self.raw();
  int64_t n = self.numel(), count = n - std::count(element, element + n, uint8_t{0});
  Tensor out = Tensor::empty(Dims{count, self.rank()}, DType::I64);
  int64_t* to = out.data<int64_t>();
  const int64_t* end = to + out.numel();
  Dims at(self.rank());
  int last = self.rank() - 1;
  int64_t line = self.sizes().back();
  for (int64_t i = 0; i < n; i += line) {
    // Written for every element, kept for those that count.
    for (int64_t j = 0; j < line && to != end; ++j) {
      for (int d = 0; d < last; ++d) to[d] = at[d];
      to[last] = j;
      to += element[i + j] != 0 ? last + 1 : 0;
    }
    for (int d = last - 1; d >= 0; --d) {
      if (++at[d] < self.sizes()[d]) break;
      at[d] = 0;
    }
  }
  results.emplace_back(out);
  return true;
}

// self, sorted, return_inverse, return_counts
bool run_unique(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  if (!is_plain(self)) return false;
  int64_t n = self.numel();
  std::vector<uint64_t> keys = keys_of(self);
  std::vector<Ranked> order;
  sort_keys(self.dtype(), keys.data(), n, false, order);
  // NaNs are equal to no other.
  uint64_t nan = key_bits(self.dtype()) == 64 ? ~uint64_t{0} : (uint64_t{1} << 32) - 1;
  if (is_float(self.dtype()) && order.back().key == nan) return false;
  std::vector<int64_t> starts;
  bool counts = args[3].as_bool(), inverts = args[2].as_bool() || counts;
  Tensor inverse = Tensor::empty(inverts ? self.sizes() : Dims{0}, DType::I64);
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || order[i].key != order[i - 1].key) starts.push_back(static_cast<int64_t>(i));
    if (inverts) inverse.data<int64_t>()[order[i].index] = static_cast<int64_t>(starts.size()) - 1;
  }
  int64_t groups = static_cast<int64_t>(starts.size());
  Tensor values = Tensor::empty(Dims{groups}, self.dtype());
  with_elements(self, [&](auto* from) {
    auto* to = values.data<std::remove_pointer_t<decltype(from)>>();
    for (int64_t start : starts) *to++ = from[order[static_cast<size_t>(start)].index];
  });
  Tensor sizes = Tensor::empty(Dims{counts ? groups : 0}, DType::I64);
  starts.push_back(n);
  for (int64_t i = 0; i < sizes.numel(); ++i) {
    size_t at = static_cast<size_t>(i);
    sizes.data<int64_t>()[i] = starts[at + 1] - starts[at];
  }
  results.insert(results.end(), {IValue(values), IValue(inverse), IValue(sizes)});
  return true;
}

// self, return_inverse, return_counts, dim: of all elements, in the order they lie.
bool run_unique_consecutive(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  const bool flat = args[3].is_none() || (args[3].as_int() == 0 && self.rank() == 1);
  if (!flat || !is_plain(self)) return false;
  const bool inverts = args[1].as_bool(), counts = args[2].as_bool();
  const int64_t n = self.numel();
  Tensor values, inverse = Tensor::empty(inverts ? self.sizes() : Dims{0}, DType::I64), sizes;
  with_elements(self, [&](auto* from) {
    int64_t groups = 1;
    for (int64_t i = 1; i < n; ++i) groups += from[i] != from[i - 1];
    values = Tensor::empty(Dims{groups}, self.dtype());
    sizes = Tensor::zeros(Dims{counts ? groups : 0}, DType::I64);
    // Each element is written at its group's index, the first one last.
    auto* to = values.data<std::remove_pointer_t<decltype(from)>>();
    int64_t group = groups - 1;
    for (int64_t i = n - 1; i >= 0; --i) {
      to[group] = from[i];
      if (inverts) inverse.data<int64_t>()[i] = group;
      if (counts) ++sizes.data<int64_t>()[group];
      group -= i > 0 && from[i] != from[i - 1];
    }
  });
  results.insert(results.end(), {IValue(values), IValue(inverse), IValue(sizes)});
  return true;
}

// elements, test_elements, assume_unique, invert: looked up among those that are sought, in order.
bool run_isin(Values args, std::vector<IValue>& results) {
  const Tensor self = args[0].as_tensor(), sought = args[1].as_tensor();
  if (!is_plain(self) || !is_plain(sought) || self.dtype() != sought.dtype()) return false;
  const Tensor out = Tensor::empty(self.sizes(), DType::Bool);
  const bool invert = args[3].as_bool();
  with_elements(self, [&](auto* from) {
    using T = std::remove_pointer_t<decltype(from)>;
    std::vector<T> line(sought.data<T>(), sought.data<T>() + sought.numel());
    std::erase_if(line, [](T v) { return v != v; });
    std::sort(line.begin(), line.end());
    const int64_t last = static_cast<int64_t>(line.size()) - 1, n = self.numel();
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = last < 0 ? 0 : index_in(line.data(), last, from[i], false);
      out.raw()[i] = (last >= 0 && line[static_cast<size_t>(at)] == from[i]) != invert;
    }
  });
  results.emplace_back(out);
  return true;
}

[[maybe_unused]] const bool kRegistered = [] {
  add_native({"aten::cumprod", &run_cumprod});
  add_native({"aten::logcumsumexp", &run_logcumsumexp});
  add_native({"prim::running_extreme", &run_running_extreme});
  add_native({"aten::searchsorted.Tensor", &run_searchsorted});
  add_native({"aten::_unique2", &run_unique});
  add_native({"aten::unique_consecutive", &run_unique_consecutive});
  add_native({"aten::isin.Tensor_Tensor", &run_isin});
  add_native({"aten::cdist", &run_cdist});
  add_native({"aten::embedding_bag.padding_idx", &run_embedding_bag});
  add_native({"aten::nonzero", &run_nonzero});
  add_native({"aten::bincount", &run_bincount});
  return true;
}();

}  // namespace
}  // namespace fusillade
