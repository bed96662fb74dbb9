// xs[a:b] = ys and del xs[a:b] of lists, built from operators of lists: the new items are
// concatenated, then the list is cleared and extended by them, so that all its owners see the
// change. With a step other than 1 the indices are a list of ints: each gets its item, and there
// must be as many; del removes them from the end.
#include "engine/front/emit_slice.h"

#include "engine/ops/annotation_text.h"

namespace fusillade::front {

static void store_steps(Emitter& to, Value* list, const Expr& slice, Value* items, const Expr& at) {
  Iterable all;
  all.length = to.apply(op::kLen, {list}, at);
  all.item = [](Value* iteration) { return iteration; };
  std::vector<Value*> bounds{to.collect(all, at)};
  for (const ExprPtr& part : slice.kids)
    bounds.push_back(part ? to.emit(*part) : to.constant(IValue(), slice));
  Value* indices = to.apply(op::kSlice, bounds, at);
  if (!items) {
    to.call_operator(method_op("sort"), {{indices, ""}, {to.flag(true), "reverse"}}, at);
    return to.each(to.items_from(indices, at), at,
                   [&](Value* index) { to.apply(op::kDelete, {list, index}, at); });
  }
  Value* count = to.apply(op::kLen, {indices}, at);
  to.require(to.apply(op_of(Sign::Equal), {to.apply(op::kLen, {items}, at), count}, at),
             "ValueError: attempt to assign a sequence of another size to a slice with a step", at);
  Value* copy = to.apply(method_op("copy"), {items}, at);  // of xs in xs[::-1] = xs
  Iterable iterations;
  iterations.length = count;
  iterations.item = [](Value* iteration) { return iteration; };
  to.each(iterations, at, [&](Value* iteration) {
    Value* index = to.apply(op::kGetItem, {indices, iteration}, at);
    to.apply(op::kSetItem, {list, index, to.apply(op::kGetItem, {copy, iteration}, at)}, at);
  });
}

void store_slice(Emitter& to, Value* list, const Expr& slice, Value* items, const Expr& at) {
  const Type type = list->type();
  if (!type.is(TypeKind::List))
    to.wrong(at, fmt::format("a slice of a {} cannot be changed; slices of lists and tensors can",
                             type));
  std::optional<IValue> step = slice.kids[2] ? literal_value(*slice.kids[2]) : IValue(1);
  if (!step || !(step->is_none() || (step->is_int() && step->as_int() != 0)))
    to.wrong(slice,
             "the step of a slice that is assigned or deleted is an int literal other than 0");
  if (to.is_iterated(list))
    to.wrong(at, "this changes a list while a loop runs over it: loop over a copy of it");
  if (items && !items->type().is(TypeKind::List))
    items = to.collect(to.items_from(items, at), at, &type);
  Value* fitting = items ? to.convert_to(items, type, at) : nullptr;
  if (items && !fitting)
    to.wrong(at, fmt::format("a slice of a {} cannot be a {}", type, items->type()));
  if (step->is_int() && step->as_int() != 1) return store_steps(to, list, slice, fitting, at);
  Value* zero = to.constant(IValue(0), slice);
  Value* start = slice.kids[0] ? to.emit(*slice.kids[0]) : zero;
  Value* stop = slice.kids[1] ? to.emit(*slice.kids[1]) : to.constant(IValue(), slice);
  auto part = [&](Value* first, Value* last) {
    return to.apply(op::kSlice, {list, first, last}, at);
  };
  auto plus = [&](Value* a, Value* b) { return to.apply(op_of(Sign::Add), {a, b}, at); };
  Value* head = part(zero, start->type().is(TypeKind::None) ? zero : start);
  Value* gone = plus(to.apply(op::kLen, {head}, at), to.apply(op::kLen, {part(start, stop)}, at));
  Value* all = plus(fitting ? plus(head, fitting) : head, part(gone, to.constant(IValue(), at)));
  replace_items(to, list, all, at);
}

void replace_items(Emitter& to, Value* list, Value* items, const Expr& at) {
  to.apply(method_op("clear"), {list}, at);
  to.apply(method_op("extend"), {list, items}, at);
}

}  // namespace fusillade::front
