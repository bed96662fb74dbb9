// Ops of several roundings: another implementation may compose them otherwise, so that its last
// bits are others.
#pragma once

#include "engine/ops/operator.h"

namespace fusillade::fuzz {

// How often a formula rounds; 2 means two and more.
int roundings_of(const Formula& formula, Model model);

// Does a formula choose one of its operands by comparing them (minimum, clamp)? 0 and -0 are equal.
bool orders(const Formula& formula, Model model);

// Operators whose bodies compute in double whatever they are given, and round at their end.
enum class Widened : uint8_t { No, Special, Matrix };
Widened widening_of(const Operator& op);

// Is it an operator whose body rounds floats more than once? Operators without a body are not.
bool is_composed(const Operator& op);

}  // namespace fusillade::fuzz
