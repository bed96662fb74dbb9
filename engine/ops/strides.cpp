// Strides of element-wise results, and of tensors created like another.
//
// ATen decides in two steps. Operands of one shape that are all contiguous, all channels last, or
// all dense with the same strides give a result of that order, whatever strides their dims of one
// element have. Otherwise the dims are sorted by the operands' strides, the first operand deciding.
#include <algorithm>
#include <optional>

#include "engine/ops/memory_format.h"
#include "engine/ops/pointwise.h"

namespace fusillade {
namespace {

// Do the elements fill their memory, each at an offset of its own?
bool is_dense(const Dims& sizes, const Dims& strides) {
  if (is_contiguous(sizes, strides)) return true;
  int order[kMaxRank];
  int n = 0;
  for (int d = 0; d < sizes.rank(); ++d)
    if (sizes[d] > 1) order[n++] = d;
  std::sort(order, order + n, [&](int a, int b) { return strides[a] < strides[b]; });
  int64_t expected = 1;
  for (int i = 0; i < n; ++i) {
    if (strides[order[i]] != expected) return false;
    if (__builtin_mul_overflow(expected, sizes[order[i]], &expected)) return false;
  }
  return true;
}

// The order that operands of one shape agree on.
std::optional<Dims> common_strides(const Dims& full, std::span<const OperandLayout> operands) {
  if (operands.empty()) return std::nullopt;
  const Dims& first = *operands.back().strides;
  bool last = full.rank() == 4, dense = true;
  bool contiguous = true;
  for (const OperandLayout& o : operands) {
    if (!(*o.sizes == full)) return std::nullopt;
    contiguous = contiguous && is_contiguous(full, *o.strides);
    last = last && lies_in(MemoryFormat::ChannelsLast, full, *o.strides);
    dense = dense && *o.strides == first && is_dense(full, *o.strides);
  }
  if (contiguous) return contiguous_strides(full);
  if (last) return channels_last_strides(full);
  return dense ? std::optional(first) : std::nullopt;
}

}  // namespace

Dims preserved_strides(const Dims& sizes, const Dims& strides) {
  OperandLayout one{&sizes, &strides};
  return is_dense(sizes, strides) ? strides : elementwise_strides(sizes, {&one, 1}, true);
}

Dims elementwise_strides(const Dims& full, std::span<const OperandLayout> operands, bool numbers) {
  int rank = full.rank();
  Dims plain = contiguous_strides(full);
  auto alike = [&](const OperandLayout& o) { return *o.sizes == full && *o.strides == plain; };
  if (std::all_of(operands.begin(), operands.end(), alike)) return plain;
  if (!numbers)
    if (const std::optional<Dims> common = common_strides(full, operands)) return *common;
  Dims spread[kMaxOperands];
  for (size_t k = 0; k < operands.size(); ++k) {
    spread[k] = broadcast_strides(*operands[k].sizes, *operands[k].strides, full);
    int missing = rank - operands[k].sizes->rank();
    for (int d = 0; d < missing; ++d) spread[k][d] = 0;
  }
  // 1: a must move outside b; -1: it is inside already; 0: undecided.
  auto compare = [&](int a, int b) {
    for (const Dims& s : std::span(spread, operands.size())) {
      if (s[a] == 0 || s[b] == 0) continue;
      if (s[a] < s[b]) return -1;
      if (s[a] > s[b]) return 1;
      if (full[a] > full[b]) return 1;
    }
    return 0;
  };
  int order[kMaxRank];  // innermost first
  for (int i = 0; i < rank; ++i) order[i] = rank - 1 - i;
  for (int i = 1; i < rank; ++i) {
    int at = i;
    for (int j = i - 1; j >= 0; --j) {
      int c = compare(order[j], order[at]);
      if (c > 0) {
        std::swap(order[j], order[at]);
        at = j;
      } else if (c < 0) {
        break;
      }
    }
  }
  bool usual = true;
  Dims out(rank);
  int64_t stride = 1;
  for (int i = 0; i < rank; ++i) {
    usual = usual && order[i] == rank - 1 - i;
    out[order[i]] = stride;
    stride *= full[order[i]];
  }
  return usual ? plain : out;
}

}  // namespace fusillade
