// Medians natively: the element of a rank is selected where the bodies sort whole lines; and the
// commonest elements of lines, sorted once.
//
// Of equal elements it is the one that a stable sort leaves at the rank, so values and indices are
// the bodies'. A key and its index are compared as one number where both fit.
#include "engine/ops/native.h"

#include <algorithm>

#include "engine/aten/sort/order.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

constexpr int kHalf = 32;  // bits of a key, and of an index, that fit one number

// A line's keys and indices, and room to order them.
class Line {
 public:
  Line(DType dtype, int64_t length)
      : dtype_(dtype),
        narrow_(key_bits(dtype) <= kHalf && length >> kHalf == 0),
        keys_(static_cast<size_t>(length)) {}

  void load(const uint8_t* memory, int64_t step) {
    const int64_t n = static_cast<int64_t>(keys_.size());
    load_keys(dtype_, memory, step, n, keys_.data());
    const int bits = key_bits(dtype_);
    const uint64_t nan = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    first_nan_ = n;
    numbers_ = n;
    if (!is_float(dtype_)) return;
    numbers_ = n - std::count(keys_.begin(), keys_.end(), nan);
    if (numbers_ < n) first_nan_ = std::find(keys_.begin(), keys_.end(), nan) - keys_.begin();
  }
  int64_t numbers() const { return numbers_; }
  int64_t first_nan() const { return first_nan_; }  // as many as there are elements: none is

  // Where the element is that a stable sort leaves at `rank`. The keys are used up.
  int64_t index_of(int64_t rank) {
    if (narrow_) {
      pack();
      std::nth_element(keys_.begin(), keys_.begin() + rank, keys_.end());
      return index_in(keys_[static_cast<size_t>(rank)]);
    }
    ranked_.resize(keys_.size());
    for (size_t i = 0; i < keys_.size(); ++i) ranked_[i] = {keys_[i], static_cast<int64_t>(i)};
    std::nth_element(ranked_.begin(), ranked_.begin() + rank, ranked_.end(),
                     [](const Ranked& a, const Ranked& b) {
                       return a.key < b.key || (a.key == b.key && a.index < b.index);
                     });
    return ranked_[static_cast<size_t>(rank)].index;
  }

  // Of the commonest numbers the least: its last index; without numbers the first. The keys are
  // used up.
  int64_t commonest() {
    int64_t best = 0, most = 0, run = 0;
    uint64_t previous = 0;
    auto meet = [&](int64_t k, uint64_t key, int64_t index) {
      run = k > 0 && key == previous ? run + 1 : 1;
      previous = key;
      if (run > most) most = run, best = index;
    };
    if (narrow_) {
      pack();
      std::sort(keys_.begin(), keys_.end());
      for (int64_t k = 0; k < numbers_; ++k) {
        const uint64_t both = keys_[static_cast<size_t>(k)];
        meet(k, both >> kHalf, index_in(both));
      }
      return best;
    }
    sort_keys(dtype_, keys_.data(), static_cast<int64_t>(keys_.size()), false, ranked_);
    for (int64_t k = 0; k < numbers_; ++k) {
      const Ranked& r = ranked_[static_cast<size_t>(k)];
      meet(k, r.key, r.index);
    }
    return best;
  }

 private:
  void pack() {
    for (size_t i = 0; i < keys_.size(); ++i) keys_[i] = keys_[i] << kHalf | i;
  }
  static int64_t index_in(uint64_t packed) {
    return static_cast<int64_t>(packed & ((uint64_t{1} << kHalf) - 1));
  }

  DType dtype_;
  bool narrow_;
  int64_t numbers_ = 0, first_nan_ = 0;
  std::vector<uint64_t> keys_;
  std::vector<Ranked> ranked_;
};

// self, dim, keepdim: of each line the element at the index that `choose` gives, and the index.
template <class F>
bool run_lines(Values args, std::vector<IValue>& results, F choose) {
  const Tensor given = args[0].as_tensor();
  const int64_t rank = given.rank(), dim = args[1].as_int();
  if (rank == 0 || dim < -rank || dim >= rank || given.numel() == 0) return false;
  const Tensor self = contiguous(given);
  const int d = wrap_dim(dim, self.rank());
  Dims sizes = self.sizes();
  const int64_t length = sizes[d];
  int64_t step = 1;
  for (int k = d + 1; k < rank; ++k) step *= sizes[k];
  if (args[2].as_bool()) sizes[d] = 1;
  else sizes.erase(d);
  Tensor values = Tensor::empty(sizes, self.dtype()), indices = Tensor::empty(sizes, DType::I64);
  const size_t size = size_of(self.dtype());
  Line line(self.dtype(), length);
  for (int64_t k = 0; k < values.numel(); ++k) {
    const uint8_t* from =
        self.raw() + (k / step * length * step + k % step) * static_cast<int64_t>(size);
    line.load(from, step);
    const int64_t index = choose(line, length);
    indices.data<int64_t>()[k] = index;
    std::copy_n(from + static_cast<size_t>(index * step) * size, size,
                values.raw() + static_cast<size_t>(k) * size);
  }
  results.emplace_back(values);
  results.emplace_back(indices);
  return true;
}

// skip: NaNs do not count; else the first of them is a line's median.
template <bool skip>
bool run_median(Values args, std::vector<IValue>& results) {
  return run_lines(args, results, [](Line& line, int64_t length) {
    if (!skip && line.first_nan() < length) return line.first_nan();
    const int64_t counted = skip ? std::max<int64_t>(line.numbers(), 1) : length;
    return line.index_of((counted - 1) / 2);
  });
}

bool run_mode(Values args, std::vector<IValue>& results) {
  return run_lines(args, results, [](Line& line, int64_t) { return line.commonest(); });
}

[[maybe_unused]] const bool kRegistered = [] {
  add_native({"aten::median.dim", &run_median<false>});
  add_native({"aten::nanmedian.dim", &run_median<true>});
  add_native({"aten::mode", &run_mode});
  return true;
}();

}  // namespace
}  // namespace fusillade
