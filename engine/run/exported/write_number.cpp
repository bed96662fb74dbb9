// Numbers of a program that is recorded: those that are known are computed, those that elements
// decide are values of the graph; see recorder.h. (law: rules name ops)
#include <algorithm>

#include "engine/base/error.h"
#include "engine/ops/annotation_text.h"
#include "engine/run/exported/json_text.h"
#include "engine/run/exported/recorder.h"
#include "engine/run/exported/targets.h"

namespace fusillade::exported {
namespace {

using Tag = IValue::Tag;

bool holds_tensor(const Recorded& arg) { return arg.value.is_tensor(); }

bool is_sized(const Type& type) {
  return std::ranges::all_of(type.info().sizes, [](int64_t s) { return s >= 0; });
}

// What they ask of a tensor never hangs on its sizes.
constexpr std::string_view kOfAnySize[] = {"aten::dim",
                                           "aten::is_floating_point",
                                           "aten::is_complex",
                                           "aten::element_size",
                                           "aten::get_device",
                                           "aten::is_leaf",
                                           "prim::device",
                                           "prim::dtype",
                                           "prim::layout",
                                           "prim::is_cpu",
                                           "prim::is_cuda",
                                           "prim::requires_grad",
                                           "prim::is_sparse",
                                           "prim::is_mps",
                                           "prim::is_nested",
                                           "prim::is_quantized",
                                           "prim::wide_dtype",
                                           "prim::truth_dtype",
                                           "prim::pool_least",
                                           "prim::pool_count_dtype",
                                           "prim::parameter_dtype"};

bool reads_number(const Operator& op) {
  static constexpr std::string_view kBases[] = {
      "aten::item",        "aten::Bool",          "aten::Int",           "aten::Float",
      "aten::IntImplicit", "aten::FloatImplicit", "aten::ScalarImplicit"};
  return std::ranges::find(kBases, op.schema.name) != std::end(kBases);
}

const char* key_of(const IValue& number) {
  return number.is_int() ? "as_sym_int" : number.is_bool() ? "as_sym_bool" : "as_sym_float";
}

DType dtype_of_number(const IValue& number) {
  return number.is_int() ? DType::I64 : number.is_bool() ? DType::Bool : DType::F64;
}

}  // namespace

// What is computed when the program is written, and no part of it; or a number that elements
// decide.
void Recorder::compute(const Node* node, Values& args, Values& results) {
  const Operator& op = node->op();
  if (structure(node, args, results) || size_of_tensor(node, args, results)) return;
  std::vector<IValue> plain, out;
  for (const Recorded& a : args) plain.push_back(a.value);
  fusillade::call(op, site_of(node), plain, out);
  const bool known = std::ranges::all_of(args, &Recorded::is_known);
  const bool of_tensor = !op.metadata && std::ranges::any_of(args, holds_tensor);
  if (of_tensor && !op.schema.results.empty() && op.schema.results[0].type.is(TypeKind::Str))
    fail("{}, a text made of elements of tensors, cannot be written", op.name);
  if (of_tensor && reads_number(op) && !is_constant(args[0])) {
    results.push_back(read(op, args[0].value.as_tensor()));
  } else if (!known) {
    if (out.size() != 1 || !out[0].is_number())
      fail("{} of a number that elements of tensors decide cannot be written", op.name);
    results.push_back(arithmetic(op, args, out[0]));
  } else {
    for (IValue& v : out) {
      if (const void* own = identity_of(v); own && levels_.size() > 1) level().made[own] = v;
      results.push_back({std::move(v), {}});
    }
  }
}

// Lists and tuples keep which of their items are known.
bool Recorder::structure(const Node* node, const Values& args, Values& results) {
  const Operator& op = node->op();
  if (std::ranges::all_of(args, &Recorded::is_known)) return false;
  const bool makes = &op == &prim::list_construct() || &op == &prim::tuple_construct() ||
                     &op == &prim::named_tuple();
  const bool takes = args[0].items && (&op == &prim::tuple_unpack() || &op == &prim::list_unpack());
  const bool picks = args.size() == 2 && args[0].items && args[1].is_known() &&
                     args[1].value.is_int() &&
                     (op.schema.name == "aten::__getitem__" || op.name == "prim::TupleIndex");
  if (makes) {
    std::vector<IValue> plain, out;
    for (const Recorded& a : args) plain.push_back(a.value);
    fusillade::call(op, site_of(node), plain, out);
    results.push_back({out[0], {}, std::make_shared<Values>(args)});
  } else if (takes) {
    results.insert(results.end(), args[0].items->begin(), args[0].items->end());
  } else if (picks) {
    const auto count = std::ssize(*args[0].items);
    const int64_t at = args[1].value.as_int() + (args[1].value.as_int() < 0 ? count : 0);
    if (at < 0 || at >= count) fail("{}: index {} of {} items", op.name, at, count);
    results.push_back((*args[0].items)[static_cast<size_t>(at)]);
  } else if (op.schema.name == "aten::len" && args[0].items) {
    results.push_back({IValue(std::ssize(*args[0].items)), {}});
  } else {
    return false;
  }
  return true;
}

// Sizes of a tensor, some of which are not known.
bool Recorder::size_of_tensor(const Node* node, const Values& args, Values& results) {
  const Operator& op = node->op();
  if (!op.metadata || args.empty() || !args[0].value.is_tensor()) return false;
  const Tensor tensor = args[0].value.as_tensor();
  const Type type = named_tensor(tensor).type;
  if (is_sized(type) || std::ranges::find(kOfAnySize, op.name) != std::end(kOfAnySize))
    return false;
  const auto ask = [&](const char* target, std::vector<std::string> more, int64_t example,
                       const std::string& expression = "") {
    more.insert(more.begin(), input_text("self", only("as_tensor", name_text(name_of(tensor)))));
    return decide(target, more, IValue(example), expression);
  };
  const auto size = [&](int64_t d) {
    const int64_t known = type.info().sizes[static_cast<int>(d)];
    if (known >= 0) return Recorded{IValue(known), {}};
    return ask("torch.ops.aten.sym_size.int",
               {input_text("dim", only("as_int", std::to_string(d)))},
               tensor.sizes()[static_cast<int>(d)], symbols_.symbol_text(known));
  };
  if (op.name == "aten::size.int" || op.name == "aten::len.Tensor") {
    if (args.size() > 1 && !args[1].is_known()) fail("{} of an unknown dimension", op.name);
    int64_t d = args.size() > 1 ? args[1].value.as_int() : 0;
    if (d < 0) d += tensor.rank();
    if (d < 0 || d >= tensor.rank()) fail("{}: dimension {} of {}", op.name, d, describe(tensor));
    results.push_back(size(d));
  } else if (op.name == "aten::size") {
    auto items = std::make_shared<Values>();
    for (int d = 0; d < tensor.rank(); ++d) items->push_back(size(d));
    results.push_back({IValue::int_list(tensor.sizes()), {}, items});
  } else if (op.name == "aten::numel") {
    results.push_back(ask("torch.ops.aten.sym_numel.default", {}, tensor.numel()));
  } else {
    fail("{} of a tensor whose sizes are not known cannot be written", op.name);
  }
  return true;
}

// A node that gives a number.
Recorded Recorder::decide(const std::string& target, const std::vector<std::string>& inputs,
                          const IValue& example, const std::string& expression) {
  NodeText text{.target = target, .inputs = inputs, .outputs = {}, .name = ""};
  text.name = fresh_name(target.substr(target.rfind('.') + 1));
  text.place = place_;
  text.outputs = {only(key_of(example), only("as_name", quote(text.name)))};
  level().text.describe_number(
      text.name, example, expression.empty() ? symbols_.fresh_expression(example) : expression);
  level().text.add_node(text);
  number_levels_[text.name] = levels_.size() - 1;
  return {example, text.name};
}

// The number in a tensor of one element.
Recorded Recorder::as_number(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  const IValue example = dtype == DType::Bool ? IValue(element_as_int(tensor, 0) != 0)
                         : is_float(dtype)    ? IValue(element_as_double(tensor, 0))
                                              : IValue(element_as_int(tensor, 0));
  return decide("torch.ops.aten.item.default",
                {input_text("self", only("as_tensor", name_text(name_of(tensor))))}, example);
}

// As a kind of number, that of the operator's result.
Recorded Recorder::read(const Operator& op, const Tensor& tensor) {
  if (op.schema.name == "aten::Bool" && tensor.dtype() != DType::Bool)
    return as_number(
        call_one("aten::ne.Scalar", {{tensor, {}}, {IValue(0), {}}}).value.as_tensor());
  const Type& wanted = op.schema.results[0].type;
  const auto cast = [&](DType dtype) {
    const IValue code(int64_t{row_of(dtype).aten_code});
    return as_number(call_one("aten::to.dtype", {{tensor, {}}, {code, {}}}).value.as_tensor());
  };
  if (wanted.is(TypeKind::Int) && !is_int(tensor.dtype())) return cast(DType::I64);
  if (wanted.is(TypeKind::Float) && !is_float(tensor.dtype())) return cast(DType::F64);
  return as_number(tensor);
}

Recorded Recorder::arithmetic(const Operator& op, const Values& args, const IValue& example) {
  const std::string& base = op.schema.name;
  if (args.size() == 1 && args[0].value.tag() == example.tag() &&
      (base == "aten::Int" || base == "aten::Float" || base == "aten::Bool"))
    return args[0];
  std::vector<std::string> inputs;
  constexpr const char* kNames[] = {"a", "b"};
  for (size_t i = 0; i < args.size() && i < 2; ++i)
    inputs.push_back(input_text(kNames[i], argument("", TypeKind::Any, args[i])));
  std::string target = python_target(base);
  if (base == "aten::Bool") {
    target = "_operator.ne";
    inputs.push_back(input_text("b", only("as_int", "0")));
  }
  if (target.empty() || args.size() > 2)
    fail("{} of a number that elements of tensors decide cannot be written", op.name);
  return decide(target, inputs, example);
}

// The number as a tensor without dimensions.
Recorded Recorder::as_tensor(const Recorded& number) {
  const int64_t code = row_of(dtype_of_number(number.value)).aten_code;
  return call_one("aten::scalar_tensor", {number, {IValue(code), {}}});
}

// In the graph that is recorded now: graphs within take it from outside as a tensor.
std::string Recorder::name_of_number(const Recorded& number) {
  std::string name = number.name;
  size_t at = number_levels_.at(name);
  for (++at; at < levels_.size(); ++at) {
    Level& inner = *levels_[at];
    if (const auto known = inner.numbers.find(name); known != inner.numbers.end()) {
      name = known->second;
      continue;
    }
    const Tensor example = Tensor::zeros({}, dtype_of_number(number.value));
    const Type type = sized_type(example, example.sizes());
    const std::string inside = fresh_name("number");
    inner.captured.push_back({name, inside, example, type, number.value});
    const std::string own = fresh_name("item");
    NodeText text{.target = "torch.ops.aten.item.default",
                  .inputs = {input_text("self", only("as_tensor", name_text(inside)))},
                  .outputs = {only(key_of(number.value), only("as_name", quote(own)))},
                  .name = own};
    inner.text.describe_number(own, number.value, symbols_.fresh_expression(number.value));
    inner.text.add_node(text);
    number_levels_[own] = at;
    inner.numbers[name] = own;
    name = own;
  }
  return name;
}

}  // namespace fusillade::exported
