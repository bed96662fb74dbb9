// Functions of torch whose form in Python is not that of ATen's operators. unique and
// unique_consecutive: constant flags decide what they return, and which of the operators, all of
// which return three tensors, implements them. tensordot: the contracted dims are two lists, or a
// number of dims. norm: the order may be a word, and is Frobenius' when left out. nonzero:
// as_tuple=True gives a tensor for each dim. torch.tensor and torch.LongTensor: data in lists of
// several kinds of numbers. (law: rules name ops)
#include "engine/front/emit_python_forms.h"

#include <algorithm>

#include "engine/base/text.h"

namespace fusillade::front {

// norm(x, dim=1), norm(x, "fro", ...), norm(x, p="nuc"), norm(x, 2, None). Null: as ATen has it.
static Value* norm(Emitter& to, const Expr& e, Value* self) {
  const std::vector<std::string> names{"input", "p", "dim", "keepdim", "dtype"};
  std::map<std::string, const Expr*> given;
  for (size_t i = 1; i < e.kids.size(); ++i) {
    const std::string& word = e.words[i - 1];
    size_t at = i - (self ? 0 : 1);
    if (e.kids[i]->is(ExprKind::Starred)) return nullptr;
    given[word.empty() && at < names.size() ? names[at] : word] = e.kids[i].get();
  }
  const Expr* order = given.count("p") ? given["p"] : nullptr;
  const bool by_word = order && order->is(ExprKind::Str);
  if (!order && given.size() == (self ? 0 : 1)) return nullptr;
  if (by_word && order->text != "fro" && order->text != "nuc")
    to.wrong(*order, "the order of a norm is a number, 'fro' or 'nuc'");
  for (const auto& [word, value] : given) {
    bool known = std::find(names.begin(), names.end(), word) != names.end();
    if (!known && order && !by_word) return nullptr;
    if (!known) to.wrong(*value, fmt::format("norm takes {}; not '{}'", join(names, ", "), word));
  }
  auto value_of = [&](const char* word) {
    return given.count(word) ? to.emit(*given[word]) : nullptr;
  };
  Value *input = self ? self : value_of("input"), *dim = value_of("dim"),
        *keep = value_of("keepdim"), *dtype = value_of("dtype");
  if (!input) to.wrong(e, "norm takes a tensor");
  Value* p = order && !by_word ? to.emit(*order) : to.constant(IValue(2), e);
  auto may_be_none = [](const Value* v) {
    return v->type().is(TypeKind::None) || v->type().is(TypeKind::Optional);
  };
  if (order && !by_word && !may_be_none(p) &&
      !(dim && (may_be_none(dim) || dim->type().is(TypeKind::Tuple)))) {
    std::vector<Argument> args{{input, ""}, {p, ""}};
    const std::pair<const char*, Value*> rest[] = {
        {"dim", dim}, {"keepdim", keep}, {"dtype", dtype}};
    for (const auto& [word, value] : rest)
      if (value) args.push_back({value, word});
    return to.call_operator("aten::norm", args, e);
  }
  if (!keep) keep = to.flag(false);
  if (dim && dim->type().is(TypeKind::Int)) dim = to.list_of({dim}, TypeKind::Int, e);
  if (dim && dim->type().is(TypeKind::Tuple))
    dim = to.list_of(to.items_of(dim, e), TypeKind::Int, e);
  if (dim && dim->type().is(TypeKind::Optional) && dim->type().element().is(TypeKind::List)) {
    Value* none = to.apply(compare_op("is"), {dim, to.constant(IValue(), e)}, e);
    auto dims = [&] { return to.known_as(dim, Type::list(TypeKind::Int), e); };
    dim = to.choose(none, e, [&] { return to.list_of({}, TypeKind::Int, e); }, dims);
  }
  if (!dim || dim->type().is(TypeKind::None)) dim = nullptr;
  if (dtype) input = to.apply(op::kTo, {input, dtype}, e);
  if (by_word && order->text == "nuc")
    return dim ? to.apply("aten::nuclear_norm", {input, dim, keep}, e)
               : to.apply("aten::nuclear_norm", {input, keep}, e);
  return to.apply("aten::norm", {input, p, dim ? dim : to.list_of({}, TypeKind::Int, e), keep}, e);
}

// x.type(torch.float64) is x.to(torch.float64).
static Value* cast_to(Emitter& to, Value* self, const Expr& e) {
  std::vector<Argument> args = to.arguments(e);
  Value* dtype = args.size() == 1 && (args[0].keyword.empty() || args[0].keyword == "dtype")
                     ? args[0].value
                     : nullptr;
  constexpr std::string_view kTorch = "torch.";
  if (dtype && dtype->type().is(TypeKind::Str) && dtype->node()->is(prim::constant())) {
    const std::string text = dtype->node()->constant().as_str();
    std::optional<DType> named =
        text.starts_with(kTorch) ? front::typed_tensor(text.substr(kTorch.size())) : std::nullopt;
    if (named) dtype = to.constant(IValue(row_of(*named).aten_code), e);
  }
  if (!dtype || !dtype->type().is(TypeKind::Int))
    to.wrong(e, "type takes one dtype, as in x.type(torch.float64)");
  return to.apply(op::kTo, {self, dtype}, e);
}

// torch.finfo(dtype).min, torch.iinfo(dtype).bits: constants where the dtype is one. Null: another
// attribute.
Value* limit_of(Emitter& to, const Expr& e) {
  const Expr& call = *e.kids[0];
  const std::string path = call.is(ExprKind::Call) ? to.module_path(*call.kids[0]) : "";
  bool real = path == "torch.finfo";
  if (!real && path != "torch.iinfo") return nullptr;
  std::vector<Argument> args = to.arguments(call);
  if (args.empty() && real)
    args.push_back({to.constant(IValue(row_of(DType::F32).aten_code), e), ""});
  if (args.size() != 1 || !args[0].value->type().is(TypeKind::Int))
    to.wrong(call, fmt::format("{} takes a dtype", path));
  const Operator& limits = operator_named(real && e.text != "bits" ? "prim::finfo" : "prim::iinfo");
  Value* dtype = args[0].value;
  if (!dtype->node()->is(prim::constant()))
    return to.node(limits, {dtype, to.constant(IValue::str(e.text), e)}, e)->output();
  try {
    return to.constant(fusillade::call(limits, std::vector<IValue>{dtype->node()->constant(),
                                                                   IValue::str(e.text)})[0],
                       e);
  } catch (const Error& error) {
    to.wrong(e, error.what());
  }
}

// torch.LongTensor: of data in lists; of the sizes given, unset; a shape counts as sizes.
static Value* typed_tensor_call(Emitter& to, DType dtype, const Expr& e) {
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

static Value* tensordot(Emitter& to, const Expr& e) {
  std::vector<Argument> args = to.arguments(e);
  bool aten = std::any_of(args.begin(), args.end(),
                          [](const Argument& a) { return a.keyword == "dims_self"; });
  if (aten || args.size() < 2 || args.size() > 3) return nullptr;
  Value* dims = args.size() == 3 ? args[2].value : to.constant(IValue(2), e);
  if (args.size() == 3 && !args[2].keyword.empty() && args[2].keyword != "dims") return nullptr;
  std::vector<Value*> sides;
  if (dims->type().is(TypeKind::Tuple)) {
    sides = to.items_of(dims, e);
  } else if (dims->type().is(TypeKind::List) && dims->type().element().is(TypeKind::List)) {
    for (int i = 0; i < 2; ++i)
      sides.push_back(to.apply(op::kGetItem, {dims, to.constant(IValue(i), e)}, e));
  } else if (dims->type().is(TypeKind::Int) && dims->node()->is(prim::constant())) {
    int64_t count = dims->node()->constant().as_int();
    if (count < 0 || count > 64) to.wrong(e, fmt::format("tensordot: {} dims cannot meet", count));
    std::vector<Value*> last, first;
    for (int64_t i = 0; i < count; ++i) {
      last.push_back(to.constant(IValue(i - count), e));
      first.push_back(to.constant(IValue(i), e));
    }
    sides = {to.list_of(last, TypeKind::Int, e), to.list_of(first, TypeKind::Int, e)};
  } else if (dims->type().is(TypeKind::Int)) {
    return to.library_call("builtins.tensordot", {args[0], args[1], {dims, ""}}, e);
  }
  if (sides.size() != 2)
    to.wrong(e, "dims of tensordot is two lists of dims, or how many of them meet");
  for (Value*& side : sides)
    if (side->type().is(TypeKind::Int)) side = to.list_of({side}, TypeKind::Int, e);
  return to.apply("aten::tensordot", {args[0].value, args[1].value, sides[0], sides[1]}, e);
}

Value* python_form(Emitter& to, const std::string& name, const Expr& e, Value* self) {
  if (name == "tensordot" && !self) return tensordot(to, e);
  if (name == "is_tensor" && !self) {
    std::vector<Argument> args = to.arguments(e);
    bool ambiguous = args.size() == 1 && (args[0].value->type().is(TypeKind::Optional) ||
                                          args[0].value->type().is(TypeKind::Union));
    if (args.size() != 1 || ambiguous)
      to.wrong(
          e,
          "is_tensor takes one value of a known type; of others isinstance(x, torch.Tensor) tells");
    return to.flag(args[0].value->type().is_tensor());
  }
  if (name == "type" && self) return cast_to(to, self, e);
  if (name == "norm") return norm(to, e, self);
  if (name == "nonzero" && !e.words.empty() && e.words.back() == "as_tuple") {
    const Expr& wanted = *e.kids.back();
    if (!wanted.is(ExprKind::True) && !wanted.is(ExprKind::False))
      to.wrong(wanted, "as_tuple is True or False as it is written");
    std::vector<Argument> args = to.arguments(e);
    Value* input = self ? self : args[0].value;
    if (args.size() != (self ? 1 : 2)) to.wrong(e, "nonzero takes a tensor and as_tuple");
    return to.apply(wanted.is(ExprKind::True) ? "aten::nonzero_numpy" : "aten::nonzero", {input},
                    e);
  }
  if (std::optional<DType> dtype = self ? std::nullopt : front::typed_tensor(name))
    return typed_tensor_call(to, *dtype, e);
  bool consecutive = name == "unique_consecutive";
  if (!consecutive && name != "unique") return nullptr;
  std::vector<std::string> names{"input", "sorted", "return_inverse", "return_counts", "dim"};
  if (consecutive) names.erase(names.begin() + 1);
  std::map<std::string, Value*> given;
  if (self) given["input"] = self;
  std::vector<Argument> args = to.arguments(e);
  for (size_t i = 0; i < args.size(); ++i) {
    size_t at = i + (self ? 1 : 0);
    const std::string& word = !args[i].keyword.empty() ? args[i].keyword
                              : at < names.size()      ? names[at]
                                                       : args[i].keyword;
    bool known = std::find(names.begin(), names.end(), word) != names.end();
    if (!known || !given.emplace(word, args[i].value).second)
      to.wrong(e, fmt::format("{} takes each of {} once", name, join(names, ", ")));
  }
  if (!given.count("input")) to.wrong(e, fmt::format("{}: argument 'input' is missing", name));
  bool wanted[3] = {true, false, false};
  const char* flags[3] = {"", "return_inverse", "return_counts"};
  for (int i = 1; i < 3; ++i) {
    Value*& v = given.emplace(flags[i], nullptr).first->second;
    if (!v) v = to.flag(false);
    if (!v->node()->is(prim::constant()) || !v->type().is(TypeKind::Bool))
      to.wrong(e, fmt::format(
                      "{} of {} is True or False as it is written: it decides what the call gives",
                      flags[i], name));
    wanted[i] = v->node()->constant().as_bool();
  }
  Value* dim = given.count("dim") ? given["dim"] : to.constant(IValue(), e);
  Value* sorted = given.count("sorted") ? given["sorted"] : to.flag(true);
  Value *inverse = given["return_inverse"], *counts = given["return_counts"];
  bool whole = dim->type().is(TypeKind::None);
  Value* all =
      consecutive ? to.apply("aten::unique_consecutive", {given["input"], inverse, counts, dim}, e)
      : whole     ? to.apply("aten::_unique2", {given["input"], sorted, inverse, counts}, e)
                  : to.apply("aten::unique_dim", {given["input"], dim, sorted, inverse, counts}, e);
  std::vector<Value*> results = to.items_of(all, e), kept;
  for (size_t i = 0; i < 3; ++i)
    if (wanted[i]) kept.push_back(results[i]);
  return kept.size() == 1 ? kept[0] : to.node(prim::tuple_construct(), kept, e)->output();
}

}  // namespace fusillade::front
