// Annotations to types: Tensor, int, float, bool, str, List[T], Tuple[T, ...], Optional[T].
#include "engine/front/class.h"

namespace fusillade::front {
namespace {

struct Named {
  const char* name;
  TypeKind kind;
};
constexpr Named kNamed[] = {{"Tensor", TypeKind::Tensor}, {"int", TypeKind::Int},
                            {"float", TypeKind::Float},   {"bool", TypeKind::Bool},
                            {"str", TypeKind::Str},       {"number", TypeKind::Number}};

[[noreturn]] void refuse(const Unit& unit, const Expr& e) {
  fail_at(unit.source(), e.begin, e.end,
          "not a supported annotation; supported are Tensor, int, float, bool, str, None, List[T], "
          "Tuple[T, ...], Optional[T], and the classes of this file");
}

// The last part of a dotted name: typing.List is List.
std::string last_part(const Unit& unit, const Expr& e) {
  if (!e.is(ExprKind::Name) && !e.is(ExprKind::Attribute)) refuse(unit, e);
  if (e.is(ExprKind::Attribute)) last_part(unit, *e.kids[0]);
  auto it = unit.module().imports.find(e.text);
  if (e.is(ExprKind::Attribute) || it == unit.module().imports.end()) return e.text;
  return it->second.substr(it->second.rfind('.') + 1);
}

}  // namespace

Type annotated_type(Unit& unit, const Expr& e) {
  if (ClassPlace place = unit.program().find(unit, e)) return unit.program().annotation(place, unit, e);
  if (e.is(ExprKind::None)) return TypeKind::None;
  if (e.is(ExprKind::Str)) return unit.program().quoted_annotation(unit, e);
  if (!e.is(ExprKind::Subscript)) {
    std::string name = last_part(unit, e);
    for (const Named& n : kNamed) {
      if (name == n.name) return n.kind;
    }
    refuse(unit, e);
  }
  std::string name = last_part(unit, *e.kids[0]);
  std::vector<Type> inner;
  const Expr& first = *e.kids[1];
  const auto& kids = first.is(ExprKind::Tuple) ? first.kids : e.kids;
  for (size_t i = first.is(ExprKind::Tuple) ? 0 : 1; i < kids.size(); ++i) {
    inner.push_back(annotated_type(unit, *kids[i]));
  }
  if (name == "Tuple" || name == "tuple") return Type::tuple(std::move(inner));
  if (inner.size() == 1 && (name == "List" || name == "list")) return Type::list(inner[0]);
  if (inner.size() == 1 && name == "Optional") return Type::optional(inner[0]);
  refuse(unit, e);
}

}  // namespace fusillade::front
