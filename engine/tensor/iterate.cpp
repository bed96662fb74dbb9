// See iterate.h. Dimensions are ordered by the first operand's strides (the output: it is written
// in memory order) and then merged.
#include "engine/tensor/iterate.h"

#include <algorithm>

namespace fusillade {

StridedLoop::StridedLoop(const Dims& sizes, const Dims* strides, int operands)
    : operands_(operands) {
  FUS_CHECK(operands <= kMaxOperands, "{} operands", operands);
  int order[kMaxRank];
  int n = 0;
  for (int d = 0; d < sizes.rank(); ++d) {
    empty_ = empty_ || sizes[d] == 0;
    if (sizes[d] != 1) order[n++] = d;
  }
  // Insertion sort: n is small, and equal strides keep their order.
  for (int i = 1; i < n; ++i) {
    for (int j = i; j > 0 && strides[0][order[j - 1]] < strides[0][order[j]]; --j) {
      if (strides[0][order[j]] == 0 || strides[0][order[j - 1]] == 0) break;
      std::swap(order[j - 1], order[j]);
    }
  }
  for (int i = 0; i < n; ++i) {
    int d = order[i];
    bool merge = sizes_.rank() > 0;
    int last = sizes_.rank() - 1;
    for (int k = 0; k < operands && merge; ++k) {
      merge = strides_[k][last] == strides[k][d] * sizes[d];
    }
    if (merge) {
      sizes_[last] *= sizes[d];
      for (int k = 0; k < operands; ++k) strides_[k][last] = strides[k][d];
      continue;
    }
    sizes_.push_back(sizes[d]);
    for (int k = 0; k < operands; ++k) strides_[k].push_back(strides[k][d]);
  }
  if (sizes_.rank() == 0) {
    sizes_.push_back(1);
    for (int k = 0; k < operands; ++k) strides_[k].push_back(0);
  }
  for (int k = 0; k < operands; ++k) inner_[k] = strides_[k].back();
}

bool StridedLoop::is_disjoint() const {
  int64_t reach = 1;
  for (int d = sizes_.rank() - 1; d >= 0; --d) {
    if (sizes_[d] > 1 && strides_[0][d] < reach) return false;
    reach = std::max(reach, strides_[0][d] * sizes_[d]);
  }
  return true;
}

Dims broadcast_strides(const Dims& sizes, const Dims& strides, const Dims& full) {
  Dims out(full.rank());
  int skip = full.rank() - sizes.rank();
  for (int d = 0; d < sizes.rank(); ++d) {
    out[skip + d] = sizes[d] == 1 && full[skip + d] != 1 ? 0 : strides[d];
  }
  return out;
}

}  // namespace fusillade
