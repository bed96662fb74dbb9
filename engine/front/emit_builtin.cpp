// Python's built-in functions.
#include "engine/front/emit_builtin.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/front/class.h"
#include "engine/front/emit_sort.h"
#include "engine/front/emit_task.h"
#include "engine/front/emit_text.h"
#include "engine/ops/annotation_text.h"
#include "engine/ops/text.h"

namespace fusillade::front {
namespace {

constexpr const char* kSpecial[] = {"print", "repr", "int",    "float",      "bool",    "list",
                                    "tuple", "dict", "sorted", "isinstance", "hasattr", "getattr"};
constexpr const char* kLooping[] = {"range", "enumerate", "zip", "reversed"};

struct Instead {
  std::string_view name;
  std::string_view text;
};
constexpr Instead kInstead[] = {
    {"map", "write a comprehension"},
    {"filter", "write a comprehension with 'if'"},
    {"set", "use a list, or a dict of its items"},
    {"frozenset", "use a tuple"},
    {"type", "use isinstance"},
    {"next", "index the list"},
    {"iter", "loop over the list"},
    {"complex", "keep two floats"},
    {"slice", "it stands in the brackets of a subscript, as in x[slice(1, 3)]"},
    {"open", "read the file before, and pass what it holds"},
    {"input", "pass the text as an argument"},
    {"setattr", "assign to the attribute"},
    {"super", "super().f(...) stands in methods"}};

bool is_real(const Value* v) {
  return v->type().is(TypeKind::Int) || v->type().is(TypeKind::Float);
}

template <size_t N>
bool among(const char* const (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

static Value* cast(Emitter& to, const std::string& name, const Expr& e) {
  if (e.kids.size() == 1) {
    return to.constant(name == "int"     ? IValue(0)
                       : name == "float" ? IValue(0.0)
                                         : IValue(false),
                       e);
  }
  if (e.kids.size() != 2 || !e.words[0].empty())
    to.wrong(e, fmt::format("{}() takes one value", name));
  const Expr& kid = *e.kids[1];
  if (name == "float" && kid.is(ExprKind::Str)) {
    double value = 0;
    if (!python_float(kid.text, &value))
      to.wrong(kid, "not a float: digits, 'inf', '-inf' or 'nan' are");
    return to.constant(IValue(value), e);
  }
  if (name == "bool") return to.condition(kid);
  Value* of = to.emit(kid);
  if (Value* v = to.class_builtin(name, of, e)) return v;
  bool is_int = name == "int";
  if (of->type().is(is_int ? TypeKind::Int : TypeKind::Float)) return of;
  return to.apply(is_int ? op::kInt : op::kFloat, {of}, e);
}

// min and max: of one list, tuple or tensor, or of several values, from the left.
static Value* extreme(Emitter& to, const std::string& name, const Expr& e) {
  std::vector<Argument> args = to.arguments(e);
  if (args.empty()) to.wrong(e, fmt::format("{} takes at least one value", name));
  bool keywords =
      std::any_of(args.begin(), args.end(), [](const Argument& a) { return !a.keyword.empty(); });
  bool tensor = args[0].value->type().is_tensor();
  if (keywords && !tensor) to.wrong(e, fmt::format("{} takes no key and no default", name));
  std::vector<Value*> values;
  for (const Argument& a : args) values.push_back(a.value);
  if (values.size() == 1 && values[0]->type().is(TypeKind::Tuple))
    values = to.items_of(values[0], e);
  bool text = values.size() == 1 && values[0]->type().is(TypeKind::Str);
  if (text) args[0].value = to.apply(method_op("list"), values, e);
  bool keys = values.size() == 1 && values[0]->type().is(TypeKind::Dict);
  if (keys) args[0].value = to.apply(method_op("keys"), values, e);
  bool items = values.size() == 1 && args[0].value->type().is(TypeKind::List);
  if (items && !orderable(args[0].value->type().element()))
    to.wrong(e, fmt::format("items of a {} have no order", args[0].value->type()));
  std::string base = builtin_ops(name, tensor)[0];
  bool pair = values.size() == 2 && !keywords &&
              values[0]->type().is_tensor() != values[1]->type().is_tensor();
  if (pair && (is_real(values[0]) || is_real(values[1]))) {  // a tensor of one element and a number
    Value* second =
        to.to_bool(to.compare_pair(name == "max" ? ">" : "<", values[1], values[0], e), e);
    auto as_tensor = [&](Value* v) {
      return v->type().is_tensor() ? v : to.apply(op::kTensor, {v}, e);
    };
    return to.choose(
        second, e, [&] { return as_tensor(values[1]); }, [&] { return as_tensor(values[0]); });
  }
  if (values.size() == 1 || tensor) return to.call_operator(base, args, e);
  Value* best = values[0];
  for (size_t i = 1; i < values.size(); ++i) best = to.numeric(base, {best, values[i]}, e);
  return best;
}

// round(x) is an int, as in Python; round(x, n) of what x is.
static Value* round_call(Emitter& to, const Expr& e) {
  std::vector<Argument> args = to.arguments(e);
  bool is_number = !args.empty() && args[0].value->type().is(TypeKind::Number);  // x.item()
  if (is_number) args[0].value = to.apply(op::kFloat, {args[0].value}, e);
  bool scalar = !args.empty() && (args[0].value->type().is(TypeKind::Float) ||
                                  args[0].value->type().is(TypeKind::Int));
  if (!scalar) return to.call_operator(builtin_ops("round", true)[0], args, e);
  if (args.size() > 2 || !args[0].keyword.empty())
    to.wrong(e, "round takes a number and perhaps a number of digits");
  if (args.size() == 2) {
    Value* digits = args[1].value;
    args[1].keyword.clear();
    if (args[0].value->type().is(TypeKind::Int))
      return to.library_call("builtins.round_int", args, e);
    auto behind = [&] { return to.apply(op::kRoundDigits, {args[0].value, digits}, e); };
    const bool known = digits->node()->is(prim::constant()) && digits->type().is(TypeKind::Int);
    if (known && digits->node()->constant().as_int() >= 0) return behind();
    if (known) return to.library_call("builtins.round_to_tens", args, e);
    Value* before = to.apply(compare_op("<"), {digits, to.constant(IValue(0), e)}, e);
    return to.choose(
        before, e, [&] { return to.library_call("builtins.round_to_tens", args, e); }, behind);
  }
  if (args[0].value->type().is(TypeKind::Int)) return args[0].value;
  return to.apply(op::kInt, {to.call_operator(builtin_ops("round", false)[0], args, e)}, e);
}

static Value* sum_call(Emitter& to, const Expr& e) {
  std::vector<Argument> args = to.arguments(e);
  bool start = args.size() == 2 && (args[1].keyword.empty() || args[1].keyword == "start");
  bool scalars = !args.empty() && !args[0].value->type().is_tensor() && (args.size() == 1 || start);
  if (!scalars) return to.call_operator(builtin_ops("sum", true)[0], args, e);
  Value* list = args[0].value;
  if (list->type().is(TypeKind::Tuple)) list = to.collect(to.items_from(list, e), e);
  bool tensors = list->type().is(TypeKind::List) && list->type().element().is_tensor();
  Value* sum = tensors ? to.library_call("builtins.sum", {{list, ""}}, e)
                       : to.apply(builtin_ops("sum", false)[0], {list}, e);
  return start ? to.numeric(front::binary_op("+", false), {sum, args[1].value}, e) : sum;
}

Value* to_list(Emitter& to, const Expr& e, const Type* hint) {
  if (e.kids.size() == 1)
    return to.list_of({}, hint && hint->is(TypeKind::List) ? hint->element() : TypeKind::Tensor, e);
  if (e.kids.size() != 2 || !e.words[0].empty()) to.wrong(e, "list takes one iterable");
  return to.collect(to.iterable(*e.kids[1]), *e.kids[1], hint);
}

static Value* items_as(Emitter& to, Value* of, const Type& type, const Expr& at) {
  if (type.is(TypeKind::Int)) return to.apply(op::kInt, {of}, at);
  if (type.is(TypeKind::Float)) return to.apply(op::kFloat, {of}, at);
  if (type.is(TypeKind::Bool)) return to.apply(op::kBool, {of}, at);
  std::optional<Type> element = type.element();
  Value* out = to.list_of({}, *element, at);
  to.each(to.items_from(of, at), at,
          [&](Value* item) { to.append(out, element, items_as(to, item, *element, at), at); });
  return out;
}

Value* tensor_items(Emitter& to, Value* of, const Type* wanted, const Expr& at) {
  if (!of->type().is_tensor())
    to.wrong(at, fmt::format("'tolist' is a method of tensors, given {}", of->type()));
  if (!wanted)
    to.wrong(at,
             "the type of tolist() depends on the tensor: annotate the variable, x: List[int] = "
             "t.tolist()");
  Type number = *wanted;
  int64_t depth = 0;
  for (; number.is(TypeKind::List); ++depth) number = Type(number.element());
  const bool real = number.is(TypeKind::Float), truth = number.is(TypeKind::Bool);
  if (!real && !truth && !number.is(TypeKind::Int))
    to.wrong(at, fmt::format("tolist() gives numbers and lists of them, not {}", *wanted));
  auto same = [&](const char* attribute, int64_t value) {
    return to.apply(
        compare_op("=="),
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
  return items_as(to, of, *wanted, at);
}

static Value* to_tuple(Emitter& to, const Expr& e) {
  if (e.kids.size() == 1) return to.node(prim::tuple_construct(), {}, e)->output();
  if (e.kids.size() != 2 || !e.words[0].empty()) to.wrong(e, "tuple takes one iterable");
  Iterable over = to.iterable(*e.kids[1]);
  if (!over.unrolled)
    to.wrong(e, "a tuple has a length known before the program runs: keep the list");
  return to.node(prim::tuple_construct(), over.items, e)->output();
}

// dict(), dict(a=1), dict(other), dict([(key, value)]), dict(other, a=1).
Value* to_dict(Emitter& to, const Expr& e, const Type* hint) {
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

Value* builtin(Emitter& to, const std::string& name, const Expr& e) {
  if (name == "int" || name == "float" || name == "bool") return cast(to, name, e);
  if (name == "min" || name == "max") return extreme(to, name, e);
  if (name == "round") return round_call(to, e);
  if (name == "sum") return sum_call(to, e);
  if (name == "sorted") return sorted_call(to, e);
  if (name == "list") return to_list(to, e, nullptr);
  if (name == "tuple") return to_tuple(to, e);
  if (name == "dict") return to_dict(to, e, nullptr);
  if (name == "print") return print_call(to, e);
  if (name == "isinstance") return to.is_instance(e);
  if (name == "getattr") return get_attribute(to, e);
  if (name == "hasattr") {
    if (std::optional<bool> known = to.static_call(e)) return to.constant(IValue(*known), e);
    to.wrong(e, "hasattr takes a value and a name in quotes");
  }
  if (among(kLooping, name))
    to.wrong(
        e,
        fmt::format(
            "{}(...) stands where a loop or a comprehension runs over it; list({}(...)) is a value",
            name, name));
  if (name == "repr") return repr_call(to, e);
  std::vector<std::string> known = builtin_names();
  if (std::find(known.begin(), known.end(), name) != known.end()) {
    if (name == "len" && e.kids.size() == 2 && to.is_range(*e.kids[1]))
      return to.range_items(*e.kids[1]).length;
    if (name == "str" && e.kids.size() == 1) return to.constant(IValue::str(""), e);
    std::vector<Argument> args = to.arguments(e);
    bool shown = name == "str" && args.size() == 1 && writes_text(to, args[0].value, *e.kids[1]);
    if (shown) return text_of(to, args[0].value, *e.kids[1], Shown::Str);
    if (Value* v =
            args.size() == 1 && name != "id" ? to.class_builtin(name, args[0].value, e) : nullptr)
      return v;
    bool str = name == "str" && args.size() == 1 && args[0].value->type().is(TypeKind::Str);
    if (str) return args[0].value;
    bool tuple = !args.empty() && args[0].value->type().is(TypeKind::Tuple);
    if (name == "len" && tuple) {
      return to.constant(IValue(static_cast<int64_t>(args[0].value->type().elements().size())), e);
    }
    bool ints = name == "pow" && args.size() == 2 && args[0].value->type().is(TypeKind::Int) &&
                args[1].value->type().is(TypeKind::Int);
    if (ints) return to.binary_op("**", args[0].value, args[1].value, e);
    bool has_number =
        name == "divmod" && args.size() == 2 && args[0].keyword.empty() &&
        args[1].keyword.empty() &&
        (args[0].value->type().is(TypeKind::Number) || args[1].value->type().is(TypeKind::Number));
    if (has_number) {  // x.item(), an int or a float, known only at run time
      std::vector<Value*> parts;
      for (const char* op : {"//", "%"})
        parts.push_back(to.binary_op(op, args[0].value, args[1].value, e));
      return to.node(prim::tuple_construct(), parts, e)->output();
    }
    if (name == "pow" && args.size() == 3) return to.library_call("builtins.pow", args, e);
    bool all_of_tuple = tuple && (name == "any" || name == "all");
    if (all_of_tuple) args[0].value = to.collect(to.items_from(args[0].value, e), e);
    std::vector<std::string> bases =
        builtin_ops(name, !args.empty() && args[0].value->type().is_tensor());
    bool second = bases.size() > 1 && overloads(bases[0]).empty();
    return to.call_operator(bases[second ? 1 : 0], args, e);
  }
  for (const Instead& i : kInstead)
    if (i.name == name)
      to.wrong(*e.kids[0], fmt::format("'{}' is not supported: {}", name, i.text));
  for (const std::string& f : to.unit().function_names()) known.push_back(f);
  for (const char* s : kSpecial) known.emplace_back(s);
  std::string builtins = join(builtin_names(), ", ");
  for (const char* s : kSpecial) builtins += std::string(", ") + s;
  to.wrong(
      *e.kids[0],
      fmt::format("unknown function '{}'{}; supported are the functions of this file, torch.*, "
                  "torch.nn.functional.*, math.*, methods, and {}",
                  name, near_misses(name, known), builtins));
}

}  // namespace fusillade::front
