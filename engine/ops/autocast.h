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

// Where more than the row's name says what is cast: a row that takes the call's arguments and the
// dtype of the context, and gives one argument as the call is to have it.
struct AutocastBy {
  const Row* row = nullptr;  // null: the column above says it
  int argument = 0;
};
AutocastBy autocast_by(const Row& row);

}  // namespace fusillade
