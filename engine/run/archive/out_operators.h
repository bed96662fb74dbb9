// Results that go into a tensor as PyTorch's own operators put them there:
//
//   %y = aten::norm(%x, %p, %dim, %keepdim)        ->   %r = aten::norm(%x, %p, %dim, %keepdim,
//   %out) %r = prim::into(%out, %y, "norm", ...)
//
// The other way round than front/out_form, for the operators whose out= form has an operator.
#pragma once

#include "engine/ir/graph.h"

namespace fusillade::archive {

void name_out_operators(Block* block, Graph& graph);

}  // namespace fusillade::archive
