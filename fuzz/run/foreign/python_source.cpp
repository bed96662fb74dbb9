// See python_source.h.
#include "fuzz/run/foreign/python_source.h"

#include <cmath>
#include <map>
#include <set>

#include "engine/base/text.h"
#include "engine/front/spelling.h"
#include "engine/ir/visit.h"
#include "engine/passes/pass.h"
#include "fuzz/gen/pairs.h"
#include "fuzz/run/foreign/literal.h"
#include "fuzz/run/foreign/python_containers.h"
#include "fuzz/run/foreign/python_pairs.h"
#include "fuzz/run/python/worker.h"

namespace fusillade::fuzz {
namespace {

constexpr const char* kDTypes[kNumDTypes] = {"bool",  "uint8",   "int8",     "int16",   "int32",
                                             "int64", "float16", "bfloat16", "float32", "float64"};
constexpr const char* kLayouts[] = {"strided"};
constexpr const char* kMemoryFormats[] = {"contiguous_format", "preserve_format", "channels_last",
                                          "channels_last_3d"};

constexpr size_t kOneLine = 96;  // columns of a function written on its first line
constexpr size_t kInlined = 60;  // of an expression inlined at its use

std::string float_literal(double v) {
  if (std::isfinite(v)) return python_float_text(v);
  return fmt::format("float(\"{}\")", std::isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
}

// Tensor queries other than elements: methods and attributes.
const std::map<std::string, std::string>& of_tensors() {
  static const std::map<std::string, std::string> asked = {
      {"element_size_", "element_size("},
      {"get_device_", "get_device("},
      {"is_complex_", "is_complex("},
      {"is_contiguous_", "is_contiguous("},
      {"is_contiguous_memory_format", "is_contiguous("},
      {"is_cpu_", "is_cpu"},
      {"is_cuda_", "is_cuda"},
      {"is_mps_", "is_mps"},
      {"is_quantized_", "is_quantized"},
      {"is_sparse_", "is_sparse"},
      {"is_floating_point_", "is_floating_point("},
      {"is_leaf_", "is_leaf"},
      {"requires_grad_", "requires_grad"},
      {"ScalarImplicit_", "item("},
      {"storage_offset_", "storage_offset("},
      {"stride_", "stride("},
      {"stride_int", "stride("}};
  return asked;
}

// Plain arithmetic that Python's operators do alike, ints of 64 bits that wrap aside.
std::string with_operator(const std::string& symbol, const std::vector<std::string>& args) {
  static const std::map<std::string, std::string> binary = {
      {"add", "+"},     {"sub", "-"},    {"mul", "*"},     {"eq", "=="},       {"ne", "!="},
      {"lt", "<"},      {"le", "<="},    {"gt", ">"},      {"ge", ">="},       {"div", "/"},
      {"__and__", "&"}, {"__or__", "|"}, {"__xor__", "^"}, {"floordiv", "//"}, {"remainder", "%"}};
  static const std::map<std::string, std::string> functions = {{"max", "max"},
                                                               {"min", "min"},
                                                               {"abs", "abs"},
                                                               {"sqrt", "math.sqrt"},
                                                               {"ceil", "math.ceil"},
                                                               {"floor", "math.floor"},
                                                               {"log", "math.log"},
                                                               {"exp", "math.exp"},
                                                               {"divmod", "divmod"},
                                                               {"sum_int", "sum"},
                                                               {"min_self_int", "min"},
                                                               {"max_self_int", "max"},
                                                               {"len", "len"},
                                                               {"Bool", "bool"},
                                                               {"Int", "int"},
                                                               {"Float", "float"},
                                                               {"Bool_Tensor", "bool"},
                                                               {"Int_Tensor", "int"},
                                                               {"Float_Tensor", "float"},
                                                               {"IntImplicit_", "int"},
                                                               {"FloatImplicit_", "float"},
                                                               {"neg", "-"},
                                                               {"__not__", "not "}};
  const std::string name = symbol.substr(symbol.find('.') + 1);
  if (name == "pow" && args.size() == 2) return fmt::format("(float({}) ** {})", args[0], args[1]);
  if (auto it = of_tensors().find(name); it != of_tensors().end() && !args.empty()) {
    if (name == "is_contiguous_memory_format") {
      const size_t code = args[1].size() == 1 ? static_cast<size_t>(args[1][0] - '0') : SIZE_MAX;
      if (code >= std::size(kMemoryFormats)) decline("no Python for a memory_format");
      return fmt::format("{}.is_contiguous(memory_format=torch.{})", args[0], kMemoryFormats[code]);
    }
    const std::vector<std::string> rest(args.begin() + 1, args.end());
    return fmt::format("{}.{}{}", args[0], it->second,
                       it->second.back() == '(' ? join(rest, ", ") + ")" : "");
  }
  if (auto it = binary.find(name); it != binary.end() && args.size() == 2)
    return fmt::format("({} {} {})", args[0], it->second, args[1]);
  if (name == "neg" || name == "__not__")
    return fmt::format("({}{})", functions.at(name), join(args, ""));
  if (auto it = functions.find(name); it != functions.end())
    return fmt::format("{}({})", it->second, join(args, ", "));
  for (const char* method : {"size", "dim", "numel", "item"})
    if (name == method && !args.empty())
      return fmt::format("{}.{}({})", args[0], name, join({args.begin() + 1, args.end()}, ", "));
  decline("PyTorch has no {}", symbol);
}

// How people call an operator: torch.add(x, y), x.view(y), torch.linalg.norm(x),
// functional.gelu(x).
std::string for_people(const Schema& schema, const std::vector<std::string>& args) {
  static const std::set<std::string> methods = {
      "contiguous",  "expand",   "expand_as", "index_put", "is_contiguous", "new_empty",
      "new_full",    "new_ones", "new_zeros", "repeat",    "reshape_as",    "stride",
      "sum_to_size", "to",       "type_as",   "unfold",    "view",          "view_as"};
  static const std::set<std::string> functional = {
      "elu",  "gelu", "glu",   "hardsigmoid", "hardswish", "hardtanh",   "leaky_relu", "linear",
      "mish", "pad",  "relu6", "silu",        "softplus",  "softshrink", "one_hot"};
  std::string name = schema.name.substr(schema.name.find("::") + 2);
  auto call = [&](const std::string& function) { return function + "(" + join(args, ", ") + ")"; };
  static const std::map<std::string, std::string> infix = {{"__and__", "&"},
                                                           {"__or__", "|"},
                                                           {"__xor__", "^"},
                                                           {"__lshift__", "<<"},
                                                           {"__rshift__", ">>"}};
  if (auto it = infix.find(name); it != infix.end() && args.size() == 2)
    return fmt::format("({} {} {})", args[0], it->second, args[1]);
  if (!args.empty() && (schema.writes() || methods.count(name)))
    return fmt::format("{}.{}({})", args[0], name, join({args.begin() + 1, args.end()}, ", "));
  for (const char* space : {"fft", "linalg", "special"})
    if (name.starts_with(std::string(space) + "_"))
      return call(fmt::format("torch.{}.{}", space, name.substr(std::string(space).size() + 1)));
  return call((functional.count(name) ? "torch.nn.functional." : "torch.") + name);
}

// Of which Python's API calls another overload: measured by a TorchDispatchMode, PyTorch 2.13.
bool reached_by_api(const Operator& op) {
  static const std::set<std::string> scalars = {"add", "sub", "mul", "div", "floor_divide"};
  static const std::set<std::string> norms = {"Scalar", "ScalarOpt_dim", "ScalarOpt_dtype",
                                              "ScalarOpt_dim_dtype"};
  const Schema& schema = op.schema;
  std::string name = schema.name.substr(schema.name.find("::") + 2);
  if (name == "tensor" || name == "as_tensor") return true;
  if (name == "norm") return norms.count(schema.overload) != 0;
  if (schema.overload != "Scalar" && schema.overload != "Scalar_mode") return false;
  if (name.ends_with('_')) name.pop_back();
  return scalars.count(name) != 0;
}

class Printer {
 public:
  explicit Printer(PythonOf names)
      : torch_(names == PythonOf::Operators || names == PythonOf::People),
        people_(names == PythonOf::People),
        api_(names == PythonOf::TorchWorker || names == PythonOf::Operators) {}
  PythonSource print(const Graph& graph) {
    std::vector<std::string> params;
    if (!torch_) params.push_back("ops");
    int n = 0;
    for (const Value* v : graph.inputs()) {
      params.push_back(names_[v] = fmt::format("x{}", n++));
      if (people_) params.back() += annotation(v->type());
    }
    pure_ = people_ && !writes(graph.block());
    body(graph.block());
    depth_ = 1;
    std::vector<std::string> results = uses(graph.outputs());
    line("return " + (people_ && results.size() == 1 ? results[0] : tuple_of(results)));
    std::string head = (torch_ ? "def f(" : "def program(") + join(params, ", ") + "):";
    std::string indent(indent_of(1), ' ');
    bool on_one_line = people_ && std::count(out_.begin(), out_.end(), '\n') == 1 &&
                       head.size() + out_.size() < kOneLine;
    head += on_one_line ? " " + out_.substr(indent.size()) : "\n" + out_;
    return {std::move(head), {ops_.begin(), ops_.end()}};
  }

 private:
  void line(const std::string& text) {
    if (torch_) {
      out_ += wrap_line(text, indent_of(depth_));
      return;
    }
    out_.append(indent_of(depth_), ' ');
    out_ += text + "\n";
  }
  size_t indent_of(int depth) const { return static_cast<size_t>((torch_ ? 4 : 2) * depth); }

  // Of what is no tensor, as TorchScript wants to know it.
  static std::string annotation(const Type& t) {
    if (t.is_tensor()) return "";
    for (auto [kind, name] : {std::pair(TypeKind::Int, "int"),
                              {TypeKind::Float, "float"},
                              {TypeKind::Bool, "bool"},
                              {TypeKind::Str, "str"}})
      if (t.is(kind)) return std::string(": ") + name;
    if (!t.is(TypeKind::List)) return "";
    std::string item = t.element().is_tensor() ? ": torch.Tensor" : annotation(t.element());
    return item.empty() ? "" : ": list[" + item.substr(2) + "]";
  }

  static bool writes(const Block* block) {
    return any_node(block, [](const Node* n) { return n->op().schema.writes(); });
  }

  // Is it said where it is used?
  bool is_inlined(const Node* n, const std::string& text) const {
    if (!pure_ || n->outputs().size() != 1 || text.size() > kInlined) return false;
    const auto& uses = n->output()->uses();
    return uses.size() == 1 && (!uses[0].user || uses[0].user->block() == n->block());
  }

  const std::string& define(const Value* v) { return names_[v] = fmt::format("v{}", next_++); }
  std::vector<std::string> define_all(const List<Value*>& values) {
    std::vector<std::string> out;
    for (const Value* v : values) out.push_back(define(v));
    return out;
  }
  // A constant is its literal, wherever it is used.
  std::string use(const Value* v) {
    if (v->node()->is(prim::constant())) return literal(v->node()->constant());
    return names_.at(v);
  }
  std::vector<std::string> uses(const List<Value*>& values) {
    std::vector<std::string> out;
    for (const Value* v : values) out.push_back(use(v));
    return out;
  }

  static std::string tuple_of(const std::vector<std::string>& items) {
    return "(" + join(items, ", ") + (items.size() == 1 ? ",)" : ")");
  }
  // Several at once: what is assigned may be read on the right.
  void assign(const std::vector<std::string>& to, const std::vector<std::string>& from) {
    if (!to.empty()) line(join(to, ", ") + " = " + join(from, ", "));
  }

  std::string items(const IValue& v) {
    std::vector<std::string> out;
    for (const IValue& item : v.items()) out.push_back(literal(item));
    return v.tag() == IValue::Tag::Tuple ? tuple_of(out) : "[" + join(out, ", ") + "]";
  }

  std::string tensor_literal(const Tensor& t) {
    std::vector<std::string> sizes, elements;
    for (int64_t n : t.sizes()) sizes.push_back(std::to_string(n));
    for (int64_t i = 0; i < t.numel(); ++i)
      elements.push_back(is_float(t.dtype()) ? float_literal(element_as_double(t, i))
                                             : std::to_string(element_as_int(t, i)));
    if (torch_)
      return fmt::format("torch.tensor([{}], dtype={}).reshape([{}])", join(elements, ", "),
                         object("dtype", python_name(t.dtype())), join(sizes, ", "));
    return fmt::format("ops.tensor(\"{}\", [{}], [{}])", python_name(t.dtype()), join(sizes, ", "),
                       join(elements, ", "));
  }

  std::string literal(const IValue& v) {
    switch (v.tag()) {
      case IValue::Tag::None:
        return "None";
      case IValue::Tag::Int:
        return v.as_int() < 0 ? fmt::format("({})", v.as_int()) : std::to_string(v.as_int());
      case IValue::Tag::Float:
        return std::signbit(v.as_double()) ? "(" + float_literal(v.as_double()) + ")"
                                           : float_literal(v.as_double());
      case IValue::Tag::Bool:
        return v.as_bool() ? "True" : "False";
      case IValue::Tag::Device:
        return (torch_ ? "torch.device(" : "ops.device(") +
               python_string(to_string(v.as_device())) + ")";
      case IValue::Tag::Str:
        return python_string(v.as_str());
      case IValue::Tag::Tensor:
        return tensor_literal(v.as_tensor());
      case IValue::Tag::List:
      case IValue::Tag::Tuple:
        return items(v);
      default:
        decline("no Python for a constant\n{}", describe(v));
    }
  }

  std::string object(const char* kind, const std::string& name) const {
    return torch_ ? "torch." + name : fmt::format("ops.{}(\"{}\")", kind, name);
  }
  // An argument that IR says as a number and Python as an object of its own.
  template <size_t N>
  std::string word(const char* kind, const char* const (&words)[N], const Value* v) const {
    if (!v->node()->is(prim::constant())) decline("no Python for a {} that is computed", kind);
    const IValue& code = v->node()->constant();
    if (code.is_none()) return "None";
    if (!code.is_int() || code.as_int() < 0 || code.as_int() >= static_cast<int64_t>(N))
      decline("no Python for a {}\n{}", kind, describe(code));
    return object(kind, words[code.as_int()]);
  }
  static bool is_dtype(const Node* n) { return n->op().schema.name == "prim::dtype"; }
  // One that is computed is a number to workers, as in IR, and to PyTorch the tensor's own.
  std::string dtype_word(const Value* v) {
    if (!v->node()->is(prim::constant())) {
      if (!torch_) return fmt::format("ops.dtype_of_code({})", use(v));
      if (!is_dtype(v->node())) decline("no Python for a dtype that is computed");
      return use(v);
    }
    const IValue& code = v->node()->constant();
    if (code.is_none()) return "None";
    return object("dtype", python_name(dtype_from_aten(code.as_int())));
  }

  // Is it the dtype of an operator that makes complex numbers of nothing that is complex?
  static bool makes_pairs(const Operator& op, const SchemaArg& formal) {
    return formal.name == "dtype" && of_pairs(op) &&
           std::ranges::none_of(op.schema.args,
                                [&](const SchemaArg& arg) { return takes_pairs(op, arg); });
  }

  // Of complex numbers whose parts have it; None is that of the operand, where there is one.
  std::string complex_word(const Operator& op, const SchemaArg& formal, const Value* v) {
    if (!v->node()->is(prim::constant())) decline("no Python for a complex dtype that is computed");
    const IValue& code = v->node()->constant();
    if (code.is_none() && !makes_pairs(op, formal)) return "None";
    const DType parts = code.is_none() ? DType::F32 : dtype_from_aten(code.as_int());
    return object("dtype", complex_name(parts));
  }

  std::string argument(const Operator& op, const SchemaArg& formal, const Value* v) {
    if (formal.name == "dtype") return of_pairs(op) ? complex_word(op, formal, v) : dtype_word(v);
    if (formal.name == "layout") return word("layout", kLayouts, v);
    if (formal.name == "memory_format") return word("memory_format", kMemoryFormats, v);
    return given_as_complex(op, formal, use(v), of_one());
  }

  // A function of complex tensors, as the others are called.
  CallOfOne of_one() {
    return [this](const char* function, const std::string& operand) {
      if (people_) return fmt::format("torch.{}({})", function, operand);
      const std::string symbol = fmt::format("aten.{}.default", function);
      ops_.insert(symbol);
      return fmt::format("{}ops.{}({})", torch_ ? "torch." : "", symbol, operand);
    };
  }

  static bool is_default(const SchemaArg& formal, const Value* v) {
    if (!formal.has_default || !v->node()->is(prim::constant())) return false;
    const IValue& given = v->node()->constant();
    return given.is_none() ? formal.default_value.is_none()
                           : given.tag() == formal.default_value.tag() && given.is_number() &&
                                 given.identical(formal.default_value);
  }

  // Of an empty list of ints TorchScript makes a tensor of ints, Python one of floats.
  static const char* dtype_of_list(const Node* n) {
    const std::string& name = n->op().schema.name;
    if (name != "aten::tensor" && name != "aten::as_tensor") return nullptr;
    const Value* list = n->input(0);
    if (!list->type().is(TypeKind::List)) return nullptr;
    const Node* from = list->node();
    const bool filled = from->is(prim::list_construct()) ? !from->inputs().empty()
                        : from->is(prim::constant())     ? !from->constant().items().empty()
                                                         : false;
    Type element = list->type().element();
    if (filled && !element.is(TypeKind::List)) return nullptr;
    while (element.is(TypeKind::List)) element = Type(element.element());
    return element.is(TypeKind::Int) ? "int64" : element.is(TypeKind::Bool) ? "bool" : nullptr;
  }

  // Arguments equal to their default are left out; others with a default are passed by name.
  std::vector<std::string> arguments(const Node* n) {
    const Schema& schema = n->op().schema;
    std::vector<std::string> out;
    for (size_t i = 0; i < n->inputs().size(); ++i) {
      const Value* v = n->inputs()[i];
      if (i >= schema.args.size()) decline("no Python for an op\n{}", n->op().name);
      const SchemaArg& formal = schema.args[i];
      if (is_default(formal, v) && !makes_pairs(n->op(), formal)) {
        const char* dtype = formal.name == "dtype" && (torch_ || api_) ? dtype_of_list(n) : nullptr;
        if (dtype) out.push_back("dtype=" + object("dtype", dtype));
        continue;
      }
      bool named = formal.has_default || formal.keyword_only;
      out.push_back((named ? written_name(n->op(), formal) + "=" : "") +
                    argument(n->op(), formal, v));
    }
    return out;
  }

  static bool is_dtype_argument(const Use& use) {
    if (!use.user) return false;
    const std::vector<SchemaArg>& formals = use.user->op().schema.args;
    size_t i = static_cast<size_t>(use.index);
    return i < formals.size() && formals[i].name == "dtype";
  }
  // PyTorch's is an object, which is no number elsewhere.
  std::string dtype_of(const Node* n) {
    for (const Use& u : n->output()->uses())
      if (!is_dtype_argument(u)) decline("no Python for a dtype as a number");
    return use(n->input()) + ".dtype";
  }

  // What an operator of plain numbers is asked of.
  std::vector<std::string> scalar_operands(const Node* n) {
    std::vector<std::string> out = uses(n->inputs());
    const std::vector<SchemaArg>& formals = n->op().schema.args;
    for (size_t i = 0; i < out.size() && i < formals.size(); ++i)
      out[i] = given_as_complex(n->op(), formals[i], out[i], of_one());
    return out;
  }

  std::string call(const Node* n) {
    if (n->op().name == "prim::complex_of") return complex_of(use(n->input()));
    const Operator& op = written_operator(n->op());
    const Schema& schema = op.schema;
    if (torch_ && is_dtype(n)) return dtype_of(n);
    bool scalar = op.kind == OpKind::Scalar;
    if (schema.varargs || schema.varresults || (!scalar && !schema.name.starts_with("aten::")))
      decline("no Python for an op\n{}", n->op().name);
    if (api_ && reached_by_api(op)) return given_as_pairs(n->op(), by_api(n), of_one());
    std::string symbol = python_op(op);
    ops_.insert(symbol);
    if (torch_ && scalar) return with_operator(symbol, scalar_operands(n));
    const std::string text =
        people_ ? for_people(schema, arguments(n))
                : fmt::format("{}ops.{}({})", torch_ ? "torch." : "", symbol,
                              join(scalar ? scalar_operands(n) : arguments(n), ", "));
    return given_as_pairs(n->op(), text, of_one());
  }

  // -0j changes no sign, and is a number that no dtype widens for.
  std::string complex_of(const std::string& real) {
    if (!people_) ops_.insert(api_ ? "torch.add" : "aten.add.Scalar");
    const char* add = torch_ ? "torch.add" : api_ ? "ops.torch.add" : "ops.aten.add.Scalar";
    return of_one()("view_as_real", fmt::format("{}({}, -0j)", add, real));
  }

  std::string by_api(const Node* n) {
    const Schema& schema = written_operator(n->op()).schema;
    const std::string name = schema.name.substr(schema.name.find("::") + 2);
    const std::vector<std::string> args = arguments(n);
    if (schema.writes())
      return fmt::format("{}.{}({})", args[0], name, join({args.begin() + 1, args.end()}, ", "));
    ops_.insert("torch." + name);
    return fmt::format("{}torch.{}({})", torch_ ? "" : "ops.", name, join(args, ", "));
  }

  void node(const Node* n) {
    if (n->is(prim::constant())) return;
    if (n->is(prim::if_())) return branch(n);
    if (n->is(prim::loop())) return loop(n);
    if (n->is(prim::raise())) return line(raise_statement(n));
    std::optional<ContainerPython> container = container_python(n, uses(n->inputs()));
    if (container && container->statement) {
      line(container->text);
      if (n->outputs().size() == 1) line(define(n->output()) + " = " + use(n->input(0)));
      return;
    }
    if (n->op().name == "prim::TupleIndex") {
      std::string item = fmt::format("{}[{}]", use(n->input(0)), use(n->input(1)));
      return line(define(n->output()) + " = " + item);
    }
    std::string value = container                                      ? container->text
                        : n->op().schema.name == "prim::Uninitialized" ? "None"
                        : n->op().schema.name == "prim::NumToTensor"   ? number_tensor(n)
                        : n->is(prim::list_construct())  ? "[" + join(uses(n->inputs()), ", ") + "]"
                        : n->is(prim::tuple_construct()) ? tuple_of(uses(n->inputs()))
                        : unpacks(n)                     ? use(n->input())
                        : is_message(n)                  ? message(n)
                                                         : call(n);
    if (!unpacks(n) && is_inlined(n, value)) {
      names_[n->output()] = value;
      return;
    }
    bool unused = people_ && !unpacks(n) && n->outputs().size() == 1 && n->output()->is_unused();
    if (unused) return line(value);
    std::vector<std::string> results = define_all(n->outputs());
    if (unpacks(n)) line((results.empty() ? "()" : tuple_of(results)) + " = " + value);
    else line(results.empty() ? value : join(results, ", ") + " = " + value);
  }

  // Text that errors alone show: which characters a number has there, no engine need agree on.
  static bool is_message(const Node* n) {
    if (n->op().schema.name != front::op::kFormat || n->inputs().empty()) return false;
    return std::ranges::all_of(n->output()->uses(), [](const Use& u) {
      return u.user && (u.user->is(prim::raise()) || is_message(u.user));
    });
  }
  std::string message(const Node* n) {
    std::vector<std::string> given = uses(n->inputs());
    const std::string text = given[0];
    given.erase(given.begin());
    return fmt::format("{}.format({})", text, join(given, ", "));
  }

  std::string number_tensor(const Node* n) {
    const Type& t = n->input()->type();
    const bool whole = t.is(TypeKind::Int), truth = t.is(TypeKind::Bool);
    if (!whole && !truth && !t.is(TypeKind::Float)) decline("no Python for a number of any type");
    const char* dtype = whole ? "int64" : truth ? "bool" : "float64";
    if (!torch_) return fmt::format("ops.tensor(\"{}\", [], [{}])", dtype, use(n->input()));
    return fmt::format("torch.tensor({}, dtype=torch.{})", use(n->input()), dtype);
  }

  // Of a class that Python has too; NotImplementedError says that a kernel is missing.
  std::string raise_statement(const Node* n) {
    std::string name = "RuntimeError";
    if (n->inputs().size() > 1 && n->input(1)->node()->is(prim::constant()) &&
        n->input(1)->node()->constant().tag() == IValue::Tag::Str) {
      const std::string& class_name = n->input(1)->node()->constant().as_str();
      for (const char* known :
           {"AssertionError", "IndexError", "KeyError", "TypeError", "ValueError"})
        if (class_name == known || class_name == std::string("builtins.") + known) name = known;
    }
    return fmt::format("raise {}({})", name, use(n->input(0)));
  }

  static bool unpacks(const Node* n) {
    return n->is(prim::list_unpack()) || n->is(prim::tuple_unpack());
  }

  void body(const Block* block) {
    ++depth_;
    for (const Node* n : block->nodes()) node(n);
    --depth_;
  }

  void arm(const Block* block, const std::vector<std::string>& results) {
    body(block);
    ++depth_;
    results.empty() ? line("pass") : assign(results, uses(block->results()));
    --depth_;
  }

  void branch(const Node* n) {
    std::string condition = use(n->input());
    std::vector<std::string> results = define_all(n->outputs());
    line("if " + condition + ":");
    arm(n->blocks()[0], results);
    line("else:");
    arm(n->blocks()[1], results);
  }

  static bool is_true(const Value* v) {
    return v->node()->is(prim::constant()) && v->node()->constant().is_bool() &&
           v->node()->constant().as_bool();
  }

  void loop(const Node* n) {
    const Block* block = n->blocks()[0];
    bool counted = is_true(n->input(1)) && is_true(block->results()[0]);
    std::string trips = use(n->input(0));
    std::vector<std::string> start = uses(n->inputs());
    std::vector<std::string> carried = define_all(n->outputs());
    std::string condition = fmt::format("c{}", next_++);
    assign(carried, {start.begin() + 2, start.end()});
    if (!counted) line(condition + " = " + start[1]);
    std::vector<std::string> params = define_all(block->params());
    line(fmt::format("for {} in range({}):", params[0], trips));
    ++depth_;
    if (!counted) line(fmt::format("if not {}: break", condition));
    assign({params.begin() + 1, params.end()}, carried);
    --depth_;
    body(block);
    ++depth_;
    std::vector<std::string> results = uses(block->results());
    if (!counted) line(condition + " = " + results[0]);
    assign(carried, {results.begin() + 1, results.end()});
    if (counted && carried.empty()) line("pass");
    --depth_;
  }

  const bool torch_, people_, api_;
  bool pure_ = false;  // nothing is written: what is computed may be computed later
  std::string out_;
  int depth_ = 0;
  int next_ = 0;
  std::unordered_map<const Value*, std::string> names_;
  std::set<std::string> ops_;
};

// Plain numbers alone, or what every worker with tensors or lists is asked of them.
bool is_plain(const Schema& schema, const std::string& base) {
  for (const char* asked : {"size", "dim", "numel", "item", "len", "dtype"})
    if (base == asked) return true;
  return std::all_of(schema.args.begin(), schema.args.end(), [](const SchemaArg& arg) {
    return arg.type.is(TypeKind::Int) || arg.type.is(TypeKind::Float) ||
           arg.type.is(TypeKind::Bool) || arg.type.is(TypeKind::Number);
  });
}

}  // namespace

PythonSource python_source(const Graph& graph, PythonOf names) {
  return Printer(names).print(graph);
}

std::string python_op(const Operator& op) {
  if (const Operator& written = written_operator(op); &written != &op)
    return "complex." + python_op(written);
  const Schema& schema = op.schema;
  std::string base = schema.name.substr(schema.name.find("::") + 2);
  if (schema.full_name() == front::op::kIntPower) return "scalar.pow_int_to_int";
  if (op.kind == OpKind::Scalar)
    return "scalar." + base + (is_plain(schema, base) ? "" : "_" + schema.overload);
  return fmt::format("aten.{}.{}", base, schema.overload.empty() ? "default" : schema.overload);
}

std::unique_ptr<Graph> without_calls(const Graph& graph) {
  std::unique_ptr<Graph> copy = graph.clone();
  run_pipeline(*copy, parse_pipeline("inline"));
  return copy;
}

std::string python_name(DType dtype) { return kDTypes[static_cast<int>(dtype)]; }

std::optional<DType> dtype_of_python(const std::string& name) {
  for (int i = 0; i < kNumDTypes; ++i)
    if (name == kDTypes[i]) return static_cast<DType>(i);
  return std::nullopt;
}

}  // namespace fusillade::fuzz
