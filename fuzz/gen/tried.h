// Does what was drawn run? Programs that no inference promises are valid because they were tried.
#pragma once

#include <functional>
#include <vector>

#include "engine/ops/ivalue.h"

namespace fusillade::fuzz {

// False when `f` raises, or gives more than a case should hold. What is wrong within us, a Bug, is
// for oracles to see.
bool runs(const std::function<std::vector<IValue>()>& f);

}  // namespace fusillade::fuzz
