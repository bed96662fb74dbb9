// A whole function as one differentiable group, its control flow and writes included.
//
//   graph(%self, %x):                      %w = prim::GetAttr[name="weight"](%self)
//     %o = aten::zeros(...)                %o = prim::DifferentiableGraph_0[groups=...](%x, %w)
//     prim::Loop(...)                 =>   return (%o)
//       %w = prim::GetAttr[...](%self)
//       aten::add_(...)
//     return (%o)
//
// The executor makes a straight graph of fresh values of it for each set of types, where that can
// be (`straightened`), and differentiates that; elsewhere it runs the groups that the pipeline in
// the attribute "groups" makes of it. Attributes of inputs are read in front, so that they are
// arguments. Taken are functions whose statements ask nothing of a tape, write only memory of their
// own and give only such memory, and have no other effects: a caller cannot tell when within the
// call anything of it runs.
#pragma once

#include "engine/passes/pass.h"

namespace fusillade {

// Puts the function's body into one group; false: it cannot be one, and is as it was.
bool make_whole(Graph& graph, Rewriter& rewriter,
                const std::vector<std::pair<std::string, Attribute>>& attributes);

// The graph for these types and values: loops are their turns, what is written is what is computed.
// Throws Unsupported, with the reason, where results may share memory.
std::unique_ptr<Graph> straight_line_graph(const Graph& group, const std::vector<ArgInfo>& inputs);

}  // namespace fusillade
