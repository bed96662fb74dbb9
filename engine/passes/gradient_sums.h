// Operators that gradient formulas use (aten/gradient/ops.py), rewritten as the ops they reduce to
// where sizes are known, so that fusers take them:
//
//   prim::gradient_like(%g : Float(3, 4), [4], 6)  =>  reshape(sum(%g, [0], True), [4])
//   prim::restore_dims(%s : Float(3), [1], False, 2)   =>  unsqueeze(%s, 1)
#pragma once

#include "engine/ir/graph.h"

namespace fusillade {

// A gradient summed to the sizes of its operand, in its dtype, inserted before `at`; null: the own
// sizes or dtype of the gradient are unknown.
Value* summed_to(Value* grad, const Dims& sizes, DType dtype, Node* at);

// What prim::restore_dims gives; null: its arguments are not known.
Value* restored_by(Node* restored);

}  // namespace fusillade
