// What one group hands to another is computed again there, where little is read for it.
//
//   %c, %s = Group_0(%x, %m)   (%c = sub(%x, %m), ...)      %s = Group_0(%x, %m)
//   %y = Group_1(%c, %g)                               =>   %y = Group_1(%g, %x, %m)
//
// A value that only other groups read, and that is a few element-wise operators over what is in
// memory anyway (inputs of the graph, what the other group reads too, what is small compared to
// it), is not written to memory and not kept: its operators are copied into each group that reads
// it. Element by element the same numbers in the same dtypes. Not done: through views and
// reductions, and in graphs with effects.
#pragma once

#include "engine/passes/pass.h"

namespace fusillade {

// For all groups in the top block: the subgraphs of nodes of `op`.
void recompute_between(Graph& graph, Rewriter& rewriter, const Operator& op);

}  // namespace fusillade
