// What external engines may lawfully do with an operator beyond the bound of our own formula: the
// `others` line of its entry (engine/aten/*/ops.py), applied to the bound.
//
//   aten::logaddexp
//       others near one 4 ulp
//   aten::layer_norm
//       others mean folded 4 ulp; not finite
//
// A line names kinds, with an amount where a kind takes one, in the order in which they are
// applied. Amounts are chosen, each for the reason that its kind gives; nothing is chosen for plans
// of our own, for which no line is read. `fusillade list deviations` shows them all.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/ops/operator.h"

namespace fusillade::fuzz {

class Shadow;

// One call of the operator, whose results the shadow has cells for.
struct DeviatingCall {
  Shadow& shadow;
  const Operator& op;
  std::span<const IValue> args;
  const std::vector<IValue>& results;
};

struct DeviationKind {
  std::string name;   // its words in a line, before the amount
  std::string unit;   // of the amount; empty: it takes none
  std::string about;  // what others do, and why it is right
  // Null: the shadow asks for it where it computes (`may_deviate`).
  void (*apply)(const DeviatingCall& call, double amount) = nullptr;
};

struct Deviation {
  const DeviationKind* kind = nullptr;
  double amount = 0;
};

// Of one `others` line. Throws Error that names what is legal.
std::vector<Deviation> parse_deviations(std::string_view line);
// Of an operator's entry; a Bug where that cannot be read.
const std::vector<Deviation>& deviations_of(const Operator& op);
bool may_deviate(const Operator& op, std::string_view kind);
// Widens the bound of what a call gave.
void apply_deviations(const DeviatingCall& call);

}  // namespace fusillade::fuzz
