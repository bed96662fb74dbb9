// freeze: a module in evaluation mode becomes one whose unchanging attributes are constants of its
// code.
//
//   %w : Tensor = prim::GetAttr[name="weight"](%self)
//       ->   %w : Tensor = prim::Constant[value={...}]()
//
// Calls are inlined first; folding, dead code and repeated code then see through what were
// attributes. The tensors are those of the module given, not copies. An attribute stays one when it
// is preserved, when any kept method sets it (on any object of its class: several objects may have
// one type), when the memory behind it may be written (a view of it, an item of it, another
// attribute in the same storage), or when no constant can represent it (dicts, objects).
#pragma once

#include <string>
#include <vector>

#include "engine/ir/unit.h"

namespace fusillade {

struct FreezeOptions {
  std::vector<std::string>
      preserved;  // methods besides forward, and attributes, of the module itself
};

// The module given is not changed. Throws Error when a module within it is in training mode, or a
// preserved name does not exist; Unsupported for named tuples that hold modules.
Module freeze(const Module& module, const FreezeOptions& options = {});

}  // namespace fusillade
