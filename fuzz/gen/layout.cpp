// See layout.h.
#include "fuzz/gen/layout.h"

#include <algorithm>

namespace fusillade::fuzz {

Dims draw_strides(Choices& choices, const Dims& sizes, bool plain) {
  Dims strides = contiguous_strides(sizes);
  int rank = sizes.rank();
  if (plain || rank == 0) return strides;
  switch (choices.below(5)) {
    case 0: {  // dimensions in another order
      Dims order(rank);
      for (int d = 0; d < rank; ++d) order[d] = d;
      const bool channels_last = rank >= 4 && choices.chance(0.4);
      for (int d = 1; channels_last && d < rank; ++d) order[d] = d == rank - 1 ? 1 : d + 1;
      for (int d = rank - 1; !channels_last && d > 0; --d) {
        std::swap(order[d], order[static_cast<int>(choices.below(static_cast<uint64_t>(d) + 1))]);
      }
      int64_t stride = 1;
      for (int d = rank - 1; d >= 0; --d) {
        strides[static_cast<int>(order[d])] = stride;
        stride *= std::max<int64_t>(sizes[static_cast<int>(order[d])], 1);
      }
      break;
    }
    case 1: {  // expanded
      int d = static_cast<int>(choices.below(static_cast<uint64_t>(rank)));
      for (int k = 0; k < d; ++k) strides[k] /= std::max<int64_t>(sizes[d], 1);
      strides[d] = 0;
      break;
    }
    case 2: {  // rows with gaps of a few elements, odd ones too
      int from = static_cast<int>(choices.below(static_cast<uint64_t>(rank)));
      int64_t stride = 1;
      for (int d = rank - 1; d >= 0; --d) {
        strides[d] = stride;
        stride *= std::max<int64_t>(sizes[d], 1);
        if (d == from) stride += choices.between(1, 3);
      }
      break;
    }
    default: {  // every other element, every third
      int from = static_cast<int>(choices.below(static_cast<uint64_t>(rank)));
      int64_t step = choices.between(2, 3);
      for (int k = 0; k <= from; ++k) strides[k] *= step;
    }
  }
  return strides;
}

IValue draw_memory_format(Choices& choices, int rank, bool preserves) {
  const bool channels = rank == 4 || rank == 5;
  if (channels && choices.chance(0.6)) return IValue(rank - 2);  // channels_last, ..._3d
  return IValue(preserves && choices.chance(0.5) ? 1 : 0);
}

}  // namespace fusillade::fuzz
