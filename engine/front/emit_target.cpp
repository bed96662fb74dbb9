// See emit_target.h.
#include "engine/front/emit_target.h"

#include "engine/front/class_emit.h"
#include "engine/front/emit_index.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {

std::string reassignment_error(const std::string& name, const Type& from, const Type& to) {
  std::string text = fmt::format(
      "variable '{}' previously had type {} but is now being assigned to a value of type {}", name,
      from, to);
  bool plain = to.is_tensor() || to.is(TypeKind::Int) || to.is(TypeKind::Float) ||
               to.is(TypeKind::Bool) || to.is(TypeKind::Str);
  if (from.is(TypeKind::None))
    text += fmt::format("; annotate it where it begins: {}: Optional[{}] = None", name,
                        plain ? annotation_text(to) : "...");
  return text;
}

void Targets::bind(const Expr& target, Value* value, const Expr& from, bool fresh) {
  if (target.is(ExprKind::Name)) return bind_name(target.text, value, target, {}, fresh);
  if (target.is(ExprKind::Subscript)) return to_.subscripts().store(target, value);
  if (target.is(ExprKind::Attribute)) return to_.classes().set_field(target, value);
  bind_tuple(target, value, from, fresh);
}

void Targets::bind_name(const std::string& name, Value* value, const Expr& at,
                        std::optional<Type> declared, bool fresh) {
  const Binding* outer = to_.scopes().find_outer(name);
  const Binding* known = to_.scopes().find(name);
  if (!declared && known && known->declared) declared = known->declared;
  bool must_keep = !fresh && ((outer && outer->value) || declared);
  if (must_keep) {
    Type type = declared ? *declared : outer->refines ? outer->refines->type() : outer->type();
    Value* fitting = to_.convert_to(value, type, at);
    if (!fitting) to_.wrong(at, reassignment_error(name, type, value->type()));
    value = fitting;
  }
  bool temporary = value->name().empty() && value->node() != to_.graph().block()->param_node();
  if (temporary && !value->node()->is(prim::constant())) value->set_name(name);
  to_.scopes().set(name, {value, declared, ""});
}

void Targets::bind_tuple(const Expr& target, Value* value, const Expr& from, bool fresh) {
  const Type& type = value->type();
  size_t count = target.kids.size();
  for (size_t i = 0; i < count; ++i)
    if (target.kids[i]->is(ExprKind::Starred)) return bind_starred(target, value, i, from, fresh);
  std::vector<Value*> items;
  if (type.is(TypeKind::Tuple)) {
    if (type.elements().size() != count) {
      to_.wrong(target, fmt::format("{} values are unpacked from a tuple of {}", count,
                                    type.elements().size()));
    }
    items = to_.items_of(value, from);
  } else if (type.is(TypeKind::List)) {
    items = to_.node(prim::list_unpack(), {value}, from, static_cast<int>(count))->outputs();
    for (Value* item : items) item->set_type(type.element());
  } else {
    to_.wrong(from, fmt::format("a {} cannot be unpacked; tuples and lists can", type));
  }
  for (size_t i = 0; i < count; ++i) bind(*target.kids[i], items[i], from, fresh);
}

// a, *b, c = value: b is the list of what the others leave.
void Targets::bind_starred(const Expr& target, Value* value, size_t star, const Expr& from,
                           bool fresh) {
  size_t behind = target.kids.size() - star - 1;
  if (value->type().is(TypeKind::List)) {
    Value* length = to_.apply(op::kLen, {value}, from);
    int64_t least = static_cast<int64_t>(star + behind);
    to_.require(
        to_.apply(op_of(Sign::GreaterEqual), {length, to_.constant(IValue(least), from)}, from),
        fmt::format("ValueError: not enough values to unpack (expected at least {})", least), from);
    for (size_t i = 0; i < target.kids.size(); ++i) {
      int64_t at = i < star ? static_cast<int64_t>(i)
                            : static_cast<int64_t>(i) - static_cast<int64_t>(target.kids.size());
      if (i != star)
        bind(*target.kids[i],
             to_.apply(op::kGetItem, {value, to_.constant(IValue(at), from)}, from), from, fresh);
    }
    Value* stop = to_.apply(
        op_of(Sign::Sub), {length, to_.constant(IValue(static_cast<int64_t>(behind)), from)}, from);
    Value* rest = to_.apply(
        op::kSlice, {value, to_.constant(IValue(static_cast<int64_t>(star)), from), stop}, from);
    return bind(*target.kids[star]->kids[0], rest, from, fresh);
  }
  if (!value->type().is(TypeKind::Tuple))
    to_.wrong(from, fmt::format("a {} cannot be unpacked; tuples and lists can", value->type()));
  std::vector<Value*> items = to_.items_of(value, from);
  if (items.size() < star + behind) {
    to_.wrong(target, fmt::format("at least {} values are unpacked from a tuple of {}",
                                  star + behind, items.size()));
  }
  size_t taken = items.size() - star - behind;
  std::vector<Value*> rest(items.begin() + static_cast<long>(star),
                           items.begin() + static_cast<long>(star + taken));
  bool uniform = !rest.empty();
  for (Value* v : rest)
    uniform = uniform && v->type().without_shapes() == rest[0]->type().without_shapes();
  for (size_t i = 0; i < target.kids.size(); ++i)
    if (i != star) bind(*target.kids[i], items[i < star ? i : i + taken - 1], from, fresh);
  Value* kept = uniform ? to_.list_of(rest, rest[0]->type(), from) : to_.tuple_of(rest, from);
  bind(*target.kids[star]->kids[0], kept, from, fresh);
}

}  // namespace fusillade::front
