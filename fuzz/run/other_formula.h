// Formulas of one op that compilers use in place of PyTorch's (those of its versions are
// PointwiseDef::elsewhere), where their results lie further apart than the last bits: all are
// legal.
#pragma once

#include "engine/ops/row.h"
#include "engine/scalar/bounded.h"

namespace fusillade::fuzz {

// What another formula makes of the operands that the row's own takes; null: there is none.
using OtherFormula = Bounded (*)(const Bounded* operands);
OtherFormula other_formula(const Row& row);

}  // namespace fusillade::fuzz
