// Subscripts: select, slice, unsqueeze and index on tensors; items of lists, dicts, strings and
// tuples.
#include "engine/front/emit.h"
#include "engine/ops/annotation_text.h"
#include "engine/ops/scalar_operator.h"

namespace fusillade::front {

Value* Emitter::subscript(const Expr& e) {
  Value* of = emit(*e.kids[0]);
  const Type& type = of->type();
  if (type.is_tensor()) return tensor_index(of, e);
  if (type.is(TypeKind::Class)) return class_item(of, e);
  if (e.kids.size() != 2) wrong(e, fmt::format("a {} takes one index", type));
  if (type.is(TypeKind::Tuple)) return tuple_index(of, e);
  if (type.is(TypeKind::List) || type.is(TypeKind::Str)) return sequence_index(of, e);
  if (type.is(TypeKind::Dict)) return apply(op::kGetItem, {of, emit(*e.kids[1])}, e);
  wrong(e,
        fmt::format("a {} cannot be subscripted; tensors, lists, dicts, tuples and strings can{}",
                    type, type.is(TypeKind::Optional) ? ": test it against None before" : ""));
}

// The content of the brackets: slice(1, 3) is 1:3, and Ellipsis is `...`.
const Expr& Emitter::index_part(const Expr& p) {
  if (p.is_name("Ellipsis") && !scopes_.find("Ellipsis")) {
    auto dots = std::make_unique<Expr>();
    dots->kind = ExprKind::Ellipsis;
    dots->begin = p.begin;
    dots->end = p.end;
    return keep(std::move(dots));
  }
  if (!p.is(ExprKind::Call) || !p.kids[0]->is_name("slice") || scopes_.find("slice") ||
      unit_->has_function("slice"))
    return p;
  size_t count = p.kids.size() - 1;
  auto slice = std::make_unique<Expr>();
  slice->kind = ExprKind::Slice;
  slice->begin = p.begin;
  slice->end = p.end;
  slice->kids.resize(3);
  for (size_t i = 0; i < count || count == 0; ++i) {
    if (count == 0 || count > 3 || !p.words[i].empty() || p.kids[i + 1]->is(ExprKind::Starred))
      wrong(p, "a slice is slice(stop), slice(start, stop) or slice(start, stop, step)");
    if (!p.kids[i + 1]->is(ExprKind::None))
      slice->kids[count == 1 ? 1 : i] = copy_of(*p.kids[i + 1]);
  }
  return keep(std::move(slice));
}

// x[1, :, None, ..., 2]: one op per index. Behind `...` dims count from the end. Tensors among the
// indices are gathered for one index op on the view that the others make.
TensorPlace Emitter::tensor_place(Value* of, const Expr& e) {
  std::vector<const Expr*> parts;
  bool one_tuple = e.kids.size() == 2 && e.kids[1]->is(ExprKind::Tuple);
  const auto& kids = one_tuple ? e.kids[1]->kids : e.kids;
  for (size_t i = one_tuple ? 0 : 1; i < kids.size(); ++i) parts.push_back(kids[i].get());
  int64_t dim = 0;
  bool behind = false;
  std::vector<Value*> tensors;
  bool indexed = false;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Expr& p = index_part(*parts[i]);
    if (p.is(ExprKind::Ellipsis)) {
      if (behind) wrong(p, "an index has at most one '...'");
      behind = true;
      dim = 0;
      for (size_t k = i + 1; k < parts.size(); ++k)
        dim -= index_part(*parts[k]).is(ExprKind::None) ? 0 : 1;
      continue;
    }
    if (p.is(ExprKind::None)) {
      of = apply(op::kUnsqueeze, {of, constant(IValue(behind ? dim - 1 : dim++), p)}, e);
      continue;
    }
    if (p.is(ExprKind::Slice)) {
      of = tensor_slice(of, p, dim++, e);
      continue;
    }
    Value* index = emit(p);
    const bool lists = index->type().is(TypeKind::List);
    if (lists && index->type().element().is_tensor() && parts.size() == 1)
      return {of, index};  // x[x.nonzero(as_tuple=True)]
    if (lists) index = apply(op::kTensor, {index}, p);
    if (index->type().is_tensor()) {
      if (behind) wrong(p, "a tensor behind '...' in an index is not supported: write the ':' out");
      while (static_cast<int64_t>(tensors.size()) < dim) tensors.push_back(constant(IValue(), p));
      tensors.push_back(index);
      indexed = true;
      ++dim;
      continue;
    }
    if (!index->type().is(TypeKind::Int)) {
      wrong(p, fmt::format("a tensor is indexed by ints, slices, None, '...' and tensors, given {}",
                           index->type()));
    }
    of = apply(op::kSelect, {of, constant(IValue(dim), p), index}, e);
    if (behind) ++dim;
  }
  Value* indices = indexed ? list_of(tensors, Type::optional(TypeKind::Tensor), e) : nullptr;
  return {of, indices};
}

Value* Emitter::tensor_index(Value* of, const Expr& e) {
  TensorPlace place = tensor_place(of, e);
  return place.indices ? apply(op::kIndex, {place.view, place.indices}, e) : place.view;
}

void Emitter::tensor_store(Value* of, const Expr& target, Value* value) {
  TensorPlace place = tensor_place(of, target);
  if (!value->type().is_tensor()) {
    Value* dtype = apply(tensor_attribute("dtype"), {place.view}, target);
    Value* scalar = list_of({}, TypeKind::Int, target);
    if (value->type().is(TypeKind::Bool)) value = apply(op::kInt, {value}, target);
    value = call_operator(op::kFull, {{scalar, ""}, {value, ""}, {dtype, "dtype"}}, target);
  }
  if (place.indices) apply(op::kIndexPut, {place.view, place.indices, value}, target);
  else apply(op::kCopy, {place.view, value}, target);
}

Value* Emitter::tensor_slice(Value* of, const Expr& slice, int64_t dim, const Expr& e) {
  std::vector<Argument> args{{of, ""}, {constant(IValue(dim), slice), ""}};
  for (int i = 0; i < 3; ++i) {
    const Expr* part = slice.kids[static_cast<size_t>(i)].get();
    args.push_back({part ? emit(*part) : constant(i == 2 ? IValue(1) : IValue(), slice), ""});
  }
  return call_operator(op::kSlice, args, e);
}

Value* Emitter::sequence_index(Value* of, const Expr& e) {
  const Expr& p = index_part(*e.kids[1]);
  if (!p.is(ExprKind::Slice)) return apply(op::kGetItem, {of, as_int(emit(p), p)}, e);
  std::vector<Argument> args{{of, ""}};
  for (int i = 0; i < 3; ++i) {
    const Expr* part = p.kids[static_cast<size_t>(i)].get();
    args.push_back({part ? emit(*part) : constant(i == 2 ? IValue(1) : IValue(), p), ""});
  }
  return call_operator(op::kSlice, args, e);
}

// By a literal; by an int known at run time when all items are of one type; a slice by literals.
Value* Emitter::tuple_index(Value* of, const Expr& e) {
  const Expr& p = index_part(*e.kids[1]);
  if (p.is(ExprKind::Slice)) {
    std::vector<IValue> bounds(3);
    for (size_t i = 0; i < 3; ++i) {
      std::optional<IValue> value = p.kids[i] ? literal_value(*p.kids[i]) : IValue();
      if (!value || !(value->is_int() || value->is_none()))
        wrong(p, "a tuple is sliced by int literals");
      bounds[i] = *value;
    }
    std::vector<Value*> items = items_of(of, e);
    std::vector<Value*> taken;
    int64_t step = bounds[2].is_none() ? 1 : bounds[2].as_int();
    if (step == 0) wrong(p, "the step of a slice cannot be zero");
    for (size_t i : slice_positions(bounds[0], bounds[1], step, items.size()))
      taken.push_back(items[i]);
    return node(prim::tuple_construct(), taken, e)->output();
  }
  std::optional<IValue> index = literal_value(p);
  if (index && index->is_int())
    return node(operator_named(op::kTupleIndex), {of, constant(*index, p)}, e)->output();
  Value* at = emit(p);
  if (!at->type().is(TypeKind::Int)) wrong(p, "a tuple is indexed by an int");
  for (const Type& t : of->type().elements()) {
    if (!(t.without_shapes() == of->type().elements()[0].without_shapes()))
      wrong(p, "a tuple with items of several types is indexed by an int literal");
  }
  return apply(op::kGetItem, {collect(items_from(of, e), e), at}, e);
}

}  // namespace fusillade::front
