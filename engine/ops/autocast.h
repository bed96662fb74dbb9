// What torch.autocast casts for an operator's call: a column of the operator table, as PyTorch 2.13
// has it on a cpu.
#pragma once

#include "engine/ops/operator.h"

namespace fusillade {

enum class Autocast : uint8_t {
  None,   // takes its tensors as they are
  Lower,  // floats become the dtype of the context
  Full,   // halves become floats
};

// Operators that write are cast nothing.
Autocast autocast_of(const Operator& op);

// Where more than the operator's name says what is cast: an operator that takes the call's
// arguments and the dtype of the context, and gives one argument as the call is to have it.
struct AutocastBy {
  const Operator* op = nullptr;  // null: the column above says it
  int argument = 0;
};
AutocastBy autocast_by(const Operator& op);

}  // namespace fusillade
