// The mode that a call finds its module in: training or not, the module and all within it alike, as
// `train()` and `eval()` set it.
#pragma once

#include <string>

#include "engine/ops/ivalue.h"

namespace fusillade::fuzz {

bool has_training(const IValue& module);  // itself
bool is_training(const IValue& module);   // of one that has it
// A copy in that mode.
IValue in_mode(const IValue& module, bool training);
// How a call's module differs from `constructed`, which the script's constructor returned: "",
// ".train()" or ".eval()".
std::string mode_text(const IValue& constructed, const IValue& module);

}  // namespace fusillade::fuzz
