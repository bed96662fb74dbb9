// xs[a:b] = ys and del xs[a:b] of lists, made of what lists have: the new items are put together,
// then the list is cleared and extended by them, so that everybody who holds it sees the change.
// With a step other than 1 the places are a list of ints: each gets its item, and there must be as
// many; del takes them from behind.
#include <algorithm>

#include "engine/front/emit.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {

// `items` is null for del.
void Emitter::store_slice(Value* list, const Expr& slice, Value* items, const Expr& at) {
  const Type type = list->type();
  if (!type.is(TypeKind::List))
    wrong(at,
          fmt::format("a slice of a {} cannot be changed; slices of lists and tensors can", type));
  std::optional<IValue> step = slice.kids[2] ? literal_value(*slice.kids[2]) : IValue(1);
  if (!step || !(step->is_none() || (step->is_int() && step->as_int() != 0)))
    wrong(slice, "the step of a slice that is assigned or deleted is an int literal other than 0");
  if (std::find(iterated_.begin(), iterated_.end(), list) != iterated_.end())
    wrong(at, "this changes a list while a loop runs over it: loop over a copy of it");
  if (items && !items->type().is(TypeKind::List))
    items = collected(items_from(items, at), at, &type);
  Value* fitting = items ? converted(items, type, at) : nullptr;
  if (items && !fitting)
    wrong(at, fmt::format("a slice of a {} cannot be a {}", type, items->type()));
  if (step->is_int() && step->as_int() != 1) return store_steps(list, slice, fitting, at);
  Value* zero = constant(IValue(0), slice);
  Value* start = slice.kids[0] ? emit(*slice.kids[0]) : zero;
  Value* stop = slice.kids[1] ? emit(*slice.kids[1]) : constant(IValue(), slice);
  auto part = [&](Value* from, Value* to) { return apply(op::kSlice, {list, from, to}, at); };
  auto plus = [&](Value* a, Value* b) { return apply(front::binary_op("+", false), {a, b}, at); };
  Value* head = part(zero, start->type().is(TypeKind::None) ? zero : start);
  Value* gone = plus(apply(op::kLen, {head}, at), apply(op::kLen, {part(start, stop)}, at));
  Value* all = plus(fitting ? plus(head, fitting) : head, part(gone, constant(IValue(), at)));
  replace_items(list, all, at);
}

void Emitter::replace_items(Value* list, Value* items, const Expr& at) {
  apply(method_op("clear"), {list}, at);
  apply(method_op("extend"), {list, items}, at);
}

void Emitter::store_steps(Value* list, const Expr& slice, Value* items, const Expr& at) {
  Iterable all;
  all.length = apply(op::kLen, {list}, at);
  all.item = [](Value* turn) { return turn; };
  std::vector<Value*> bounds{collected(all, at)};
  for (const ExprPtr& part : slice.kids)
    bounds.push_back(part ? emit(*part) : constant(IValue(), slice));
  Value* places = apply(op::kSlice, bounds, at);
  if (!items) {
    rows(method_op("sort"), {{places, ""}, {flag(true), "reverse"}}, at);
    return each(items_from(places, at), at,
                [&](Value* place) { apply(op::kDelete, {list, place}, at); });
  }
  Value* count = apply(op::kLen, {places}, at);
  require(apply(compare_op("=="), {apply(op::kLen, {items}, at), count}, at),
          "ValueError: attempt to assign a sequence of another size to a slice with a step", at);
  Value* copy = apply(method_op("copy"), {items}, at);  // of xs in xs[::-1] = xs
  Iterable turns;
  turns.length = count;
  turns.item = [](Value* turn) { return turn; };
  each(turns, at, [&](Value* turn) {
    Value* place = apply(op::kGetItem, {places, turn}, at);
    apply(op::kSetItem, {list, place, apply(op::kGetItem, {copy, turn}, at)}, at);
  });
}

}  // namespace fusillade::front
