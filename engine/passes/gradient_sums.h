// Operators that gradients are made of (aten/gradient/ops.py), written as the ops that they come to
// where sizes are known, so that fusers take them:
//
//   prim::gradient_like(%g : Float(3, 4), [4], 6)  =>  reshape(sum(%g, [0], True), [4])
//   prim::restored(%s : Float(3), [1], False, 2)   =>  unsqueeze(%s, 1)
#pragma once

#include "engine/ir/graph.h"

namespace fusillade {

// A gradient summed to the sizes that its operand had, in its dtype, made before `at`; null: its
// own sizes or dtype are not known.
Value* summed_to(Value* grad, const Dims& sizes, DType dtype, Node* at);

// What prim::restored gives; null: its arguments are not known.
Value* restored_by(Node* restored);

}  // namespace fusillade
