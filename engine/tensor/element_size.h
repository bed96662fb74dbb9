// Elements by their size alone, where only bits are moved.
#pragma once

#include <cstdint>

#include "engine/tensor/dtype.h"

namespace fusillade {

// f with a value of the unsigned type that is as large as an element.
template <class F>
void with_size(DType dtype, F f) {
  switch (size_of(dtype)) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    default:
      return f(uint64_t{});
  }
}

}  // namespace fusillade
