// Expressions by the last part of a dotted name.
#pragma once

#include "engine/front/ast.h"

namespace fusillade::front {

// name, or any.path.name
inline bool ends_in(const Expr& e, std::string_view name) {
  return (e.is(ExprKind::Name) || e.is(ExprKind::Attribute)) && e.text == name;
}
// Final[T]
inline bool is_final(const Expr& annotation) {
  return annotation.is(ExprKind::Subscript) && ends_in(*annotation.kids[0], "Final");
}

}  // namespace fusillade::front
