// Which calls draw random numbers: a matter of the values of their arguments.
//
// An operator that may draw is `nondeterministic` and has a condition: terms joined by "and", each
// about one argument. A call draws only where all terms hold, and an operator without a condition
// always may.
//
//   train and p > 0 and p < 1 and input
//   size and high > low + 1
//
// "p > 0", "p < 1": as they say, of a number; the other side may be an argument, too, with or
// without a number added. A name alone: a bool is true, a number is not 0, a tensor has elements,
// and so has one of this list of sizes.
#pragma once

#include <span>
#include <string_view>

#include "engine/ops/operator.h"

namespace fusillade {

// Adds the condition of an operator, which need not be in the table yet.
void add_draw_condition(const Operator& op, std::string_view condition);

// May the call give other values each time? False where some term is known not to hold.
bool may_draw(const Operator& op, std::span<const ArgInfo> args);

}  // namespace fusillade
