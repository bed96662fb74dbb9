// list, tuple, dict, OrderedDict and slice, which make containers, and tolist of tensors.
#include "engine/front/form.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

Value* to_list(Emitter& to, const FormCall& call) {
  const Expr& e = call.e;
  const Type* hint = call.hint;
  if (e.kids.size() == 1)
    return to.list_of({}, hint && hint->is(TypeKind::List) ? hint->element() : TypeKind::Tensor, e);
  if (e.kids.size() != 2 || !e.words[0].empty()) to.wrong(e, "list takes one iterable");
  return to.collect(to.iterable(*e.kids[1]), *e.kids[1], hint);
}

Value* to_tuple(Emitter& to, const FormCall& call) {
  const Expr& e = call.e;
  if (e.kids.size() == 1) return to.tuple_of({}, e);
  if (e.kids.size() != 2 || !e.words[0].empty()) to.wrong(e, "tuple takes one iterable");
  Iterable over = to.iterable(*e.kids[1]);
  if (!over.unrolled)
    to.wrong(e, "a tuple has a length known before the program runs: keep the list");
  return to.tuple_of(over.items, e);
}

// dict(), dict(a=1), dict(other), dict([(key, value)]), dict(other, a=1).
Value* to_dict(Emitter& to, const FormCall& call) {
  const Expr& e = call.e;
  const Type* hint = call.hint;
  if (e.kids.size() == 1)
    return to.dict_of(
        {}, hint && hint->is(TypeKind::Dict) ? std::optional<Type>(*hint) : std::nullopt, e);
  const Expr& first = *e.kids[1];
  const bool given = e.words[0].empty();
  const bool none = (first.is(ExprKind::List) || first.is(ExprKind::Dict)) && first.kids.empty();
  const bool called = first.is(ExprKind::Call) || first.is(ExprKind::ListComp);
  Value* of = nullptr;
  if (given && (e.kids.size() == 2 || !none))
    of = called ? to.collect(to.iterable(first), e) : to.emit(first);
  std::vector<Value*> items;
  for (size_t i = given ? 2 : 1; i < e.kids.size(); ++i) {
    if (e.words[i - 1].empty()) to.wrong(e, "dict takes one iterable, and keywords");
    items.push_back(to.constant(IValue::str(e.words[i - 1]), e));
    items.push_back(to.emit(*e.kids[i]));
  }
  if (!of) return to.dict_of(items, {}, e);
  Value* out = to.apply(method_op("dict"), {of}, e);
  for (size_t i = 0; i < items.size(); i += 2)
    to.apply(op::kSetItem, {out, items[i], items[i + 1]}, e);
  return out;
}

Value* to_ordered_dict(Emitter& to, const FormCall& call) {
  return to_dict(to, {call.e, call.name});
}

Value* items_as(Emitter& to, Value* of, const Type& type, const Expr& at) {
  if (type.is(TypeKind::Int)) return to.apply(op::kInt, {of}, at);
  if (type.is(TypeKind::Float)) return to.apply(op::kFloat, {of}, at);
  if (type.is(TypeKind::Bool)) return to.apply(op::kBool, {of}, at);
  std::optional<Type> element = type.element();
  Value* out = to.list_of({}, *element, at);
  to.each(to.items_from(of, at), at,
          [&](Value* item) { to.append(out, element, items_as(to, item, *element, at), at); });
  return out;
}

// x.tolist(), of the type that the annotation of the variable or of the result gives.
Value* tensor_items(Emitter& to, const FormCall& call) {
  const Expr& at = call.e;
  if (at.kids.size() != 1) return nullptr;
  Value* of = call.self;
  if (!call.hint)
    to.wrong(at,
             "the type of tolist() depends on the tensor: annotate the variable, x: List[int] = "
             "t.tolist()");
  Type number = *call.hint;
  int64_t depth = 0;
  for (; number.is(TypeKind::List); ++depth) number = Type(number.element());
  const bool real = number.is(TypeKind::Float), truth = number.is(TypeKind::Bool);
  if (!real && !truth && !number.is(TypeKind::Int))
    to.wrong(at, fmt::format("tolist() gives numbers and lists of them, not {}", *call.hint));
  auto same = [&](const char* attribute, int64_t value) {
    return to.apply(
        op_of(Sign::Equal),
        {to.apply(tensor_attribute(attribute), {of}, at), to.constant(IValue(value), at)}, at);
  };
  const DType whole = truth ? DType::Bool : DType::I64;
  to.require(real ? to.apply(method_op("is_floating_point"), {of}, at)
                  : same("dtype", row_of(whole).aten_code),
             "RuntimeError: Output annotation element type and runtime tensor element type must "
             "match for tolist()",
             at);
  to.require(same("ndim", depth),
             "RuntimeError: Output annotation list dimension and runtime tensor dimension must "
             "match for tolist()",
             at);
  return items_as(to, of, *call.hint, at);
}

template <bool list>
std::optional<Py> make_sequence(Elaborator& in, const PyArgs& args, const Expr& e) {
  if (args.positional.empty()) return sequence({}, list);
  return sequence(in.iterate(args.positional[0], e), list);
}

std::optional<Py> make_dict(Elaborator& in, const PyArgs& args, const Expr& e) {
  auto dict = std::make_shared<PyDict>();
  const Py* from = args.positional.empty() ? nullptr : &args.positional[0];
  if (from && from->dict()) dict->items = from->dict()->items;
  else if (from)
    for (Py& item : in.iterate(*from, e)) {
      std::vector<Py> kv = in.iterate(item, e);
      if (kv.size() != 2) in.wrong(e, "a dict is made of pairs");
      dict->items.emplace_back(in.value_of(kv[0], e), kv[1]);
    }
  for (const auto& [key, value] : args.keywords) dict->items.emplace_back(IValue::str(key), value);
  return dict;
}

std::optional<Py> make_slice(Elaborator&, const PyArgs& args, const Expr&) {
  if (args.positional.empty() || args.positional.size() > 3) return std::nullopt;
  std::vector<Py> parts(3, Py(IValue()));
  for (size_t i = 0; i < args.positional.size(); ++i)
    parts[args.positional.size() == 1 ? 1 : i] = args.positional[i];
  auto out = sequence(std::move(parts), false);
  out->slice = true;
  return out;
}

const bool kList = add_form({"list"}, {.emit = &to_list, .evaluate = &make_sequence<true>});
const bool kTuple = add_form({"tuple"}, {.emit = &to_tuple, .evaluate = &make_sequence<false>});
const bool kDict = add_form({"dict"}, {.emit = &to_dict, .evaluate = &make_dict});
const bool kOrderedDict = add_form({"collections.OrderedDict", "typing.OrderedDict"},
                                   {.emit = &to_ordered_dict, .evaluate = &make_dict});
const bool kTolist = add_form({"Tensor.tolist"}, {.emit = &tensor_items});
const bool kSlice =
    add_form({"slice"}, {.evaluate = &make_slice,
                         .instead = "it stands in the brackets of a subscript, as in "
                                    "x[slice(1, 3)]"});

}  // namespace
}  // namespace fusillade::front
