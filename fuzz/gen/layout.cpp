// See layout.h.
#include "fuzz/gen/layout.h"

#include <algorithm>

#include "fuzz/gen/way.h"

namespace fusillade::fuzz {

namespace {

int drawn_dim(Choices& choices, const Dims& sizes) {
  return static_cast<int>(choices.below(static_cast<uint64_t>(sizes.rank())));
}

// Dimensions in another order.
Dims permuted_strides(Choices& choices, const Dims& sizes) {
  const int rank = sizes.rank();
  Dims order(rank), strides(rank);
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
  return strides;
}

Dims expanded_strides(Choices& choices, const Dims& sizes) {
  Dims strides = contiguous_strides(sizes);
  const int d = drawn_dim(choices, sizes);
  for (int k = 0; k < d; ++k) strides[k] /= std::max<int64_t>(sizes[d], 1);
  strides[d] = 0;
  return strides;
}

// Rows with gaps of a few elements, odd ones too.
Dims with_gaps(Choices& choices, const Dims& sizes) {
  Dims strides(sizes.rank());
  const int from = drawn_dim(choices, sizes);
  int64_t stride = 1;
  for (int d = sizes.rank() - 1; d >= 0; --d) {
    strides[d] = stride;
    stride *= std::max<int64_t>(sizes[d], 1);
    if (d == from) stride += choices.between(1, 3);
  }
  return strides;
}

// Every other element, or every third.
Dims sparse(Choices& choices, const Dims& sizes) {
  Dims strides = contiguous_strides(sizes);
  const int from = drawn_dim(choices, sizes);
  const int64_t step = choices.between(2, 3);
  for (int k = 0; k <= from; ++k) strides[k] *= step;
  return strides;
}

}  // namespace

Dims draw_strides(Choices& choices, const Dims& sizes, bool plain) {
  static constexpr Way<Dims (*)(Choices&, const Dims&)> kWays[] = {
      {1, &permuted_strides}, {1, &expanded_strides}, {1, &with_gaps}, {2, &sparse}};
  if (plain || sizes.rank() == 0) return contiguous_strides(sizes);
  return draw_way(choices, kWays)(choices, sizes);
}

IValue draw_memory_format(Choices& choices, int rank, bool preserves) {
  const bool channels = rank == 4 || rank == 5;
  if (channels && choices.chance(0.6)) return IValue(rank - 2);  // channels_last, ..._3d
  return IValue(preserves && choices.chance(0.5) ? 1 : 0);
}

}  // namespace fusillade::fuzz
