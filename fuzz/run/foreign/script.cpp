// See script.h. A call that kills the process is made in a child of the script.
#include "fuzz/run/foreign/script.h"

#include <cmath>

#include "engine/base/text.h"
#include "engine/tensor/iterate.h"
#include "fuzz/run/cell.h"
#include "fuzz/run/foreign/centred.h"
#include "fuzz/run/foreign/foreign_worker.h"
#include "fuzz/run/foreign/ir_text.h"
#include "fuzz/run/outcome.h"
#include "fuzz/run/python/worker.h"

namespace fusillade::fuzz {
namespace {

struct Asked {
  const Case& c;
  std::string engine;  // of its family
  std::string version;
  std::unique_ptr<Graph> program;
};

// Printable ASCII in one line: a comment that ends where it ends.
std::string comment(const std::string& text) {
  std::string out = "# ";
  for (unsigned char c : text) out += c >= ' ' && c < 127 ? static_cast<char>(c) : ' ';
  return out + "\n";
}

std::string number(double v) {
  if (std::isnan(v)) return "nan";
  return std::isinf(v) ? v > 0 ? "inf" : "-inf" : python_float_text(v);
}

std::string dims_text(const Dims& dims) {
  std::vector<std::string> out;
  for (int64_t n : dims) out.push_back(std::to_string(n));
  return "[" + join(out, ", ") + "]";
}

// The elements in nested lists, which make a tensor that is no view.
std::string nested(const Tensor& t, int dim, int64_t& at) {
  if (dim == t.rank()) {
    std::string out = is_float(t.dtype()) ? number(element_as_double(t, at))
                                          : std::to_string(element_as_int(t, at));
    ++at;
    return out;
  }
  std::vector<std::string> items;
  for (int64_t i = 0; i < t.sizes()[dim]; ++i) items.push_back(nested(t, dim + 1, at));
  return "[" + join(items, ", ") + "]";
}

std::string dense(const Tensor& t) {
  const std::string dtype = "dtype=torch." + python_name(t.dtype());
  if (!t.numel()) return fmt::format("torch.empty({}, {})", dims_text(t.sizes()), dtype);
  int64_t at = 0;
  return fmt::format("torch.tensor({}, {})", nested(t, 0, at), dtype);
}

// What makes the inputs of a call: lines for memory that is shared or gapped, and the list.
class Arguments {
 public:
  explicit Arguments(const std::string& version)
      : storage_(version.starts_with("1.") ? "storage" : "untyped_storage") {}
  std::string lines;
  std::string list(const Call& call) {
    std::vector<std::string> out;
    for (const IValue& v : call.inputs) out.push_back(value(v, call));
    return "[" + join(out, ", ") + "]";
  }

 private:
  std::string value(const IValue& v, const Call& call) {
    if (v.is_tensor()) return tensor(v.as_tensor(), call);
    if (v.is_sequence()) {
      std::vector<std::string> items;
      for (const IValue& item : v.items()) items.push_back(value(item, call));
      bool tuple = v.tag() == IValue::Tag::Tuple;
      return (tuple ? "(" : "[") + join(items, ", ") +
             (!tuple              ? "]"
              : items.size() == 1 ? ",)"
                                  : ")");
    }
    if (v.is_float()) return number(v.as_double());
    if (v.tag() == IValue::Tag::Device)
      return "torch.device(" + python_text(IValue::str(to_string(v.as_device()))) + ")";
    if (v.is_none() || v.is_number() || v.tag() == IValue::Tag::Str) return python_text(v);
    decline("no Python for {}", describe(v));
  }

  static bool alone(const Tensor& t, const Call& call) {
    int sharing = 0;
    for (const IValue& v : call.inputs) sharing += v.is_tensor() && v.as_tensor().shares_storage(t);
    return sharing == 1;
  }

  std::string tensor(const Tensor& t, const Call& call) {
    int64_t count = static_cast<int64_t>(t.storage()->bytes() / size_of(t.dtype()));
    if (t.is_contiguous() && alone(t, call) && t.numel() == count) return dense(t);
    size_t k = 0;
    while (k < memories_.size() && !memories_[k].shares_storage(t)) ++k;
    if (k == memories_.size()) {
      memories_.push_back(t);
      lines += fmt::format("  m{} = {}\n", k, dense(Tensor::view_of(t, 0, {count}, {1})));
    }
    return fmt::format("torch.empty(0, dtype=torch.{}).set_(m{}.{}(), {}, {}, {})",
                       python_name(t.dtype()), k, storage_, t.offset(), dims_text(t.sizes()),
                       dims_text(t.strides()));
  }

  const char* storage_;
  std::vector<Tensor> memories_;
};

// How far from `eager` an element may lie; inf: any number, no NaN; nan: nothing is known.
double bound_of(const Bounded& set, double eager) {
  if (!admits(set, eager) || set.may_nan || set.must_nan) {
    double width = allowance(set, eager);
    return std::isinf(width) ? NAN : width;
  }
  if (std::isinf(eager)) return set.lo == set.hi ? 0 : INFINITY;
  return set.hi - set.lo;
}

// What is legal around each result: a number for all elements where it is one, else a list.
class Bounds {
 public:
  explicit Bounds(Shadow* shadow) : shadow_(shadow) {}
  // Is each result a tensor or number of one bound?
  bool simple() const { return simple_; }
  void add(const IValue* ours, const IValue& eager) {
    simple_ = simple_ && (eager.is_tensor() || eager.is_number());
    if (eager.is_sequence()) {
      bool alike = ours && ours->is_sequence() && ours->items().size() == eager.items().size();
      for (size_t i = 0; i < eager.items().size(); ++i)
        add(alike ? &ours->items()[i] : nullptr, eager.items()[i]);
      return;
    }
    if (!eager.is_tensor()) return out_.push_back("0");
    Tensor theirs = eager.as_tensor();
    bool known = shadow_ && ours && ours->is_tensor() &&
                 ours->as_tensor().dtype() == theirs.dtype() &&
                 ours->as_tensor().sizes() == theirs.sizes();
    std::vector<std::string> of;
    int64_t i = 0;
    auto one = [&](int64_t at) {
      const Cells& cells = shadow_->cells(ours->as_tensor());
      size_t k = static_cast<size_t>(at);
      IntRange full = full_range(cells.dtype);
      if (cells.real.empty())
        of.push_back(cells.whole[k].lo == full.lo && cells.whole[k].hi == full.hi ? "nan" : "0");
      else of.push_back(number(bound_of(cells.real[k], element_as_double(theirs, i))));
      ++i;
    };
    if (known)
      for_each_element(ours->as_tensor().sizes(), ours->as_tensor().strides(),
                       ours->as_tensor().offset(), one);
    bool one_for_all = !of.empty() && std::count(of.begin(), of.end(), of[0]) == std::ssize(of);
    bool finite = of.empty() || (of[0] != "inf" && of[0] != "nan");
    simple_ = simple_ && known && (one_for_all || of.empty()) && finite;
    out_.push_back(of.empty()    ? known ? "0" : "nan"
                   : one_for_all ? of[0]
                                 : "[" + join(of, ", ") + "]");
  }
  std::string text() const { return "[" + join(out_, ", ") + "]"; }

 private:
  Shadow* shadow_;
  std::vector<std::string> out_;  // one of each leaf
  bool simple_ = true;
};

std::string torch_compiled(const Asked& asked) {
  auto compile = [](const char* options) {
    return fmt::format("compiled = torch.compile(program, {})\n", options);
  };
  if (asked.engine == "aot")
    return compile("backend=\"aot_eager_decomp_partition\", dynamic=False");
  if (asked.engine == "compile") return compile("backend=\"inductor\", dynamic=False");
  if (asked.engine == "compile(dynamic)") return compile("backend=\"inductor\", dynamic=True");
  if (asked.engine == "trace") {
    for (const IValue& v : asked.c.calls[0].inputs)
      if (!v.is_tensor()) decline("a trace of what is no tensor");
    return "compiled = torch.jit.trace(program, arguments(), check_trace=False, strict=False)\n";
  }
  if (asked.engine != "script" && asked.engine != "script(nnc)") decline("no such script");
  const char* fuses = asked.engine == "script" ? "False" : "True";
  return fmt::format(
      "torch._C._jit_set_profiling_executor(True), torch._C._jit_set_profiling_mode(True)\n"
      "torch._C._jit_override_can_fuse_on_cpu({0}), torch._C._jit_set_texpr_fuser_enabled({0})\n"
      "torch._C._jit_set_te_must_use_llvm_cpu(False), "
      "torch._C._jit_set_texpr_reductions_enabled({0})\n"
      "scripted = torch._C._create_function_from_graph(\"program\", torch._C.parse_ir({1}))\n"
      "def compiled(*given): return [scripted(*arguments()), scripted(*arguments()), "
      "scripted(*given)][-1]\n",
      fuses, python_text(IValue::str(ir_text(*asked.program))));
}

// One row a family: whose names programs have, how an engine is called.
struct Caller {
  const char* worker;
  PythonOf names;
  std::string (*compiled)(const Asked& asked);
};
constexpr Caller kCallers[] = {{"torch", PythonOf::Torch, &torch_compiled}};

const Caller& caller_of(const Family& family) {
  for (const Caller& caller : kCallers)
    if (family.worker == caller.worker) return caller;
  decline("no scripts for the engines of {}", family.name);
}

// An expression over x: what of a result must be equal, beside its elements.
std::string facts(const std::string& reason) {
  if (reason != "strides") return "str((x.dtype, x.shape))";
  return "str((x.dtype, x.shape, [s for s, n in zip(x.stride(), x.shape) if n > 1]))";
}

constexpr const char* kOutcomes = R"(def outcome(f, given):
  try: return [*f(*given), *given]
  except Exception as e: return type(e).__name__ + ": " + str(e)
expected, actual = outcome(program, arguments()), outcome(compiled, arguments())
print("torch", torch.__version__, "expected", expected, "actual", actual)
)";
constexpr const char* kErrors = "sys.exit(77 if DIFFER else 0)\n";
// Of tensors and numbers, each with one bound.
constexpr const char* kClose =
    R"(try: [torch.testing.assert_close(a, e, rtol=0, atol=w, equal_nan=True) for a, e, w in zip(actual, expected, bounds)]
except AssertionError as e: sys.exit(77)
)";
constexpr const char* kCompare = R"(def leaves(x): return torch.utils._pytree.tree_flatten(x)[0]
def fact(x): return FACTS if isinstance(x, torch.Tensor) else repr(x)
def far(a, b, w):
  a, b, w = a.flatten(), b.flatten(), torch.as_tensor(w, dtype=torch.float64)
  return bool(((a != b) & ~((a != a) & (b != b)) & ~((a.double() - b.double()).abs() <= w) & (w == w)).any())
expected, actual = leaves(expected), leaves(actual)
wrong = [fact(x) for x in expected] != [fact(x) for x in actual]
sys.exit(77 if wrong or any(far(a, b, w) for a, b, w in zip(expected, actual, bounds) if isinstance(a, torch.Tensor)) else 0)
)";

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  size_t at = text.find(word);
  return text.replace(at, word.size(), by);
}

std::string comparison(const Verdict& v, bool simple) {
  if (v.reason.starts_with("error: class "))
    return replaced(kErrors, "DIFFER", "expected.split(\":\")[0] != actual.split(\":\")[0]");
  if (v.kind == VerdictKind::Crash || v.reason.starts_with("error") ||
      v.reason.starts_with("missing error"))
    return replaced(kErrors, "DIFFER", "type(expected) != type(actual)");
  return simple && v.reason == "value" ? kClose : replaced(kCompare, "FACTS", facts(v.reason));
}

Bounds bounds_of(const Case& c, const Call& call, const std::string& eager, Shadow& shadow) {
  Outcome wanted = Prepared(c, eager).run(call);
  Call copy = copy_call(call);
  std::vector<IValue> ours;
  try {
    ours = shadow.run(*c.program, copy.inputs);
  } catch (const Untrusted&) {
    ours.clear();
  } catch (const Error&) {  // eager raises
    ours.clear();
  }
  bool followed = ours.size() == wanted.outputs.size() && !ours.empty();
  Bounds bounds(followed ? &shadow : nullptr);
  for (size_t i = 0; i < wanted.outputs.size(); ++i)
    bounds.add(followed ? &ours[i] : nullptr, wanted.outputs[i]);
  for (size_t i = 0; i < wanted.inputs.size(); ++i)
    bounds.add(followed ? &copy.inputs[i] : nullptr, wanted.inputs[i]);
  return bounds;
}

}  // namespace

std::string script_of(const Case& c, const Verdict& verdict) {
  if (c.plans.empty() || c.calls.empty() || !c.script.empty()) decline("no graph, or no call");
  const std::string engine = parse_plan(c.plans[0]).engine;
  if (!is_outside(engine) || engine == eager_of(engine)) decline("no compiler of others");
  if (c.calls.size() > 1 || verdict.reason == "aliases" || verdict.kind == VerdictKind::Hang)
    decline("no script says such a finding");
  const Family& family = family_of(engine);
  const Caller& caller = caller_of(family);
  std::string version = ForeignWorker::of(family).version();
  Asked asked{c, name_in_family(engine), version, without_calls(*c.program)};
  bool dies = verdict.kind == VerdictKind::Crash;
  bool silent = verdict.reason == "value" || verdict.reason == "strides";
  Arguments arguments(version);
  std::string list = arguments.list(c.calls[0]);
  std::string out =
      comment(fmt::format("{} of PyTorch {}: {} ({}).{}", c.plans[0], version,
                          name_of(verdict.kind), verdict.reason, silent ? " Silent." : "")) +
      comment(verdict.detail.substr(0, verdict.detail.find('\n'))) +
      comment("Found by Fusillade, " + c.origin + ". Exits 77 while it lives, 0 once it is gone.");
  if (dies) {
    out +=
        "import os\n"
        "if pid := os.fork(): os._exit(77 if os.waitpid(pid, 0)[1] else 0)  # it dies\n";
  }
  out += "import sys, torch; torch.set_grad_enabled(False); from math import inf, nan\n";
  out += python_source(*asked.program, caller.names).text;
  out += arguments.lines.empty()
             ? "def arguments(): return " + list + "\n"
             : "def arguments():\n" + arguments.lines + "  return " + list + "\n";
  out += caller.compiled(asked);
  Contract contract = ForeignWorker::of(family).contract(asked.engine);
  Shadow shadow(contract.half_steps_rounded ? Shadow::Of::AnyHalf : Shadow::Of::Any,
                &contract.leeway);
  Bounds bounds(nullptr);
  if (!dies) bounds = bounds_of(c, c.calls[0], eager_of(engine), shadow);
  std::string by = comparison(verdict, bounds.simple());
  bool needed = by.find("bounds") != std::string::npos;
  return out + (needed ? "bounds = " + bounds.text() + "\n" : "") + kOutcomes +
         (needed ? "print(\"bounds\", bounds)\n" : "") + by;
}

}  // namespace fusillade::fuzz
