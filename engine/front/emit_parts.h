// Small structures that the emitter passes around.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/front/ast.h"
#include "engine/ir/graph.h"

namespace fusillade::front {

// Thrown when a loop returned another type than was assumed; emission starts again with it.
struct ResultType {
  Type type;
};

// A variable that a loop carries under this type: an iteration assigns more than what tests before
// the loop narrowed it to. Thrown when that is found; emission starts again with this type.
using WideName = std::pair<const Stmt*, std::string>;
using WideNames = std::map<WideName, Type>;
struct WiderLoop {
  WideName name;
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

// The message for a variable that keeps its type, with the cure where it began as None.
std::string reassignment_error(const std::string& name, const Type& from, const Type& to);
// Do values of this type have an order that operators know?
bool orderable(const Type& type);
// The list or dict (`kind`) that a value of this type may be: the type, what an Optional holds, or
// the one option of a Union; null when there is none, or more than one.
const Type* container_within(const Type* type, TypeKind kind);

// Removes results of Ifs that nothing reads and values without effect that nothing uses, last
// first.
void sweep(Block* block);

}  // namespace fusillade::front
