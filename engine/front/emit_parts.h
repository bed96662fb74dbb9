// Small structures that the emitter passes around.
#pragma once

#include <vector>

#include "engine/front/ast.h"
#include "engine/ir/graph.h"

namespace fusillade::front {

// Thrown when a loop returned another type than was assumed; emission starts again with it.
struct ResultType {
  Type type;
};

// isinstance(subject, types): which options of the subject's type pass.
struct TypeTest {
  const Expr* subject = nullptr;
  std::vector<Type> types;
  std::vector<TypeKind> kinds;  // list, dict and tuple of anything
  bool accepts(const Type& option) const;
};

// A view and, when tensors index it, the list of them and of Nones.
struct TensorPlace {
  Value* view = nullptr;
  Value* indices = nullptr;
};

}  // namespace fusillade::front
