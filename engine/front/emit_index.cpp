// Subscripts: select, slice and unsqueeze chains on tensors; items of lists and tuples.
#include "engine/front/emit.h"

namespace fusillade::front {

Value* Emitter::subscript(const Expr& e) {
  Value* of = emit(*e.kids[0]);
  const Type& type = of->type();
  if (type.is_tensor()) return tensor_index(of, e);
  if (type.is(TypeKind::Class)) return class_item(of, e);
  if (e.kids.size() != 2) wrong(e, fmt::format("a {} takes one index", type.text()));
  if (type.is(TypeKind::Tuple)) return tuple_index(of, e);
  if (type.is(TypeKind::List) || type.is(TypeKind::Str)) return sequence_index(of, e);
  wrong(e, fmt::format("a {} cannot be subscripted; tensors, lists, tuples and strings can",
                       type.text()));
}

// x[1, :, None, ..., 2]: one op per index. Behind `...` dims count from the end.
Value* Emitter::tensor_index(Value* of, const Expr& e) {
  std::vector<const Expr*> parts;
  bool one_tuple = e.kids.size() == 2 && e.kids[1]->is(ExprKind::Tuple);
  const auto& kids = one_tuple ? e.kids[1]->kids : e.kids;
  for (size_t i = one_tuple ? 0 : 1; i < kids.size(); ++i) parts.push_back(kids[i].get());
  int64_t dim = 0;
  bool behind = false;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Expr& p = *parts[i];
    if (p.is(ExprKind::Ellipsis)) {
      if (behind) wrong(p, "an index has at most one '...'");
      behind = true;
      dim = 0;
      for (size_t k = i + 1; k < parts.size(); ++k) dim -= 1;
    } else if (p.is(ExprKind::None)) {
      of = apply(op::kUnsqueeze, {of, constant(IValue(dim++), p)}, e);
    } else if (p.is(ExprKind::Slice)) {
      of = tensor_slice(of, p, dim++, e);
    } else {
      Value* index = emit(p);
      if (!index->type().is(TypeKind::Int)) {
        wrong(p, fmt::format("a tensor is indexed by ints, slices, None and '...', given {}",
                             index->type().text()));
      }
      of = apply(op::kSelect, {of, constant(IValue(dim), p), index}, e);
      if (behind) ++dim;
    }
  }
  return of;
}

Value* Emitter::tensor_slice(Value* of, const Expr& slice, int64_t dim, const Expr& e) {
  std::vector<Argument> args{{of, ""}, {constant(IValue(dim), slice), ""}};
  for (int i = 0; i < 3; ++i) {
    const Expr* part = slice.kids[static_cast<size_t>(i)].get();
    args.push_back({part ? emit(*part) : constant(i == 2 ? IValue(1) : IValue(), slice), ""});
  }
  return rows(op::kSlice, args, e);
}

Value* Emitter::sequence_index(Value* of, const Expr& e) {
  const Expr& p = *e.kids[1];
  if (!p.is(ExprKind::Slice)) return apply(op::kGetItem, {of, emit(p)}, e);
  std::vector<Argument> args{{of, ""}};
  for (int i = 0; i < 3; ++i) {
    const Expr* part = p.kids[static_cast<size_t>(i)].get();
    args.push_back({part ? emit(*part) : constant(i == 2 ? IValue(1) : IValue(), p), ""});
  }
  return rows(op::kSlice, args, e);
}

Value* Emitter::tuple_index(Value* of, const Expr& e) {
  std::optional<IValue> index = literal_value(*e.kids[1]);
  if (!index || !index->is_int()) wrong(*e.kids[1], "a tuple is indexed by an int literal");
  return node(row(op::kTupleIndex), {of, constant(*index, *e.kids[1])}, e)->output();
}

}  // namespace fusillade::front
