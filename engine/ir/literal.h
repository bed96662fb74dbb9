// Literals of the IR text: 3, 1.5, -0., inf, nan, True as 1 (TorchScript's bools are ints with type
// bool), "text", [1, 2], tensors as a dtype, a shape and hexadecimal elements.
#pragma once

#include <string>

#include "engine/ops/ivalue.h"

namespace fusillade {

std::string print_literal(const IValue& value);
// "\"...\"" with C escapes.
std::string quote(const std::string& text);

}  // namespace fusillade
