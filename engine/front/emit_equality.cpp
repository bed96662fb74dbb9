// Equality of lists of objects. The rows for lists compare objects by identity; Python asks `is`
// and then the class's ==, which a call has to say. Each item is asked, also behind one that
// decides.
#include <algorithm>

#include "engine/front/class.h"
#include "engine/front/emit.h"

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

// For each item of a list, whether it is `wanted(turn)` or equals it.
Value* Emitter::equal_items(Value* list, const std::function<Value*(Value*)>& wanted,
                            const Expr& at) {
  Iterable over = items_from(list, at);
  over.item = [&, get = over.item](Value* turn) {
    Value *item = get(turn), *other = wanted(turn);
    Value* equal = to_bool(compare_pair("==", item, other, at), at);
    if (!item->type().is(TypeKind::Class)) return equal;
    return apply(front::binary_op("|", false), {apply(compare_op("is"), {item, other}, at), equal},
                 at);
  };
  const Type bools = Type::list(TypeKind::Bool);
  return collected(over, at, &bools);
}

Value* Emitter::equal_lists(Value* left, Value* right, const Expr& at) {
  Value* alike =
      apply(compare_op("=="), {apply(op::kLen, {left}, at), apply(op::kLen, {right}, at)}, at);
  auto item_of = [&](Value* turn) { return apply(op::kGetItem, {right, turn}, at); };
  auto all = [&] {
    return apply(op::kNot,
                 {apply(op::kContains, {equal_items(left, item_of, at), flag(false)}, at)}, at);
  };
  return choose(alike, at, all, [&] { return flag(false); });
}

// l.count(x), l.index(x), l.remove(x) of objects; nullptr for other methods.
Value* Emitter::object_list_method(const std::string& name, const std::vector<Argument>& args,
                                   const Expr& at) {
  bool counts = name == "count", finds = name == "index" || name == "remove";
  if ((!counts && !finds) || args.size() != 2 ||
      !unit_.program().own_equality(args[0].value->type().element()))
    return nullptr;
  Value* equal = equal_items(args[0].value, [&](Value*) { return args[1].value; }, at);
  if (counts) return apply(method_op("count"), {equal, flag(true)}, at);
  require(apply(op::kContains, {equal, flag(true)}, at),
          "ValueError: the object is not in the list", at);
  Value* place = apply(method_op("index"), {equal, flag(true)}, at);
  if (name == "index") return place;
  apply(method_op("pop"), {args[0].value, place}, at);
  return constant(IValue(), at);
}

}  // namespace fusillade::front
