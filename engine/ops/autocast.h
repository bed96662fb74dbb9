// What torch.autocast casts for a row's call: a column of the rows, as PyTorch 2.13 has it on a
// cpu.
#pragma once

#include "engine/ops/row.h"

namespace fusillade {

enum class Autocast : uint8_t {
  None,   // takes its tensors as they are
  Lower,  // floats become the dtype of the context
  Full,   // halves become floats
};

// Rows that write are cast nothing.
Autocast autocast_of(const Row& row);

}  // namespace fusillade
