// torch.tensor, torch.LongTensor and other tensors from data, x.type(...).
#include <algorithm>

#include "engine/front/emit_call.h"
#include "engine/front/find_argument.h"
#include "engine/front/form.h"
#include "engine/front/form/filled.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

struct TypedTensor {
  const char* path;
  DType dtype;
};
constexpr TypedTensor kTypedTensors[] = {
    {"torch.Tensor", DType::F32},          {"torch.FloatTensor", DType::F32},
    {"torch.DoubleTensor", DType::F64},    {"torch.HalfTensor", DType::F16},
    {"torch.BFloat16Tensor", DType::BF16}, {"torch.ByteTensor", DType::U8},
    {"torch.CharTensor", DType::I8},       {"torch.ShortTensor", DType::I16},
    {"torch.IntTensor", DType::I32},       {"torch.LongTensor", DType::I64},
    {"torch.BoolTensor", DType::Bool}};

// torch.LongTensor([1, 2]) is torch.tensor([1, 2], dtype=torch.int64).
std::optional<DType> typed_tensor(std::string_view path) {
  for (const TypedTensor& t : kTypedTensors)
    if (path == t.path) return t.dtype;
  return std::nullopt;
}

// x.type(torch.float64) is x.to(torch.float64).
Value* cast_to(Emitter& to, const FormCall& call) {
  const Expr& e = call.e;
  std::vector<Argument> args = to.arguments(e);
  const Argument* given = args.size() == 1 ? find_argument(args, 0, "dtype") : nullptr;
  Value* dtype = given ? given->value : nullptr;
  if (dtype && dtype->type().is(TypeKind::Str) && dtype->node()->is(prim::constant())) {
    const std::string text = dtype->node()->constant().as_str();
    std::optional<DType> named = typed_tensor(text);
    if (named) dtype = to.constant(IValue(row_of(*named).aten_code), e);
  }
  if (!dtype || !dtype->type().is(TypeKind::Int))
    to.wrong(e, "type takes one dtype, as in x.type(torch.float64)");
  return to.apply(op::kTo, {call.self, dtype}, e);
}

// The data of torch.tensor, where it is written as lists. Tuples are lists, and where numbers of
// several kinds are in them all are of the widest, a float, an int or a bool. The kind of a Scalar
// is known only at run time. An empty list is one of floats.
Value* tensor_data(Emitter& to, Value* data, const Expr& at) {
  auto opens = [&](const Value* v) {  // nothing else holds or changes the list
    bool list = v->node()->is(prim::list_construct()) && v->uses().size() == (v == data ? 0 : 1) &&
                v->name().empty();
    return list || v->node()->is(prim::tuple_construct());
  };
  bool seen[4] = {};  // Bool, Int, Float, Scalar
  constexpr TypeKind kKinds[4] = {TypeKind::Bool, TypeKind::Int, TypeKind::Float, TypeKind::Number};
  bool other = false, plain = true;
  std::function<void(const Value*)> look = [&](const Value* v) {
    if (!opens(v)) {
      const auto* kind = std::find(kKinds, kKinds + 4, v->type().kind());
      (kind == kKinds + 4 ? other : seen[kind - kKinds]) = true;
      return;
    }
    plain = plain && v->node()->is(prim::list_construct()) && !v->node()->inputs().empty();
    for (const Value* item : v->node()->inputs()) look(item);
  };
  look(data);
  if (other || !opens(data) || (plain && std::count(seen, seen + 4, true) == 1)) return data;
  const TypeKind leaf = seen[3]   ? TypeKind::Number
                        : seen[2] ? TypeKind::Float
                        : seen[1] ? TypeKind::Int
                        : seen[0] ? TypeKind::Bool
                                  : TypeKind::Float;
  std::function<Value*(Value*)> convert_item = [&](Value* v) {
    if (!opens(v)) {
      if (v->type().is(leaf) || (leaf == TypeKind::Number && !v->type().is(TypeKind::Bool)))
        return v;
      return to.apply(leaf == TypeKind::Float ? op::kFloat : op::kInt, {v}, at);
    }
    std::vector<Value*> items;
    for (Value* item : std::vector<Value*>(v->node()->inputs()))
      items.push_back(convert_item(item));
    bool deep = !items.empty() && items[0]->type().is(TypeKind::List);
    for (Value* item : items)
      if (item->type().is(TypeKind::List) != deep)
        to.wrong(at, "torch.tensor takes lists of one depth");
    return to.list_of(items, deep ? items[0]->type() : Type(leaf), at);
  };
  return convert_item(data);
}

// torch.LongTensor: of data in lists; of the sizes given, unset; a shape counts as sizes.
Value* typed_tensor_call(Emitter& to, DType dtype, const Expr& e) {
  std::vector<Argument> args = to.arguments(e);
  Value* code = to.constant(IValue(row_of(dtype).aten_code), e);
  for (const Argument& a : args)
    if (!a.keyword.empty())
      to.wrong(e, fmt::format("a tensor of a type takes data or sizes, not '{}'", a.keyword));
  Value* one = args.size() == 1 ? args[0].value : nullptr;
  bool listed = one && (one->type().is(TypeKind::List) || one->type().is(TypeKind::Tuple));
  const std::string from = one ? one->node()->op().schema.name : "";
  bool shape = from == tensor_attribute("shape") || from == method_op("Size");
  if (listed && !shape)
    return to.call_operator(op::kTensor, {{tensor_data(to, one, e), ""}, {code, "dtype"}}, e);
  std::vector<Value*> sizes;
  for (const Argument& a : args) sizes.push_back(a.value);
  if (!args.empty() && !listed && !std::all_of(sizes.begin(), sizes.end(), [](Value* v) {
        return v->type().is(TypeKind::Int);
      }))
    to.wrong(e, "a tensor of a type takes one list of data, or its sizes as ints");
  if (args.empty()) sizes.push_back(to.constant(IValue(0), e));
  return to.call_operator(
      op::kEmpty, {{listed ? one : to.list_of(sizes, TypeKind::Int, e), ""}, {code, "dtype"}}, e);
}

Value* typed_tensor_form(Emitter& to, const FormCall& call) {
  return typed_tensor_call(to, *typed_tensor(call.name), call.e);
}

// Arguments whose first is data.
std::vector<Argument> with_data(Emitter& to, const Expr& e) {
  std::vector<Argument> args = to.arguments(e);
  if (!args.empty() && !e.kids[1]->is(ExprKind::Starred))
    args[0].value = tensor_data(to, args[0].value, *e.kids[1]);
  return args;
}

Value* tensor_from(Emitter& to, std::vector<Argument> args, const Expr& e) {
  Value* of = args.empty() ? nullptr : args[0].value;
  const bool tensors = of && of->type().is(TypeKind::List) && of->type().element().is_tensor() &&
                       !of->node()->inputs().empty();
  if (tensors) {
    Value* out = to.calls().library_call("builtins.tensor", {args[0]}, e);
    const Argument* dtype = find_argument(args, SIZE_MAX, "dtype");
    if (dtype && !dtype->value->type().is(TypeKind::None))
      out = to.apply(op::kTo, {out, dtype->value}, e);
    return out;
  }
  if (!of || !of->type().is(TypeKind::Number)) return to.call_operator(op::kTensor, args, e);
  args[0].value = to.list_of({of}, TypeKind::Number, e);  // known only at run time
  Value* zero = to.constant(IValue(0), e);
  return to.apply(op::kSelect, {to.call_operator(op::kTensor, args, e), zero, zero}, e);
}

Value* tensor(Emitter& to, const FormCall& call) {
  return tensor_from(to, with_data(to, call.e), call.e);
}

// x.new_tensor(data) is torch.tensor(data) of x's dtype. Of a tensor it is a copy.
Value* new_tensor(Emitter& to, const FormCall& call) {
  const Expr& e = call.e;
  std::vector<Argument> args = with_data(to, e);
  if (args.empty()) to.wrong(e, "new_tensor takes data, as in x.new_tensor([1, 2])");
  const bool typed = find_argument(args, SIZE_MAX, "dtype");
  if (!typed) args.push_back({to.apply(tensor_attribute("dtype"), {call.self}, e), "dtype"});
  if (!args[0].value->type().is_tensor()) return tensor_from(to, args, e);
  Value* copy = to.apply("aten::clone", {to.apply("aten::detach", {args[0].value}, e)}, e);
  args[0] = {copy, ""};
  return to.call_operator(op::kTo, args, e);
}

Value* as_tensor(Emitter& to, const FormCall& call) {
  return to.call_operator(op::kAsTensor, with_data(to, call.e), call.e);
}

Value* is_tensor(Emitter& to, const FormCall& call) {
  std::vector<Argument> args = to.arguments(call.e);
  bool ambiguous = args.size() == 1 && (args[0].value->type().is(TypeKind::Optional) ||
                                        args[0].value->type().is(TypeKind::Union));
  if (args.size() != 1 || ambiguous)
    to.wrong(call.e,
             "is_tensor takes one value of a known type; of others isinstance(x, torch.Tensor) "
             "tells");
  return to.flag(args[0].value->type().is_tensor());
}

bool add_all() {
  for (const TypedTensor& t : kTypedTensors)
    if (t.dtype != DType::F32) add_form({t.path}, {.emit = &typed_tensor_form});
  add_form({"torch.Tensor", "torch.FloatTensor"},
           {.emit = &typed_tensor_form, .evaluate = &evaluate_float_tensor});
  add_form({"torch.tensor"}, {.emit = &tensor, .evaluate = &evaluate_tensor});
  add_form({"torch.as_tensor"}, {.emit = &as_tensor, .evaluate = &evaluate_tensor});
  add_form({"torch.ops.aten.tensor"}, {.emit = &tensor});
  add_form({"torch.ops.aten.as_tensor"}, {.emit = &as_tensor});
  add_form({"torch.is_tensor"}, {.emit = &is_tensor});
  add_form({"Tensor.new_tensor"}, {.emit = &new_tensor});
  return add_form({"Tensor.type"}, {.emit = &cast_to});
}

const bool kAdded = add_all();

}  // namespace
}  // namespace fusillade::front
