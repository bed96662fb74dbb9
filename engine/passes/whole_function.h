// A whole function as one differentiable group, its control flow and writes included.
//
//   graph(%self, %x):                      %w = prim::GetAttr[name="weight"](%self)
//     %o = aten::zeros(...)                %o = prim::DifferentiableGraph_0[groups=...](%x, %w)
//     prim::Loop(...)                 =>   return (%o)
//       %w = prim::GetAttr[...](%self)
//       aten::add_(...)
//     return (%o)
//
// For each set of types, the executor builds a straight-line graph of fresh values where it can
// (`straight_line_graph`), and differentiates that. Elsewhere it runs the groups that the pipeline
// in the attribute "groups" forms. Attributes of inputs are read in front, so that they are
// arguments. Eligible functions ask nothing of a tape, write only memory of their own, return only
// such memory, and have no other effects. So a caller cannot observe when within the call any part
// of it runs.
#pragma once

#include "engine/passes/pass.h"

namespace fusillade {

// Puts the function's body into one group; false: it cannot be one, and is as it was.
bool make_whole(Graph& graph, Rewriter& rewriter,
                const std::vector<std::pair<std::string, Attribute>>& attributes);

// The graph for these types and values: loops are unrolled, and writes are replaced by what they
// compute. Throws Unsupported, with the reason, where results may share memory.
std::unique_ptr<Graph> straight_line_graph(const Graph& group, const std::vector<ArgInfo>& inputs);

}  // namespace fusillade
