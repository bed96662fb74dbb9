// Which operator is at fault when eager mode is: the first call of an operator that fails by
// itself, on the arguments it had in the program. An operator of a script that CPython judges is
// asked by one expression whose operands are parameters, so that the front end has nothing to get
// wrong.
#pragma once

#include <optional>
#include <string>

#include "fuzz/process/isolate.h"
#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {

struct OperatorAlone {
  std::string op;  // "aten::addmm"
  Case program;    // of that operator alone; fails like the case
};

// None when no operator fails by itself: several are at fault together, or what runs them.
// How Python calls an operator with these arguments, which are a, b, c, d: expressions and, with a
// newline behind, statements that change a. Read from the front end's spellings.
std::vector<std::string> python_of(const Operator& op, std::span<const IValue> args);

std::optional<OperatorAlone> operator_alone(const Case& c, const Verdict& failure,
                                            const Limits& limits);

// An operator of the program that the differential oracle finds wrong where every float that it
// gets is infinite or the largest there is. In the ring, where an operator and a fuser disagree,
// neither is known to be right.
std::optional<OperatorAlone> operator_at_extremes(const Case& c, const Limits& limits);

}  // namespace fusillade::fuzz
