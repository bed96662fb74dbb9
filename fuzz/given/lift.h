// A module's method as a program without objects: what it reads of the module become inputs.
//
//   %w : Tensor = prim::GetAttr[name="weight"](%self)    ->    graph(%x : Tensor, %weight :
//   Tensor):
//
// Numbers, texts and None become constants, so that `if self.training` is decided. A case can hold
// the program then, and mutations and engines that know no modules take it.
#pragma once

#include "engine/ir/graph.h"

namespace fusillade::fuzz {

struct Lifted {
  std::unique_ptr<Graph> graph;  // the method's inputs but the module, then what was read of it
  std::vector<IValue> values;    // of the latter
};

// Throws Unsupported when the method needs the object itself: it sets an attribute, or returns it.
Lifted lift(const Graph& method, const IValue& self);

}  // namespace fusillade::fuzz
