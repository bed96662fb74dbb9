// Reverse mode over a straight graph: the graph and its gradients as one joint graph.
//
//   graph(%x, %w):                 graph(%x, %w, %g):                        (%g: of the result)
//     %a = aten::mul(%x, %w)         %a = aten::mul(%x, %w)
//     %b = aten::tanh(%a)      =>    %b = aten::tanh(%a)
//     return (%b)                    ...                                     (the formula of tanh)
//                                    %d = aten::mul(%e, %w)                  (that of mul by self)
//                                    return (%b, %d)                         (of %x; %w is not
//                                    wanted)
//
// Formulas are those that the tape interprets (ops/gradient.h), inlined in the tape's order, so
// that sums of several uses associate alike. What follows from the types of one call is folded:
// sizes, dtypes, branches of formulas. A gradient that is of its operand's sizes and dtype is left
// as it is; any other is summed and converted right where it arises, and that sum is never moved.
#pragma once

#include <memory>
#include <vector>

#include "engine/ir/graph.h"

namespace fusillade {

// What is known of the strides of the gradients that come in.
enum class Seeds : uint8_t { AnyStrides, Contiguous };

struct Joint {
  std::unique_ptr<Graph> graph;  // inputs: the group's, then a gradient for each of `seeded`
  size_t inputs = 0;             // the group's
  size_t results = 0;            // the group's; the graph's first outputs
  std::vector<int> seeded;       // results that gradients flow back from
  std::vector<int> reached;      // inputs that have a gradient, one per further output
  Seeds seeds = Seeds::AnyStrides;
};

// `inputs` gives complete types, and values that are the same in every call that uses the result.
// Throws Unsupported, with the reason, for what only running the operators can show.
Joint differentiate(const Graph& group, const std::vector<ArgInfo>& inputs,
                    const std::vector<bool>& wanted, Seeds seeds = Seeds::AnyStrides);

}  // namespace fusillade
