// Left sides of rewrite rules with one condition broken: what a rule must leave alone, and looks
// most like what it takes.
//
//   aten::add(x, aten::neg(y))  =>  aten::add(x, aten::neg(y), 2)   an argument is not its default
//   aten::mul(x, 1)             =>  aten::mul(x, 2), aten::mul(x, other)        another constant
//   aten::min(x, x)             =>  aten::min(x, x2)                            another value
//   aten::neg(aten::neg(x))     =>  aten::neg(aten::abs(x))                     another op within
//
// Conditions on types and on memory are broken by who fills the variables in and writes them.
#pragma once

#include <string>
#include <vector>

#include "engine/passes/rule.h"

namespace fusillade::fuzz {

enum class Condition : uint8_t { Constant, Argument, Value, Op };

struct NearMiss {
  Condition kind;
  std::string broken;  // "constant 2", "another x", "alpha", "aten::abs within"
  Pattern written;
};

std::vector<NearMiss> near_misses_of(const Pattern& left);

// All operators by name, sorted once: left sides ask for them hundreds of times.
const std::vector<const Operator*>& operators_by_name();

// The variables of a pattern, each once, as they are met.
std::vector<std::string> variables_of(const Pattern& pattern);

}  // namespace fusillade::fuzz
