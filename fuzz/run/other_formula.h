// Formulas of one op that compilers elsewhere use in place of ours, where their results lie further
// apart than the last bits: all of them are legal.
#pragma once

#include "engine/ops/row.h"
#include "engine/scalar/bounded.h"

namespace fusillade::fuzz {

// What another formula makes of the operands that the row's own takes; null: there is none.
using OtherFormula = Bounded (*)(const Bounded* operands);
OtherFormula other_formula(const Row& row);
// Both are legal.
Bounded either(const Bounded& a, const Bounded& b);

}  // namespace fusillade::fuzz
