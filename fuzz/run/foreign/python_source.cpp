// See python_source.h.
#include "fuzz/run/foreign/python_source.h"

#include <cmath>
#include <map>
#include <set>

#include "engine/base/text.h"
#include "engine/passes/pass.h"
#include "fuzz/run/python/worker.h"

namespace fusillade::fuzz {
namespace {

constexpr const char* kDTypes[kNumDTypes] = {"bool",  "uint8",   "int8",     "int16",   "int32",
                                             "int64", "float16", "bfloat16", "float32", "float64"};
constexpr const char* kLayouts[] = {"strided"};
constexpr const char* kMemoryFormats[] = {"contiguous_format", "preserve_format", "channels_last",
                                          "channels_last_3d"};

std::string string_literal(const std::string& s) { return python_text(IValue::str(s)); }

std::string float_literal(double v) {
  if (std::isfinite(v)) return python_float_text(v);
  return fmt::format("float(\"{}\")", std::isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
}

// Plain arithmetic that Python's operators do alike, ints of 64 bits that wrap aside.
std::string with_operator(const std::string& op, const std::vector<std::string>& args) {
  static const std::map<std::string, std::string> binary = {
      {"scalar.add", "+"}, {"scalar.sub", "-"}, {"scalar.mul", "*"},
      {"scalar.eq", "=="}, {"scalar.ne", "!="}, {"scalar.lt", "<"},
      {"scalar.le", "<="}, {"scalar.gt", ">"},  {"scalar.ge", ">="}};
  auto it = binary.find(op);
  if (it != binary.end() && args.size() == 2)
    return fmt::format("({} {} {})", args[0], it->second, args[1]);
  if ((op == "scalar.size" || op == "scalar.dim" || op == "scalar.numel") && !args.empty())
    return fmt::format("{}.{}({})", args[0], op.substr(op.find('.') + 1),
                       join({args.begin() + 1, args.end()}, ", "));
  decline("PyTorch has no {}", op);
}

class Printer {
 public:
  explicit Printer(PythonOf names) : torch_(names == PythonOf::Torch) {}
  PythonSource print(const Graph& graph) {
    std::vector<std::string> params;
    if (!torch_) params.push_back("ops");
    int n = 0;
    for (const Value* v : graph.inputs()) params.push_back(names_[v] = fmt::format("x{}", n++));
    out_ = "def program(" + join(params, ", ") + "):\n";
    body(graph.block());
    depth_ = 1;
    line("return " + tuple_of(uses(graph.outputs())));
    return {std::move(out_), {ops_.begin(), ops_.end()}};
  }

 private:
  void line(const std::string& text) {
    out_.append(static_cast<size_t>(2 * depth_), ' ');
    out_ += text + "\n";
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
               string_literal(to_string(v.as_device())) + ")";
      case IValue::Tag::Str:
        return string_literal(v.as_str());
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
  std::string dtype_word(const Value* v) const {
    if (!v->node()->is(prim::constant())) decline("no Python for a dtype that is computed");
    const IValue& code = v->node()->constant();
    if (code.is_none()) return "None";
    return object("dtype", python_name(dtype_from_aten(code.as_int())));
  }

  std::string argument(const SchemaArg& formal, const Value* v) {
    if (formal.name == "dtype") return dtype_word(v);
    if (formal.name == "layout") return word("layout", kLayouts, v);
    if (formal.name == "memory_format") return word("memory_format", kMemoryFormats, v);
    return use(v);
  }

  static bool is_default(const SchemaArg& formal, const Value* v) {
    if (!formal.has_default || !v->node()->is(prim::constant())) return false;
    const IValue& given = v->node()->constant();
    return given.is_none() ? formal.default_value.is_none()
                           : given.tag() == formal.default_value.tag() && given.is_number() &&
                                 given.identical(formal.default_value);
  }

  // What stands at its default is left out; what has one is named.
  std::string arguments(const Node* n) {
    const Schema& schema = n->row().schema;
    std::vector<std::string> out;
    for (size_t i = 0; i < n->inputs().size(); ++i) {
      const Value* v = n->inputs()[i];
      if (i >= schema.args.size()) decline("no Python for an op\n{}", n->row().name);
      const SchemaArg& formal = schema.args[i];
      if (is_default(formal, v)) continue;
      bool named = formal.has_default || formal.keyword_only;
      out.push_back((named ? formal.name + "=" : "") + argument(formal, v));
    }
    return join(out, ", ");
  }

  std::string call(const Node* n) {
    const Schema& schema = n->row().schema;
    bool scalar = n->row().kind == OpKind::Scalar;
    if (schema.varargs || schema.varresults || (!scalar && !schema.name.starts_with("aten::")))
      decline("no Python for an op\n{}", n->row().name);
    std::string op = python_op(n->row());
    ops_.insert(op);
    if (torch_ && scalar) return with_operator(op, uses(n->inputs()));
    return fmt::format("{}ops.{}({})", torch_ ? "torch." : "", op,
                       scalar ? join(uses(n->inputs()), ", ") : arguments(n));
  }

  void node(const Node* n) {
    if (n->is(prim::constant())) return;
    if (n->is(prim::if_())) return branch(n);
    if (n->is(prim::loop())) return loop(n);
    std::string value = n->is(prim::list_construct())    ? "[" + join(uses(n->inputs()), ", ") + "]"
                        : n->is(prim::tuple_construct()) ? tuple_of(uses(n->inputs()))
                        : unpacks(n)                     ? use(n->input())
                                                         : call(n);
    std::vector<std::string> results = define_all(n->outputs());
    if (unpacks(n)) line((results.empty() ? "()" : tuple_of(results)) + " = " + value);
    else line(results.empty() ? value : join(results, ", ") + " = " + value);
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

  const bool torch_;
  std::string out_;
  int depth_ = 0;
  int next_ = 0;
  std::unordered_map<const Value*, std::string> names_;
  std::set<std::string> ops_;
};

// Plain numbers alone, or what every worker with tensors or lists is asked of them.
bool is_plain(const Schema& schema, const std::string& base) {
  for (const char* asked : {"size", "dim", "numel", "item", "len"})
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

std::string python_op(const Row& row) {
  const Schema& schema = row.schema;
  std::string base = schema.name.substr(schema.name.find("::") + 2);
  if (row.kind == OpKind::Scalar)
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
