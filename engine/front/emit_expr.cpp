// Expressions: literals, names, operators, attributes.
#include "engine/base/text.h"
#include "engine/front/emit.h"

namespace fusillade::front {
std::optional<IValue> literal_value(const Expr& e) {
  switch (e.kind) {
    case ExprKind::Int:
      return IValue(e.integer);
    case ExprKind::Float:
      return IValue(e.real);
    case ExprKind::True:
    case ExprKind::False:
      return IValue(e.is(ExprKind::True));
    case ExprKind::None:
      return IValue();
    case ExprKind::Str:
      return IValue::str(e.text);
    case ExprKind::Unary: {
      std::optional<IValue> inner = e.text == "-" ? literal_value(*e.kids[0]) : std::nullopt;
      if (inner && inner->is_int()) return IValue(-inner->as_int());
      if (inner && inner->is_float()) return IValue(-inner->as_double());
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

Value* Emitter::emit(const Expr& e, const Type* hint) {
  if (std::optional<IValue> literal = literal_value(e)) {
    Value* v = constant(*literal, e);
    if (literal->is_none() && hint && hint->is(TypeKind::Optional)) v->set_type(hint->unshaped());
    return v;
  }
  switch (e.kind) {
    case ExprKind::Name:
      return name(e);
    case ExprKind::Attribute:
      return attribute(e);
    case ExprKind::Call:
      return call(e);
    case ExprKind::Subscript:
      return subscript(e);
    case ExprKind::List:
      return list(e, hint);
    case ExprKind::Tuple:
      return tuple(e, hint);
    case ExprKind::Unary:
      return unary(e);
    case ExprKind::Binary:
      return binary(e);
    case ExprKind::Boolean:
      return boolean(e);
    case ExprKind::Compare:
      return compare(e);
    case ExprKind::Ternary:
      return ternary(e, hint);
    default:
      wrong(e, "this expression stands only inside a subscript");
  }
}

Value* Emitter::name(const Expr& e) {
  if (const Binding* b = scopes_.find(e.text)) {
    if (b->value) return b->value;
    wrong(e, b->problem);
  }
  auto constant_of_file = unit_.module().constants.find(e.text);
  if (constant_of_file != unit_.module().constants.end()) {
    std::optional<IValue> value = literal_value(*constant_of_file->second);
    if (value) return constant(*value, e);
    wrong(*constant_of_file->second, "a name at the top of a script is bound to a literal");
  }
  std::string path = module_path(e);
  if (!path.empty()) {
    if (std::optional<IValue> value = module_constant(path)) return constant(*value, e);
    wrong(e, fmt::format("'{}' is a module or a function, not a value", e.text));
  }
  if (unit_.has_function(e.text))
    wrong(e, fmt::format("the function '{}' is not a value; call it", e.text));
  wrong(e, fmt::format("undefined value {}{}", e.text, near_misses(e.text, scopes_.names())));
}

Value* Emitter::attribute(const Expr& e) {
  std::string path = module_path(e);
  if (!path.empty()) {
    if (std::optional<IValue> value = module_constant(path)) return constant(*value, e);
    wrong(e, fmt::format(
                 "'{}' is not a value; supported are dtypes (torch.float32), math.pi and calls",
                 path));
  }
  if (Value* member = class_attribute(e)) return member;
  Value* of = emit(*e.kids[0]);
  if (of->type().class_type()) return field(of, e);
  const char* base = of->type().is_tensor() ? tensor_attribute(e.text) : nullptr;
  if (base) return apply(base, {of}, e);
  wrong(e, fmt::format("a {} has no attribute '{}'; attributes of tensors are {}",
                       of->type().text(), e.text, tensor_attributes()));
}

Value* Emitter::list(const Expr& e, const Type* hint) {
  const Type* wanted = hint && hint->is(TypeKind::Optional) ? &hint->element() : hint;
  const Type* element = wanted && wanted->is(TypeKind::List) ? &wanted->element() : nullptr;
  std::vector<Value*> items;
  std::optional<Type> common;
  for (const ExprPtr& kid : e.kids) {
    Value* item = emit(*kid, element);
    Type type = item->type().unshaped();
    if (element && type.subtype_of(*element)) type = *element;
    Type joined = common ? unify(*common, type) : type;
    if (joined.is(TypeKind::Any)) {
      wrong(*kid, fmt::format("lists must contain only a single type: {} and {}", common->text(),
                              type.text()));
    }
    common = joined;
    items.push_back(item);
  }
  if (!common) common = element ? *element : Type(TypeKind::Tensor);
  return list_of(items, *common, e);
}

Value* Emitter::tuple(const Expr& e, const Type* hint) {
  bool fits = hint && hint->is(TypeKind::Tuple) && hint->elements().size() == e.kids.size();
  std::vector<Value*> items;
  for (size_t i = 0; i < e.kids.size(); ++i) {
    items.push_back(emit(*e.kids[i], fits ? &hint->elements()[i] : nullptr));
  }
  return node(prim::tuple_construct(), items, e)->output();
}

Value* Emitter::unary(const Expr& e) {
  Value* of = emit(*e.kids[0]);
  if (e.text == "not") return apply(op::kNot, {to_bool(of, *e.kids[0])}, e);
  if (Value* v = magic(e.text == "-" ? "__neg__" : "__invert__", {of}, e)) return v;
  if (e.text == "-") return apply(op::kNeg, {of}, e);
  if (e.text == "~") return apply(op::kInvert, {of}, e);
  bool legal =
      of->type().is_tensor() || of->type().is(TypeKind::Int) || of->type().is(TypeKind::Float);
  if (!legal) wrong(e, fmt::format("unary '+' of a {}", of->type().text()));
  return of;
}

Value* Emitter::binary(const Expr& e) {
  Value* left = emit(*e.kids[0]);
  Value* right = emit(*e.kids[1]);
  return binary_op(e.text, left, right, e);
}

Value* Emitter::binary_op(const std::string& op, Value* left, Value* right, const Expr& at) {
  if (Value* v = magic_binary(op, left, right, at)) return v;
  const char* base = front::binary_op(op, left->type().is_tensor());
  if (base) return apply(base, {left, right}, at);
  FUS_BUG("the parser made an operator '{}'", op);
}

Value* Emitter::boolean(const Expr& e) {
  Value* left = to_bool(emit(*e.kids[0]), *e.kids[0]);
  bool is_and = e.text == "and";
  auto right = [&] {
    refine(*e.kids[0], is_and);
    return to_bool(emit(*e.kids[1]), *e.kids[1]);
  };
  auto decided = [&] { return flag(!is_and); };
  return is_and ? choose(left, e, right, decided) : choose(left, e, decided, right);
}

// a < b < c is a < b and b < c, with b computed once.
Value* Emitter::compare(const Expr& e) {
  std::function<Value*(size_t, Value*)> from = [&](size_t i, Value* left) -> Value* {
    Value* right = emit(*e.kids[i + 1]);
    Value* here = compare_pair(e.words[i], left, right, e);
    if (i + 1 == e.words.size()) return here;
    return choose(
        to_bool(here, e), e, [&] { return to_bool(from(i + 1, right), e); },
        [&] { return flag(false); });
  };
  return from(0, emit(*e.kids[0]));
}

Value* Emitter::compare_pair(const std::string& op, Value* left, Value* right, const Expr& at) {
  if (Value* v = magic_compare(op, left, right, at)) return v;
  if (op == "in" || op == "not in") {
    Value* found = apply(op::kContains, {right, left}, at);
    return op == "in" ? found : apply(op::kNot, {found}, at);
  }
  if (op == "is" || op == "is not") {
    bool none = left->type().is(TypeKind::None) || right->type().is(TypeKind::None);
    if (!none) wrong(at, "'is' compares with None only");
    const Type& other = left->type().is(TypeKind::None) ? right->type() : left->type();
    if (!other.is(TypeKind::Optional))
      return constant(IValue(other.is(TypeKind::None) == (op == "is")), at);
  }
  if (const char* base = compare_op(op)) return apply(base, {left, right}, at);
  FUS_BUG("the parser made a comparison '{}'", op);
}

Value* Emitter::ternary(const Expr& e, const Type* hint) {
  if (std::optional<bool> known = static_condition(*e.kids[0]))
    return emit(*e.kids[*known ? 1 : 2], hint);
  Value* condition = to_bool(emit(*e.kids[0]), *e.kids[0]);
  return choose(
      condition, e,
      [&] {
        refine(*e.kids[0], true);
        return emit(*e.kids[1], hint);
      },
      [&] {
        refine(*e.kids[0], false);
        return emit(*e.kids[2], hint);
      });
}

}  // namespace fusillade::front
