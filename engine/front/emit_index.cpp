// See emit_index.h.
#include "engine/front/emit_index.h"

#include "engine/front/class_emit.h"
#include "engine/front/emit_operator.h"
#include "engine/front/emit_slice.h"
#include "engine/ops/annotation_text.h"
#include "engine/ops/scalar_operator.h"

namespace fusillade::front {

Value* Subscripts::subscript(const Expr& e) {
  Value* of = to_.emit(*e.kids[0]);
  const Type& type = of->type();
  if (type.is_tensor()) return read(tensor_place(of, e), e);
  if (type.is(TypeKind::Class)) return to_.classes().class_item(of, e);
  if (e.kids.size() != 2) to_.wrong(e, fmt::format("a {} takes one index", type));
  if (type.is(TypeKind::Tuple)) return tuple_index(of, e);
  if (type.is(TypeKind::List) || type.is(TypeKind::Str)) return sequence_index(of, e);
  if (type.is(TypeKind::Dict)) return to_.apply(op::kGetItem, {of, to_.emit(*e.kids[1])}, e);
  to_.wrong(
      e, fmt::format("a {} cannot be subscripted; tensors, lists, dicts, tuples and strings can{}",
                     type, type.is(TypeKind::Optional) ? ": test it against None before" : ""));
}

Value* Subscripts::item_key(const Expr& e) {
  if (e.kids.size() == 2) return to_.emit(*e.kids[1]);
  std::vector<Value*> parts;
  for (size_t i = 1; i < e.kids.size(); ++i) parts.push_back(to_.emit(*e.kids[i]));
  return to_.tuple_of(parts, e);
}

const Expr& Subscripts::index_part(const Expr& p) {
  if (p.is_name("Ellipsis") && !to_.scopes().find("Ellipsis")) {
    auto dots = std::make_unique<Expr>();
    dots->kind = ExprKind::Ellipsis;
    dots->begin = p.begin;
    dots->end = p.end;
    return to_.keep(std::move(dots));
  }
  if (!p.is(ExprKind::Call) || !p.kids[0]->is_name("slice") || to_.scopes().find("slice") ||
      to_.unit().has_function("slice"))
    return p;
  size_t count = p.kids.size() - 1;
  auto slice = std::make_unique<Expr>();
  slice->kind = ExprKind::Slice;
  slice->begin = p.begin;
  slice->end = p.end;
  slice->kids.resize(3);
  for (size_t i = 0; i < count || count == 0; ++i) {
    if (count == 0 || count > 3 || !p.words[i].empty() || p.kids[i + 1]->is(ExprKind::Starred))
      to_.wrong(p, "a slice is slice(stop), slice(start, stop) or slice(start, stop, step)");
    if (!p.kids[i + 1]->is(ExprKind::None))
      slice->kids[count == 1 ? 1 : i] = copy_of(*p.kids[i + 1]);
  }
  return to_.keep(std::move(slice));
}

// x[1, :, None, ..., 2]: one op per index. Behind `...` dims count from the end. Tensors among the
// indices are gathered for one index op on the view that the others make.
TensorPlace Subscripts::tensor_place(Value* of, const Expr& e) {
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
      if (behind) to_.wrong(p, "an index has at most one '...'");
      behind = true;
      dim = 0;
      for (size_t k = i + 1; k < parts.size(); ++k)
        dim -= index_part(*parts[k]).is(ExprKind::None) ? 0 : 1;
      continue;
    }
    if (p.is(ExprKind::None)) {
      of = to_.apply(op::kUnsqueeze, {of, to_.constant(IValue(behind ? dim - 1 : dim++), p)}, e);
      continue;
    }
    if (p.is(ExprKind::Slice)) {
      Value* at = to_.constant(IValue(dim++), p);
      of = slice_of({{of, ""}, {at, ""}}, p, e);
      continue;
    }
    Value* index = to_.emit(p);
    const bool lists = index->type().is(TypeKind::List);
    if (lists && index->type().element().is_tensor() && parts.size() == 1)
      return {of, index};  // x[x.nonzero(as_tuple=True)]
    if (lists) index = to_.apply(op::kTensor, {index}, p);
    if (index->type().is_tensor()) {
      if (behind)
        to_.wrong(p, "a tensor behind '...' in an index is not supported: write the ':' out");
      while (static_cast<int64_t>(tensors.size()) < dim)
        tensors.push_back(to_.constant(IValue(), p));
      tensors.push_back(index);
      indexed = true;
      ++dim;
      continue;
    }
    if (!index->type().is(TypeKind::Int)) {
      to_.wrong(
          p, fmt::format("a tensor is indexed by ints, slices, None, '...' and tensors, given {}",
                         index->type()));
    }
    of = to_.apply(op::kSelect, {of, to_.constant(IValue(dim), p), index}, e);
    if (behind) ++dim;
  }
  Value* indices = indexed ? to_.list_of(tensors, Type::optional(TypeKind::Tensor), e) : nullptr;
  return {of, indices};
}

Value* Subscripts::read(const TensorPlace& place, const Expr& e) {
  return place.indices ? to_.apply(op::kIndex, {place.view, place.indices}, e) : place.view;
}

void Subscripts::tensor_store(Value* of, const Expr& target, Value* value) {
  TensorPlace place = tensor_place(of, target);
  if (!value->type().is_tensor()) {
    Value* dtype = to_.apply(tensor_attribute("dtype"), {place.view}, target);
    Value* scalar = to_.list_of({}, TypeKind::Int, target);
    if (value->type().is(TypeKind::Bool)) value = to_.apply(op::kInt, {value}, target);
    value = to_.call_operator(op::kFull, {{scalar, ""}, {value, ""}, {dtype, "dtype"}}, target);
  }
  if (place.indices) to_.apply(op::kIndexPut, {place.view, place.indices, value}, target);
  else to_.apply(op::kCopy, {place.view, value}, target);
}

// `args`: what is sliced, and perhaps the dim.
Value* Subscripts::slice_of(std::vector<Argument> args, const Expr& slice, const Expr& e) {
  for (size_t i = 0; i < 3; ++i) {
    const Expr* part = slice.kids[i].get();
    args.push_back(
        {part ? to_.emit(*part) : to_.constant(i == 2 ? IValue(1) : IValue(), slice), ""});
  }
  return to_.call_operator(op::kSlice, args, e);
}

Value* Subscripts::sequence_index(Value* of, const Expr& e) {
  const Expr& p = index_part(*e.kids[1]);
  if (p.is(ExprKind::Slice)) return slice_of({{of, ""}}, p, e);
  return to_.apply(op::kGetItem, {of, to_.as_int(to_.emit(p), p)}, e);
}

// By a literal; by an int known at run time when all items are of one type; a slice by literals.
Value* Subscripts::tuple_index(Value* of, const Expr& e) {
  const Expr& p = index_part(*e.kids[1]);
  if (p.is(ExprKind::Slice)) {
    std::vector<IValue> bounds(3);
    for (size_t i = 0; i < 3; ++i) {
      std::optional<IValue> value = p.kids[i] ? literal_value(*p.kids[i]) : IValue();
      if (!value || !(value->is_int() || value->is_none()))
        to_.wrong(p, "a tuple is sliced by int literals");
      bounds[i] = *value;
    }
    std::vector<Value*> items = to_.items_of(of, e);
    std::vector<Value*> taken;
    int64_t step = bounds[2].is_none() ? 1 : bounds[2].as_int();
    if (step == 0) to_.wrong(p, "the step of a slice cannot be zero");
    for (size_t i : slice_positions(bounds[0], bounds[1], step, items.size()))
      taken.push_back(items[i]);
    return to_.tuple_of(taken, e);
  }
  std::optional<IValue> index = literal_value(p);
  if (index && index->is_int())
    return to_.exactly(op::kTupleIndex, {of, to_.constant(*index, p)}, e);
  Value* at = to_.emit(p);
  if (!at->type().is(TypeKind::Int)) to_.wrong(p, "a tuple is indexed by an int");
  for (const Type& t : of->type().elements()) {
    if (!(t.without_shapes() == of->type().elements()[0].without_shapes()))
      to_.wrong(p, "a tuple with items of several types is indexed by an int literal");
  }
  return to_.apply(op::kGetItem, {to_.collect(to_.items_from(of, e), e), at}, e);
}

void Subscripts::store(const Expr& target, Value* value) {
  Value* of = to_.emit(*target.kids[0]);
  if (of->type().is_tensor()) return tensor_store(of, target, value);
  if (of->type().is(TypeKind::Class)) {
    if (to_.operators().magic("__setitem__", {of, item_key(target), value}, target)) return;
  }
  bool container = of->type().is(TypeKind::List) || of->type().is(TypeKind::Dict);
  if (!container || target.kids.size() != 2) {
    to_.wrong(
        target,
        fmt::format("an item of a {} cannot be assigned; items of tensors, lists and dicts can",
                    of->type()));
  }
  const Expr& index = index_part(*target.kids[1]);
  if (index.is(ExprKind::Slice)) return store_slice(to_, of, index, value, target);
  to_.apply(op::kSetItem, {of, to_.emit(index), value}, target);
}

void Subscripts::augment_tensor(Value* of, const Expr& target, Sign sign, const Expr& value,
                                const Expr& at) {
  const TensorPlace place = tensor_place(of, target);
  Value* item = read(place, target);
  Value* result = to_.operators().augment_value(sign, item, to_.emit(value), at);
  if (place.indices) to_.apply(op::kIndexPut, {place.view, place.indices, result}, target);
  else if (result != item && sign_row(sign).in_place == sign_row(sign).op)
    to_.apply(op::kCopy, {place.view, result}, target);
}

void Subscripts::augment(const Expr& target, Sign sign, const Expr& value, const Expr& at) {
  Value* of = to_.emit(*target.kids[0]);
  if (of->type().is_tensor()) return augment_tensor(of, target, sign, value, at);
  bool object = of->type().is(TypeKind::Class);
  if (target.kids.size() != 2 && !object) to_.wrong(target, "an item of a list has one index");
  if (target.kids[1]->is(ExprKind::Slice))
    to_.wrong(target, "a slice of a list cannot be assigned: assign the items in a loop");
  Value* index = item_key(target);
  Value* item = object ? to_.operators().magic("__getitem__", {of, index}, target)
                       : to_.apply(op::kGetItem, {of, index}, target);
  if (!item) to_.wrong(target, fmt::format("'{}' has no __getitem__", of->type()));
  Value* result = to_.operators().augment_value(sign, item, to_.emit(value), at);
  if (!object) to_.apply(op::kSetItem, {of, index, result}, target);
  else if (!to_.operators().magic("__setitem__", {of, index, result}, target))
    to_.wrong(target, fmt::format("'{}' has no __setitem__", of->type()));
}

void Subscripts::remove(const Expr& target) {
  Value* of = to_.emit(*target.kids[0]);
  bool container = of->type().is(TypeKind::List) || of->type().is(TypeKind::Dict);
  if (!container || target.kids.size() != 2)
    to_.wrong(target, fmt::format("an item of a {} cannot be deleted", of->type()));
  if (target.kids[1]->is(ExprKind::Slice))
    return store_slice(to_, of, *target.kids[1], nullptr, target);
  if (to_.is_iterated(of))
    to_.wrong(target, "'del' changes what a loop runs over: loop over a copy of it");
  to_.apply(op::kDelete, {of, to_.emit(*target.kids[1])}, target);
}

}  // namespace fusillade::front
