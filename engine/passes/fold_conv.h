// Which convolutions fold_conv folds into, and what: for claims that put such steps behind one.
#pragma once

#include <functional>

#include "engine/ir/graph.h"

namespace fusillade {

// Spatial dimensions of such a convolution; 0: the node is none.
int folded_dims_of(const Node* node);

inline constexpr size_t kFoldedSteps = 5;  // kinds of what is folded
// Inserts step number `kind` on the result `y` of a convolution of so many spatial dimensions.
// `channels(d)` makes a tensor with one number for each channel and `d` dims of size 1 behind it.
Value* insert_folded_step(size_t kind, Value* y, int dims,
                          const std::function<Value*(int d)>& channels, Node* before);

}  // namespace fusillade
