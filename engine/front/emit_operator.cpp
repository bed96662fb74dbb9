// See emit_operator.h.
#include "engine/front/emit_operator.h"

#include <algorithm>

#include "engine/front/class_emit.h"
#include "engine/front/emit_call.h"
#include "engine/front/emit_equality.h"
#include "engine/front/emit_text.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

constexpr int64_t kMaxRepeated = 1000;  // items of a tuple that is written as a product

// Does it have an identity besides its value, which distinguishes it from another that is equal?
bool has_identity(const Type& type) {
  const Type& t = type.is(TypeKind::Optional) ? type.element() : type;
  return t.is_tensor() || t.is(TypeKind::List) || t.is(TypeKind::Dict) || t.is(TypeKind::Class) ||
         t.is(TypeKind::Bool);  // there is one True and one False
}

}  // namespace

bool orderable(const Type& type) {
  if (type.is(TypeKind::List) || (type.is(TypeKind::Tuple) && !type.class_type()))
    return std::all_of(type.elements().begin(), type.elements().end(), orderable);
  return type.is(TypeKind::Int) || type.is(TypeKind::Float) || type.is(TypeKind::Bool) ||
         type.is(TypeKind::Str);
}

Value* Operators::to_bool(Value* value, const Expr& at) {
  const Type& type = value->type();
  if (type.is(TypeKind::Bool)) return value;
  if (type.is(TypeKind::None)) return to_.flag(false);
  if (type.is(TypeKind::Tuple)) return to_.flag(!type.elements().empty());
  if (type.is(TypeKind::List) || type.is(TypeKind::Dict))
    return to_.apply(op::kBool, {to_.apply(op::kLen, {value}, at)}, at);
  if (type.is(TypeKind::Optional)) {
    Value* present = to_.apply(op_of(Sign::IsNot), {value, to_.constant(IValue(), at)}, at);
    auto inside = [&] {
      Value* inner = to_.exactly(op::kUncheckedCast, {value}, at);
      inner->set_type(value->type().element().without_shapes());
      return to_bool(inner, at);
    };
    return to_.choose(present, at, inside, [&] { return to_.flag(false); });
  }
  if (Value* v = class_builtin("bool", value, at)) return v;
  std::string why;
  if (Value* v = to_.try_overloads(op::kBool, {{value, ""}}, at, &why)) return v;
  to_.wrong(at, fmt::format("could not cast value of type {} to bool", value->type()));
}

Value* Operators::binary_op(Sign sign, Value* left, Value* right, const Expr& at) {
  const Type& a = left->type();
  const Type& b = right->type();
  if (sign == Sign::Mod && a.is(TypeKind::Str)) return percent(to_, left, right, at);
  if (Value* v = magic_binary(sign, left, right, at)) return v;
  if (sign == Sign::Add && a.is(TypeKind::Tuple) && b.is(TypeKind::Tuple)) {
    std::vector<Value*> items = to_.items_of(left, at);
    for (Value* v : to_.items_of(right, at)) items.push_back(v);
    return to_.tuple_of(items, at);
  }
  const Node* times = right->node();
  bool tuples = sign == Sign::Mul && a.is(TypeKind::Tuple) && b.is(TypeKind::Int) &&
                times->is(prim::constant());
  if (tuples &&
      times->constant().as_int() * static_cast<int64_t>(a.elements().size()) <= kMaxRepeated) {
    std::vector<Value*> items, once = to_.items_of(left, at);
    for (int64_t i = 0; i < times->constant().as_int(); ++i)
      items.insert(items.end(), once.begin(), once.end());
    return to_.tuple_of(items, at);
  }
  auto whole = [](const Type& t) { return t.is(TypeKind::Int) || t.is(TypeKind::Bool); };
  if (sign == Sign::Pow && whole(a) && whole(b))
    return to_.exactly(op::kIntPower, {to_.as_int(left, at), to_.as_int(right, at)}, at);
  bool repeated = sign == Sign::Mul && (a.is(TypeKind::Str) || a.is(TypeKind::List) ||
                                        b.is(TypeKind::Str) || b.is(TypeKind::List));
  if (repeated) return to_.apply(op_of(sign), {to_.as_int(left, at), to_.as_int(right, at)}, at);
  bool floored = sign == Sign::FloorDiv && b.is_tensor() && !a.is_tensor();
  if (floored) {  // the number as a tensor that promotes as a number does
    Value* zeros = to_.apply(method_op("zeros_like"), {right}, at);
    return binary_op(sign, to_.numeric(op_of(Sign::Add, true), {zeros, left}, at), right, at);
  }
  return to_.numeric(op_of(sign, a.is_tensor()), {left, right}, at);
}

Value* Operators::augment_value(Sign sign, Value* left, Value* right, const Expr& at) {
  if (Value* v = magic_in_place(sign, left, right, at)) return v;
  bool tensor = left->type().is_tensor();
  bool list = left->type().is(TypeKind::List) && (sign == Sign::Add || sign == Sign::Mul);
  if (list && to_.is_iterated(left))
    to_.wrong(at,
              fmt::format("'{}=' changes a list while a loop runs over it: loop over a copy of it",
                          text_of(sign)));
  const char* base = sign_row(sign).in_place;
  if (tensor) return to_.apply(base, {left, to_.bool_tensor(right, at)}, at);
  return list ? to_.apply(base, {left, to_.as_int(right, at)}, at)
              : binary_op(sign, left, right, at);
}

Value* Operators::compare_pair(Sign sign, Value* left, Value* right, const Expr& at) {
  if (Value* v = magic_compare(sign, left, right, at)) return v;
  if (is_membership(sign)) {
    Value* found = contains_item(left, right, at);
    return sign == Sign::In ? found : to_.negation(found, at);
  }
  const bool equality = is_equality(sign), ordering = is_ordering(sign);
  bool none = left->type().is(TypeKind::None) || right->type().is(TypeKind::None);
  const bool is = is_identity(sign);
  const bool bools = left->type().is(TypeKind::Bool) && right->type().is(TypeKind::Bool);
  if (is && bools)
    return to_.apply(op_of(sign == Sign::Is ? Sign::Equal : Sign::NotEqual), {left, right}, at);
  if (is && !none) {
    for (const Value* v : {left, right})
      if (!has_identity(v->type()))
        to_.wrong(
            at, fmt::format("'is' compares with None, and tensors, lists, dicts, objects and bools "
                            "with each other; given {}",
                            v->type()));
    return to_.apply(op_of(sign), {left, right}, at);
  }
  if (none && (is || equality)) {
    const Type& other = left->type().is(TypeKind::None) ? right->type() : left->type();
    bool same = sign == Sign::Is || sign == Sign::Equal;
    bool may_be_none =
        other.is(TypeKind::Optional) || other.is(TypeKind::Union) || other.is(TypeKind::Any);
    if (!may_be_none) return to_.constant(IValue(other.is(TypeKind::None) == same), at);
    return to_.apply(op_of(same ? Sign::Is : Sign::IsNot), {left, right}, at);
  }
  if ((equality || ordering) && left->type().is(TypeKind::Tuple) &&
      right->type().is(TypeKind::Tuple))
    return compare_tuples(sign, left, right, at);
  bool lists = left->type().is(TypeKind::List) && right->type().is(TypeKind::List);
  bool dicts = left->type().is(TypeKind::Dict) && right->type().is(TypeKind::Dict);
  auto is_dynamic = [](const Type& t) {
    return (t.is(TypeKind::Optional) && !t.element().is_tensor()) || t.is(TypeKind::Union) ||
           t.is(TypeKind::Any);
  };
  bool loose = is_dynamic(left->type()) || is_dynamic(right->type());
  if (ordering && lists) {
    for (const Value* v : {left, right})
      if (!orderable(v->type().element()))
        to_.wrong(at, fmt::format("items of a {} have no order", v->type()));
    if (!(left->type().without_shapes() == right->type().without_shapes()))
      to_.wrong(at, fmt::format("lists of one type have an order, given {} and {}", left->type(),
                                right->type()));
  }
  auto own = [&](const Value* v) { return to_.program().own_equality(v->type()); };
  if (equality && lists && own(left) && own(right)) {
    Value* same = equal_lists(to_, left, right, at);
    return sign == Sign::Equal ? same : to_.negation(same, at);
  }
  if (equality && (own(left) || own(right)))
    to_.wrong(at, fmt::format("'{}' of {} and {} holds objects with an == of their own: take the "
                              "objects out (a None is told by 'is')",
                              text_of(sign), left->type(), right->type()));
  bool alike = left->type().without_shapes() == right->type().without_shapes();
  if (equality && (loose || ((lists || dicts) && !alike))) {
    Value* same = to_.exactly(op::kEqual, {left, right}, at);
    return sign == Sign::Equal ? same : to_.negation(same, at);
  }
  return to_.numeric(op_of(sign), {left, right}, at);
}

// Item by item, all of them. The first pair that is not equal decides the order, or else the
// lengths.
Value* Operators::compare_tuples(Sign sign, Value* left, Value* right, const Expr& at) {
  std::vector<Value*> a = to_.items_of(left, at);
  std::vector<Value*> b = to_.items_of(right, at);
  if (is_ordering(sign)) {
    bool less = sign == Sign::Less || sign == Sign::LessEqual,
         shorter = less ? a.size() < b.size() : a.size() > b.size();
    Value* holds = to_.flag(
        a.size() == b.size() ? sign == Sign::LessEqual || sign == Sign::GreaterEqual : shorter);
    for (size_t i = std::min(a.size(), b.size()); i-- > 0;) {
      Value* strict = to_bool(compare_pair(less ? Sign::Less : Sign::Greater, a[i], b[i], at), at);
      Value* equal = to_bool(compare_pair(Sign::Equal, a[i], b[i], at), at);
      holds = to_.apply(op_of(Sign::BitOr),
                        {strict, to_.apply(op_of(Sign::BitAnd), {equal, holds}, at)}, at);
    }
    return holds;
  }
  Value* same = to_.constant(IValue(a.size() == b.size()), at);
  for (size_t i = 0; a.size() == b.size() && i < a.size(); ++i) {
    Value* here = to_bool(compare_pair(Sign::Equal, a[i], b[i], at), at);
    same = i ? to_.apply(op_of(Sign::BitAnd), {same, here}, at) : here;
  }
  return sign == Sign::Equal ? same : to_.negation(same, at);
}

Value* Operators::contains_item(Value* item, Value* in, const Expr& at) {
  if (in->type().is(TypeKind::List) && to_.program().own_equality(in->type().element()))
    return to_.apply(op::kContains,
                     {equal_items(to_, in, [&](Value*) { return item; }, at), to_.flag(true)}, at);
  if (!in->type().is(TypeKind::Tuple)) return to_.apply(op::kContains, {in, item}, at);
  Value* found = to_.flag(false);
  for (Value* v : to_.items_of(in, at)) {
    Value* here = to_bool(compare_pair(Sign::Equal, item, v, at), at);
    found = to_.apply(op_of(Sign::BitOr), {found, here}, at);
  }
  return found;
}

Value* Operators::magic(const char* name, const std::vector<Value*>& values, const Expr& at) {
  const Type type = values[0]->type();
  if (!type.class_type()) return nullptr;
  ClassInfo& info = to_.program().info(*type.class_type());
  if (!to_.program().find_method({info.unit, info.syntax}, name)) return nullptr;
  const Compiled& c = to_.program().method(info, name, to_.source(), at);
  std::vector<Argument> args;
  for (Value* v : values) args.push_back({v, ""});
  return to_.calls().compiled_call(c, type.class_type()->name + "." + name, std::move(args), at);
}

Value* Operators::class_builtin(const std::string& name, Value* of, const Expr& e) {
  if (!is_object(of)) return nullptr;
  const Type type = of->type();
  const ClassType& cls = *type.class_type();
  const ClassInfo& info = to_.program().info(cls);
  if (name == "len" && info.container != Container::None) {
    auto is_item = [&](const Field& f) { return info.holds(f.kind); };
    return to_.constant(
        IValue(static_cast<int64_t>(std::count_if(cls.fields.begin(), cls.fields.end(), is_item))),
        e);
  }
  if (name == "str") return as_text(to_, of, e, Shown::Str);
  if (Value* v = magic(("__" + name + "__").c_str(), {of}, e)) return v;
  if (name == "bool") {
    if (Value* length = magic("__len__", {of}, e)) return to_bool(length, e);
    return to_.flag(true);
  }
  to_.wrong(e, fmt::format("'{}' has no __{}__", plain_name(cls), name));
}

// a += b: __iadd__ of an object, or nothing.
Value* Operators::magic_in_place(Sign sign, Value* left, Value* right, const Expr& at) {
  if (!is_object(left)) return nullptr;
  return magic(fmt::format("__i{}", sign_row(sign).method + 2).c_str(), {left, right}, at);
}

// Two of one dataclass without an __eq__ of its own are equal as the tuples of their fields are,
// and with order=True ordered as these.
Value* Operators::compare_fields(Sign sign, Value* left, Value* right, const Expr& at) {
  if (!is_object(left) || !is_object(right)) return nullptr;
  const ClassPtr& cls = left->type().class_type();
  if (right->type().class_type().get() != cls.get()) return nullptr;
  const ClassInfo& info = to_.program().info(*cls);
  const std::vector<ExprPtr>& decorators = info.syntax->decorators;
  bool equality = is_equality(sign), ordering = is_ordering(sign);
  bool compares = equality ? to_.program().compares_fields(*cls)
                           : ordering && has_option(decorators, "dataclass", "order");
  if (!compares) return nullptr;
  Value* sides[2] = {left, right};
  for (Value*& side : sides) {
    std::vector<Value*> items;
    for (size_t i = 0; i < info.given_fields(); ++i)
      if (info.options(cls->fields[i].name).compare)
        items.push_back(
            to_.classes().get_field(side, cls->fields[i].name, cls->fields[i].type, at));
    side = to_.tuple_of(items, at);
  }
  return compare_tuples(sign, sides[0], sides[1], at);
}

Value* Operators::magic_binary(Sign sign, Value* left, Value* right, const Expr& at) {
  if (!is_object(left) && !is_object(right)) return nullptr;
  const SignRow& row = sign_row(sign);
  if (Value* v = magic(row.method, {left, right}, at)) return v;
  if (Value* v = row.turned ? magic(row.turned, {right, left}, at) : nullptr) return v;
  if (Value* v = compare_fields(sign, left, right, at)) return v;
  to_.wrong(at, fmt::format("'{}' of {} and {}: neither class has {}", text_of(sign), left->type(),
                            right->type(), row.method));
}

Value* Operators::magic_compare(Sign sign, Value* left, Value* right, const Expr& at) {
  if (is_membership(sign)) {
    Value* found = magic("__contains__", {right, left}, at);
    const ClassInfo* info =
        is_object(right) ? &to_.program().info(*right->type().class_type()) : nullptr;
    if (!found && info && info->container == Container::Dict && left->type().is(TypeKind::Str)) {
      found = to_.flag(false);
      for (const Field& f : info->type->fields) {
        if (!info->holds(f.kind)) continue;
        Value* here =
            to_.apply(op_of(Sign::Equal), {left, to_.constant(IValue::str(f.name), at)}, at);
        found = to_.apply(op_of(Sign::BitOr), {found, here}, at);
      }
    }
    return !found || sign == Sign::In ? found : to_.negation(found, at);
  }
  bool enums = left->type().is(TypeKind::Enum) && right->type().is(TypeKind::Enum);
  if (enums && is_identity(sign))
    return to_.apply(op_of(sign == Sign::Is ? Sign::Equal : Sign::NotEqual), {left, right}, at);
  return is_identity(sign) ? nullptr : magic_binary(sign, left, right, at);
}

}  // namespace fusillade::front
