// Equality of lists of objects. The operators for lists compare objects by identity; Python asks
// `is` and then the class's ==, which a call has to say. Each item is asked, also behind one that
// decides.
#include "engine/front/emit_equality.h"

#include "engine/front/class.h"
#include "engine/front/emit_operator.h"

namespace fusillade::front {

bool Program::own_equality(const Type& type) {
  return any_part(type, [&](const Type& t) {
    if (!t.is(TypeKind::Class)) return false;
    const ClassInfo& own = info(*t.class_type());
    return find_method({own.unit, own.syntax}, "__eq__") || compares_fields(*t.class_type());
  });
}

bool Program::compares_fields(const ClassType& cls) {
  const std::vector<ExprPtr>& decorators = info(cls).syntax->decorators;
  return decorated_with(decorators, "dataclass") &&
         !has_option(decorators, "dataclass", "eq", false);
}

Value* equal_items(Emitter& to, Value* list, const std::function<Value*(Value*)>& wanted,
                   const Expr& at) {
  Iterable over = to.items_from(list, at);
  over.item = [&, get = over.item](Value* iteration) {
    Value *item = get(iteration), *other = wanted(iteration);
    Value* equal =
        to.operators().to_bool(to.operators().compare_pair(Sign::Equal, item, other, at), at);
    if (!item->type().is(TypeKind::Class)) return equal;
    return to.apply(op_of(Sign::BitOr), {to.apply(op_of(Sign::Is), {item, other}, at), equal}, at);
  };
  const Type bools = Type::list(TypeKind::Bool);
  return to.collect(over, at, &bools);
}

Value* equal_lists(Emitter& to, Value* left, Value* right, const Expr& at) {
  Value* alike = to.apply(op_of(Sign::Equal),
                          {to.apply(op::kLen, {left}, at), to.apply(op::kLen, {right}, at)}, at);
  auto item_of = [&](Value* iteration) { return to.apply(op::kGetItem, {right, iteration}, at); };
  auto all = [&] {
    return to.apply(
        op::kNot,
        {to.apply(op::kContains, {equal_items(to, left, item_of, at), to.flag(false)}, at)}, at);
  };
  return to.choose(alike, at, all, [&] { return to.flag(false); });
}

}  // namespace fusillade::front
