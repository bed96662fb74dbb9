// Gradients of operators: a formula for each argument that gradients flow back to, as lines of
// entries.
//
//   aten::mul.Tensor
//       gradient self: grad * other
//       gradient other: grad * self
//   aten::prod
//       gradient self:
//           rest = torch.ops.prim.product_of_others(self)
//           return grad * rest
//   aten::type_as
//       gradient self: grad
//       gradient other: none
//   aten::detach, aten::requires_grad_
//       gradient none
//
// A formula sees the operator's arguments by their names, its result as `result` and what flows
// back to it as `grad`; of an operator with several results, or lists of them, `result0`, `grad0`,
// ... and a list for a list. It need not care for broadcasting, nor for the argument's dtype: who
// asks sums and converts. What it reads of a tensor beyond sizes, strides and dtype is kept until
// the walk back, so formulas ask as little as they can. "none" says that nothing flows back to an
// argument, or to any of the operator; an argument that is not named has no formula yet, and is
// refused if it requires a gradient. An operator in place has the formulas of the operator that it
// is the form of, `self` being what it was before. Operators without an entry that have bodies are
// decomposed; others have no gradient, and say so when one is asked for. "unknown" says that a body
// is not to be decomposed: it repeats until a result is good enough, which its gradient need not
// be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/ops/entry.h"
#include "engine/ops/operator.h"

namespace fusillade {

struct Gradient {
  std::string name;     // of the operator
  std::string place{};  // "engine/aten/view/ops.py:12"
  struct Formula {
    std::string arg;
    std::string body;
  };
  std::vector<Formula> formulas;     // none: nothing flows back
  std::vector<std::string> without;  // arguments to which nothing flows back
  bool unknown = false;              // a body that must not be walked back
};

// Those of all entries; of some.
const std::vector<Gradient>& gradients();
std::vector<Gradient> gradients_of(std::span<const Entry> entries);

// That of the operator, or of the operator that it is the in-place form of; null where there is
// none. The first call checks all entries against the table of operators.
const Gradient* gradient_of(const Operator& op);

}  // namespace fusillade
