// Order in the shadow. No engine promises which of equal keys comes first in a sort that need not
// be stable, or among the greatest k; nor a value's index in an unsorted sequence.
//
//   keys 2 1 2, descending  ->  values 2 2 1, which are judged; indices any, any, 1
#include <algorithm>
#include <cmath>

#include "engine/tensor/iterate.h"
#include "fuzz/run/shadow.h"

namespace fusillade::fuzz {
namespace {

const IValue* argument(const Operator& op, std::span<const IValue> args, std::string_view name) {
  for (size_t i = 0; i < args.size() && i < op.schema.args.size(); ++i)
    if (op.schema.args[i].name == name) return &args[i];
  return nullptr;
}

// Operators that order a dimension: those that ask for a direction.
bool orders(const Operator& op, std::span<const IValue> args) {
  const IValue* stable = argument(op, args, "stable");
  if (stable && stable->is_bool() && stable->as_bool()) return false;
  return argument(op, args, "descending") || argument(op, args, "largest");
}

}  // namespace

void Shadow::forget_ties(const Operator& op, std::span<const IValue> args,
                         const std::vector<IValue>& results) {
  if (!orders(op, args)) return;
  const IValue* sorted = argument(op, args, "sorted");
  if (sorted && sorted->is_bool() && !sorted->as_bool()) {
    for (const IValue& v : results) forget(v);
    return;
  }
  Tensor keys = args[0].as_tensor();
  Tensor indices = results.back().as_tensor();
  if (keys.rank() == 0) return;
  int64_t dim = argument(op, args, "dim")->as_int();
  if (dim < 0) dim += keys.rank();
  const int d = static_cast<int>(dim);
  const Cells& of = cells(keys);
  auto key = [&](int64_t at) {
    size_t k = static_cast<size_t>(at);
    if (of.real.empty()) return static_cast<long double>(of.whole[k].lo);
    return of.real[k].must_nan ? static_cast<long double>(NAN)
                               : static_cast<long double>(of.real[k].lo);
  };
  Dims across = indices.sizes();
  across[d] = 1;
  std::vector<int64_t> firsts, chosen;  // of each slice: where it begins in the two tensors
  for_each_element(across, keys.strides(), keys.offset(),
                   [&](int64_t at) { firsts.push_back(at); });
  for_each_element(across, indices.strides(), indices.offset(),
                   [&](int64_t at) { chosen.push_back(at); });
  Cells& index_cells = cells(indices);
  for (size_t s = 0; s < firsts.size(); ++s) {
    for (int64_t i = 0; i < indices.sizes()[d]; ++i) {
      IntRange& position =
          index_cells.whole[static_cast<size_t>(chosen[s] + i * indices.strides()[d])];
      long double mine = key(firsts[s] + position.lo * keys.strides()[d]);
      int equal = 0;
      for (int64_t j = 0; j < keys.sizes()[d]; ++j) {
        long double other = key(firsts[s] + j * keys.strides()[d]);
        equal += mine == other || (std::isnan(mine) && std::isnan(other));
      }
      if (equal > 1) position = full_range(DType::I64);
    }
  }
}

bool Shadow::in_order(const Tensor& sequence, const IValue& sorter) {
  if (sequence.rank() == 0) return true;
  const int d = sequence.rank() - 1;
  const int64_t length = sequence.sizes()[d];
  const Cells& of = cells(sequence);
  Dims firsts = sequence.sizes();
  firsts[d] = std::min<int64_t>(length, 1);
  int64_t line = 0;
  bool good = true;
  for_each_element(firsts, sequence.strides(), sequence.offset(), [&](int64_t start) {
    Bounded before = Bounded::exact(-INFINITY);
    IntRange below = full_range(DType::I64);
    below.hi = below.lo;
    for (int64_t i = 0; i < length; ++i) {
      int64_t position =
          sorter.is_tensor() ? element_as_int(sorter.as_tensor(), line * length + i) : i;
      size_t k = static_cast<size_t>(start + position * sequence.strides()[d]);
      if (of.real.empty()) {
        good = good && below.hi <= of.whole[k].lo;
        below = of.whole[k];
      } else {
        good = good && !of.real[k].may_nan && !of.real[k].must_nan && before.hi <= of.real[k].lo;
        before = of.real[k];
      }
    }
    ++line;
  });
  return good;
}

}  // namespace fusillade::fuzz
