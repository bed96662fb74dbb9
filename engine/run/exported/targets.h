// What exported programs call and the table of operators lacks, as functions of targets.py. (law:
// rules name ops)
#pragma once

#include <string>

#include "engine/ir/unit.h"

namespace fusillade::exported {

extern const char* const kTargetsText;

// The function for a target ("torch.ops.aten._softmax.default"), or null.
const Function* function_of_target(const std::string& target);
// The name of the operator that a target means: "aten::add.Tensor", of Python's own operators
// "aten::add."; empty where it means none.
std::string operator_of_target(const std::string& target);
// The Python operator that means this one of numbers: "_operator.add"; empty where none does.
std::string python_target(const std::string& base);
// Without the overload: "aten::add".
std::string base_of(const std::string& name);

}  // namespace fusillade::exported
