// What a program does besides computing tensors, evaluated before an external engine gets it, so
// that a text of an error or a check of a mode costs no comparison:
//
//   torch.jit.annotate(str, "Mean").lower() == "mean"    ->   True, and the branch that it chooses
//   raise ValueError(f"{x.dim()} dims")                  ->   raise ValueError("{} dims")
//   print(x), warnings.warn("old")                       ->   nothing: what they print is no result
//   x.device                                             ->   cpu, where every worker's tensors are
//
// Evaluated are ops of plain numbers, strings and lists of them whose operands are constants; an op
// that raises stays. Errors are compared by class, so any text may replace any other.
#pragma once

#include "engine/ir/graph.h"

namespace fusillade::fuzz {

// Of a graph whose calls are inlined.
void evaluate_host_side(Graph& graph);

}  // namespace fusillade::fuzz
