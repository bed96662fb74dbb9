// xs[a:b] = ys and del xs[a:b] of lists, made of what lists have: the new items are put together, then the list is
// cleared and extended by them, so that everybody who holds it sees the change.
#include <algorithm>

#include "engine/front/emit.h"

namespace fusillade::front {

// `items` is null for del.
void Emitter::store_slice(Value* list, const Expr& slice, Value* items, const Expr& at) {
  const Type type = list->type();
  if (!type.is(TypeKind::List)) wrong(at, fmt::format("a slice of a {} cannot be changed; slices of lists and tensors can", type.text()));
  std::optional<IValue> step = slice.kids[2] ? literal_value(*slice.kids[2]) : IValue(1);
  bool one = step && (step->is_none() || (step->is_int() && step->as_int() == 1));
  if (!one) wrong(slice, "a slice with a step cannot be assigned or deleted: write a loop");
  if (std::find(iterated_.begin(), iterated_.end(), list) != iterated_.end())
    wrong(at, "this changes a list while a loop runs over it: loop over a copy of it");
  if (items && !items->type().is(TypeKind::List)) items = collected(items_from(items, at), at, &type);
  Value* fitting = items ? converted(items, type, at) : nullptr;
  if (items && !fitting) wrong(at, fmt::format("a slice of a {} cannot be a {}", type.text(), items->type().text()));
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

}  // namespace fusillade::front
