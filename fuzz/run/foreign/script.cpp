// See script.h. In the script, a child process runs a call that crashes or does not end.
#include "fuzz/run/foreign/script.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/passes/pass.h"
#include "fuzz/process/exit_code.h"
#include "fuzz/process/isolate.h"
#include "fuzz/run/foreign/claim.h"
#include "fuzz/run/foreign/engine.h"
#include "fuzz/run/foreign/foreign_worker.h"
#include "fuzz/run/foreign/host_side.h"
#include "fuzz/run/foreign/ir_text.h"
#include "fuzz/run/foreign/script_arguments.h"
#include "fuzz/run/foreign/source_script.h"
#include "fuzz/run/python/worker.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;
using Kind = Claim::Kind;

constexpr size_t kShown = 40;  // columns of an expression inside the line that prints
constexpr size_t kDetailColumns =
    94;  // of a line of the verdict's detail; wrong values are shown on two lines
constexpr Limits kScriptLimits = {.seconds = 300, .megabytes = 8192};

// Without what nothing uses, or as it is; of PyTorch, in its functions, or its operators.
enum class Words : uint8_t { Shortest, ShortOperators, People, Operators };

bool is_short(Words words) { return words <= Words::ShortOperators; }
bool in_operators(Words words) {
  return words == Words::ShortOperators || words == Words::Operators;
}

struct Asked {
  const Case& c;
  const Claim& claim;
  std::string engine;  // of its family
  json options;        // of that engine, by name
  const Family& family;
  Words words;
  std::unique_ptr<Graph> program;
  std::vector<bool> used;  // of the case's inputs, those that it has
};

// What of a script is a family's own.
struct Parts {
  std::string modules;  // "numpy as np, onnxruntime as ort"
  std::string setup, program, run;
  std::string eager, compiled;  // what run() is given
  bool profiled = false;        // it compiles what it has seen run
};

struct Caller {
  const char* worker;
  const char* module;  // "torch", whose __version__ is printed as `name`
  const char* name;
  const Dialect& dialect;
  Parts (*parts)(const Asked& asked);
};

// Printable ASCII, broken into comments of at most 100 columns.
std::string comment(const std::string& text) {
  std::string out, line = "#";
  std::string plain;
  for (unsigned char c : comment_text(text))
    plain += c > ' ' && c < 127 ? static_cast<char>(c) : ' ';
  std::istringstream words(plain);
  for (std::string word; words >> word;) {
    if (word.size() > 90) word.resize(90);
    if (line.size() + 1 + word.size() > 100) out += std::exchange(line, "#") + "\n";
    line += " " + word;
  }
  return out + line + "\n";
}

std::string path_text(const std::vector<size_t>& path) {
  std::string out;
  for (size_t i : path) out += fmt::format("[{}]", i);
  return out;
}

// What is asked of the leaf `y`.
std::string fact(const Asked& asked, const std::string& y) {
  const Claim& claim = asked.claim;
  switch (claim.kind) {
    case Kind::Element:
      if (claim.place.element < 0) return y;
      return y + (claim.single ? "" : fmt::format(".flatten()[{}]", claim.place.element)) +
             ".item()";
    case Kind::Facts:
      return fmt::format("(str({0}.dtype).split(\".\")[-1], tuple({0}.shape))", y);
    case Kind::Strides:
      return fmt::format("[s for s, n in zip({0}.stride(), {0}.shape) if n > 1]", y);
    case Kind::Whole:
      return fmt::format("(type({0}).__name__, len({0}) if isinstance({0}, (list, tuple)) else 1)",
                         y);
    default:
      return y;
  }
}

// The body of "def run(f):" on one line where it fits.
std::string run_text(const std::string& head, const std::vector<std::string>& lines) {
  if (lines.size() == 1 && head.size() + lines[0].size() < 100) return head + " " + lines[0] + "\n";
  std::string out = head + "\n";
  for (const std::string& line : lines) out += wrap_line(line, 4);
  return out;
}

// Makes the inputs of each call, calls f, and returns what is asked.
std::string torch_run(const Asked& asked) {
  const Claim& claim = asked.claim;
  const bool aliases = claim.kind == Kind::Aliases;
  const bool named = aliases || claim.place.of_input;
  std::vector<std::string> lines;
  for (size_t i = 0; i <= claim.call; ++i) {
    const bool last = i == claim.call;
    TorchArguments given(asked.c.calls[i], asked.used, in_operators(asked.words));
    lines.insert(lines.end(), given.lines.begin(), given.lines.end());
    std::string list = join(given.list, ", ");
    if (last && named) {
      for (size_t k = 0; k < given.list.size(); ++k)
        lines.push_back(fmt::format("{} = {}", given.names[k], given.list[k]));
      list = join(given.names, ", ");
    }
    if (!last) lines.push_back("f(" + list + ")");
    if (!last) continue;
    const bool one = asked.program->outputs().size() == 1 && !in_operators(asked.words);
    auto at = [&](const Place& place, const std::string& outputs) {
      if (place.of_input) return given.name_of(place.index) + path_text(place.path);
      return outputs + (one ? "" : fmt::format("[{}]", place.index)) + path_text(place.path);
    };
    const std::string call = "f(" + list + ")";
    const bool again = aliases || (claim.kind != Kind::Element && claim.kind < Kind::Raises);
    if (again) lines.push_back("y = " + call);
    else if (claim.place.of_input) lines.push_back(call);
    std::string y = claim.kind >= Kind::Raises ? call : at(claim.place, again ? "y" : call);
    if (aliases && claim.offsets) lines.push_back("return " + y + ".storage_offset()");
    else if (aliases)
      lines.push_back(
          fmt::format("return {}.untyped_storage().data_ptr() == {}.untyped_storage().data_ptr()",
                      y, at(claim.other, "y")));
    else lines.push_back("return " + fact(asked, y));
  }
  return run_text("def run(f):", lines);
}

constexpr const char* kFusers =
    "torch._C._jit_override_can_fuse_on_cpu({0}), torch._C._jit_set_texpr_fuser_enabled({0})\n"
    "torch._C._jit_set_te_must_use_llvm_cpu(False), "
    "torch._C._jit_set_texpr_reductions_enabled({0})\n";

Parts torch_script(const Asked& asked, Parts parts) {
  parts.setup += fmt::format(kFusers, asked.engine == "script" ? "False" : "True");
  parts.profiled = true;
  if (!in_operators(asked.words)) {
    parts.program += "scripted = torch.jit.script(f)\n";
  } else {
    std::string text = ir_text(*asked.program);
    // Strings of a case stay strings of Python, on one line.
    const bool plain = text.find_first_of("\"\\") == std::string::npos;
    text = plain ? "\"\"\"" + text + "\"\"\"" : python_string(text);
    parts.program += "graph = torch._C.parse_ir(" + text +
                     ")\nscripted = torch._C._create_function_from_graph(\"f\", graph)\n";
  }
  parts.compiled = "scripted";
  return parts;
}

// ", options={'max_fusion_size': 1}"; nothing where there are none.
std::string given_options(const Asked& asked, const char* name) {
  std::vector<std::string> out;
  for (const auto& [option, value] : asked.options.items()) {
    const std::string text = value.is_boolean()  ? (value.get<bool>() ? "True" : "False")
                             : value.is_string() ? python_string(value.get<std::string>())
                                                 : value.dump();
    out.push_back(python_string(option) + ": " + text);
  }
  return out.empty() ? "" : fmt::format(", {}={{{}}}", name, join(out, ", "));
}

Parts torch_parts(const Asked& asked) {
  Parts parts;
  parts.modules = "torch";
  parts.program = python_source(*asked.program,
                                in_operators(asked.words) ? PythonOf::Operators : PythonOf::People)
                      .text;
  parts.run = torch_run(asked);
  parts.eager = "f";
  if (in_operators(asked.words)) parts.setup += "torch.set_grad_enabled(False)\n";
  const std::string& engine = asked.engine;
  if (engine.starts_with("script")) return torch_script(asked, std::move(parts));
  const std::string fixed =
      (asked.claim.call ? ", dynamic=False" : "") + given_options(asked, "options");
  if (engine == "trace")
    parts.compiled = "lambda *xs: torch.jit.trace(f, xs, check_trace=False, strict=False)(*xs)";
  else if (engine == "aot")
    parts.compiled =
        fmt::format("torch.compile(f, backend=\"aot_eager_decomp_partition\"{})", fixed);
  else if (engine == "compile") parts.compiled = fmt::format("torch.compile(f{})", fixed);
  else if (engine == "compile(dynamic)") parts.compiled = "torch.compile(f, dynamic=True)";
  else if (engine != "eager") decline("no scripts for {}", engine);
  return parts;
}

// Of programs over arrays alone, as their worker writes them: which of its results is asked.
std::string of_arrays(const Asked& asked, const std::string& results, bool one) {
  const Claim& claim = asked.claim;
  if (claim.kind >= Kind::Raises) return results;
  if (claim.place.of_input) decline("arrays are values there");
  size_t index = 0, all = 0;
  std::vector<std::string> indices;
  for (size_t i = 0; i < claim.outputs.size(); ++i)
    add_array_indices(claim.outputs[i], fmt::format("[{}]", i), indices);
  all = indices.size();
  const std::string wanted = fmt::format("[{}]", claim.place.index) + path_text(claim.place.path);
  while (index < all && indices[index] != wanted) ++index;
  if (index == all) decline("what differs is no array");
  return results + (one && all == 1 ? "" : fmt::format("[{}]", index));
}

// The lines that return what is asked of a leaf.
void add_return(const Asked& asked, const std::string& leaf, std::vector<std::string>& lines) {
  const bool again = asked.claim.kind != Kind::Element && asked.claim.kind < Kind::Raises;
  if (again) lines.push_back("y = " + leaf);
  lines.push_back("return " + fact(asked, again ? "y" : leaf));
}

std::string source_of(const Asked& asked) {
  const IValue text = ForeignWorker::of(asked.family)
                          .run(foreign_program(*asked.program, asked.family), "source",
                               asked.c.calls[asked.claim.call].inputs)
                          .at(0);
  if (text.tag() != IValue::Tag::Str) decline("no source");
  return text.as_str();
}

Parts jax_parts(const Asked& asked) {
  if (asked.words != Words::Shortest) decline("one way to say it");
  Parts parts;
  parts.program = source_of(asked);
  std::string head = "def run(f):";
  std::vector<std::string> lines;
  for (size_t i = 0; i <= asked.claim.call; ++i) {
    std::string call = "f(" + join(dense_arguments(asked.c.calls[i], kJaxDialect), ", ") + ")";
    if (i == asked.claim.call) add_return(asked, of_arrays(asked, call, true), lines);
    else lines.push_back(call);
  }
  parts.run = run_text(head, lines);
  parts.modules = "jax";
  const std::string all = parts.program + parts.run;
  if (all.find("jnp.") != std::string::npos) parts.modules += ", jax.numpy as jnp";
  if (all.find("lax.") != std::string::npos) parts.setup += "from jax import lax\n";
  parts.setup += "jax.config.update(\"jax_enable_x64\", True)\n";
  parts.eager = "f";
  parts.compiled = "jax.jit(f" + given_options(asked, "compiler_options") + ")";
  return parts;
}

Parts ort_parts(const Asked& asked) {
  if (asked.words != Words::Shortest) decline("one way to say it");
  if (asked.claim.call) decline("a session has no state");
  Parts parts;
  parts.program = source_of(asked);
  const bool constants = parts.program.find("numpy_helper") != std::string::npos;
  parts.modules = "numpy as np, onnxruntime as ort";
  parts.setup +=
      constants ? "from onnx import numpy_helper, parser\n" : "from onnx import parser\n";
  std::vector<std::string> feed;
  for (const std::string& array : dense_arguments(asked.c.calls[0], kNumpyDialect))
    feed.push_back(fmt::format("\"x{}\": {}", feed.size() + 1, array));
  std::vector<std::string> lines = {
      "options = ort.SessionOptions(); options.graph_optimization_level = level"};
  const std::string session = "ort.InferenceSession(model.SerializeToString(), options)";
  add_return(asked, of_arrays(asked, session + ".run(None, {" + join(feed, ", ") + "})", false),
             lines);
  parts.run = run_text("def run(level):", lines);
  parts.eager = "ort.GraphOptimizationLevel.ORT_DISABLE_ALL";
  parts.compiled = fmt::format("ort.GraphOptimizationLevel.ORT_ENABLE_{}",
                               asked.engine == "basic" ? "BASIC" : "ALL");
  return parts;
}

constexpr Caller kCallers[] = {{"torch", "torch", "torch", kTorchDialect, &torch_parts},
                               {"jax", "jax", "jax", kJaxDialect, &jax_parts},
                               {"ort", "ort", "onnxruntime", kNumpyDialect, &ort_parts}};

const Caller& caller_of(const Family& family) {
  for (const Caller& caller : kCallers)
    if (family.worker == caller.worker) return caller;
  decline("no scripts for the engines of {}", family.name);
}

std::string call_text(const Parts& parts, const std::string& by, const std::string& what) {
  return parts.profiled && what == parts.compiled
             ? fmt::format("[{}({}) for _ in range(3)][-1]", by, what)
             : fmt::format("{}({})", by, what);
}

// Prints, and exits with 77 where what is got is illegal. What the eager mode gives is asked first:
// a NaN that a worker's eager mode gave and the script's does not, or the other way around, would
// make every result illegal, the right one too.
std::string judgement(const Claim& claim, const std::string& print) {
  if (!claim.expected_is_asked)
    return print + "sys.exit(0 if " + claim.got_is_legal + " else 77)\n";
  return print + "legal = lambda got: " + claim.got_is_legal +
         "\nif not legal(expected): sys.exit(print(\"not shown here: expected is no such "
         "value\"))\n"
         "sys.exit(0 if legal(got) else 77)\n";
}

// Runs both, or one where `expected` is ours; prints; exits.
std::string ending(const Caller& caller, const Claim& claim, const Parts& parts) {
  const bool ours = parts.compiled.empty() || !claim.expected.empty();
  const std::string& judged = parts.compiled.empty() ? parts.eager : parts.compiled;
  std::string expected = ours ? claim.expected : call_text(parts, "run", parts.eager);
  std::string got = call_text(parts, "run", judged);
  // Where only the error decides, the expected value is merely printed.
  const bool shown = claim.kind == Kind::Raises && !ours && expected.size() < kShown &&
                     expected.find('"') == std::string::npos;
  std::string print =
      wrap_line(fmt::format("print(f\"{} {{{}.__version__}}: expected {{{}}}, got {{got}}\")",
                            caller.name, caller.module, shown ? expected : "expected"));
  const std::string attempt =
      "try: got = " + got + "\nexcept Exception as e: got = f\"{type(e).__name__}: {e}\"\n" + print;
  switch (claim.kind) {
    case Kind::Raises:
      return (shown ? "" : wrap_line("expected = " + expected)) + attempt +
             "sys.exit(77 if isinstance(got, str) else 0)\n";
    case Kind::Missing:
      if (ours)
        return wrap_line("expected = " + expected) + attempt +
               "sys.exit(0 if isinstance(got, str) else 77)\n";
      [[fallthrough]];
    case Kind::Classes: {
      const bool missing = claim.kind == Kind::Missing;
      return "def outcome(f):\n    try: return run(f)\n"
             "    except Exception as e: return type(e).__name__\n" +
             wrap_line(fmt::format("expected, got = {}, {}",
                                   call_text(parts, "outcome", parts.eager),
                                   call_text(parts, "outcome", judged))) +
             print +
             (missing ? "sys.exit(77 if isinstance(expected, str) and not isinstance(got, str) "
                        "else 0)\n"
                      : "sys.exit(77 if isinstance(got, str) and isinstance(expected, str) and "
                        "got != expected else 0)\n");
    }
    case Kind::Dies:
    case Kind::Late:
      return "pid = os.fork()\nif not pid:\n" +
             std::string(claim.kind == Kind::Late ? "    signal.alarm(60)\n" : "") + "    " + got +
             "\n    os._exit(0)\nstatus = os.waitpid(pid, 0)[1]\n" +
             wrap_line("expected, got = " + expected + ", f\"signal {os.WTERMSIG(status)}\"") +
             print + "sys.exit(77 if os.WIFSIGNALED(status) else 0)\n";
    default:
      return wrap_line("expected, got = " + expected + ", " + got) + judgement(claim, print);
  }
}

std::string head(const Case& c, const Verdict& verdict, const Claim& claim, const Caller& caller,
                 const std::string& version) {
  const std::string& engine = c.plans[0].engine;
  const bool eager = engine == eager_of(engine);
  const bool silent = claim.kind < Kind::Raises;
  std::string against = eager ? "Fusillade's own eager mode" : eager_of(engine);
  std::string word = verdict.kind == VerdictKind::Mismatch
                         ? verdict.reason.substr(0, verdict.reason.find(':'))
                         : name_of(verdict.kind);
  return comment(fmt::format("{} of {} {}, against {}: {}{}", c.plans[0].text, caller.name, version,
                             against, word, silent ? ". Silent." : ".")) +
         comment(verdict.detail.substr(0, std::min(verdict.detail.find('\n'),
                                                   silent ? 2 * kDetailColumns : kDetailColumns))) +
         comment("Fusillade, " + c.origin +
                 ": fusillade repro reduced.case. Exits 77 while it lives.");
}

// Results that nobody looks at, what they alone need, and inputs that nothing uses are taken out.
void drop_unused(Asked& asked) {
  Graph& graph = *asked.program;
  if (asked.claim.place.of_input && asked.claim.kind == Kind::Element)
    while (!graph.outputs().empty()) graph.block()->remove_result(0);
  run_pipeline(graph, parse_pipeline("dce"));
  for (size_t i = graph.inputs().size(); i-- > 0;) {
    bool wanted = asked.claim.place.of_input && asked.claim.place.index == i;
    wanted = wanted || (asked.claim.kind == Kind::Aliases && asked.claim.other.of_input &&
                        asked.claim.other.index == i);
    if (!graph.inputs()[i]->is_unused() || wanted) continue;
    graph.inputs()[i]->node()->remove_output(static_cast<int>(i));
    asked.used[i] = false;
  }
}

// Words of the verdict that the script's own output must have, where it ends in an error.
std::string reported_error(const Verdict& v) {
  if (!v.reason.starts_with("error: ") || v.reason.starts_with("error: class ") ||
      of_another_shape(v))
    return "";
  std::string text = v.detail.substr(0, v.detail.find('\n'));
  size_t colon = text.find(": ");
  if (colon != std::string::npos) text = text.substr(colon + 2);
  return text.substr(0, std::min(text.find_first_of("0123456789'\"/"), size_t{40}));
}

bool shows(const std::string& path, const Case& c, const Verdict& verdict) {
  const std::string python = family_of(c.plans.at(0).engine).command()[0];
  ChildResult r = run_isolated(
      [&]() -> std::string {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        become({python, path});
      },
      kScriptLimits);
  return r.kind == ChildResult::Kind::Crash && r.signal == 0 && r.status == kReproduced &&
         r.log.find(reported_error(verdict)) != std::string::npos;
}

}  // namespace

std::vector<std::string> scripts_of(const Case& c, const Verdict& verdict) {
  if (c.plans.empty() || c.calls.empty() || !c.refused.empty()) decline("no graph, or no call");
  if (c.python) return {source_script(c, verdict)};
  if (!c.self.is_none()) decline("no script for a module");
  const std::string& engine = c.plans[0].engine;
  if (!is_outside(engine)) decline("no compiler of others");
  const Family& family = family_of(engine);
  const Caller& caller = caller_of(family);
  const Claim claim = claim_of(c, verdict, caller.dialect);
  const std::string first = head(c, verdict, claim, caller, ForeignWorker::of(family).version());
  const std::string modules = claim.kind == Kind::Late   ? "import os, signal, sys, "
                              : claim.kind == Kind::Dies ? "import os, sys, "
                                                         : "import sys, ";
  const json options = options_of(c.plans[0]);
  std::vector<std::string> out;
  std::string why;
  for (Words words : {Words::Shortest, Words::ShortOperators, Words::People, Words::Operators}) {
    try {
      Asked asked{c,
                  claim,
                  name_in_family(engine),
                  options,
                  family,
                  words,
                  without_calls(*c.program),
                  std::vector<bool>(c.program->inputs().size(), true)};
      if (!name_in_family(engine).starts_with("script")) evaluate_host_side(*asked.program);
      if (is_short(words) && family.worker == std::string("torch")) drop_unused(asked);
      Parts parts = caller.parts(asked);
      if (name_in_family(engine) == name_in_family(eager_of(engine))) parts.compiled.clear();
      if (parts.program.find("math.") != std::string::npos) parts.modules += ", math";
      out.push_back(first + modules + parts.modules + "\n" + parts.setup + parts.program +
                    parts.run + ending(caller, claim, parts));
    } catch (const Unsupported& e) {
      if (why.empty()) why = e.what();
    }
  }
  if (out.empty()) decline("{}", why);
  return out;
}

std::string save_script(const std::string& path, const Case& c, const Verdict& verdict,
                        const Limits& limits, const std::string& tried) {
  if (c.plans.empty() || !is_outside(c.plans[0].engine)) return "no external engine";
  start_outside(c.plans);
  const Service::Lent lent;
  ChildResult r = run_isolated(
      [&] {
        json said;
        try {
          said["scripts"] = scripts_of(c, verdict);
        } catch (const Exception& e) {
          said["why"] = e.what();
        }
        return said.dump(-1, ' ', true, json::error_handler_t::replace);
      },
      limits);
  json said = json::parse(r.output, nullptr, false);
  if (!said.is_object()) return "making it did not end";
  if (said.contains("why")) return said["why"];
  for (const std::string text : said["scripts"]) {
    write_atomically(tried, text);
    const bool shown = shows(tried, c, verdict);
    unlink(tried.c_str());
    if (!shown) continue;
    write_atomically(path, text);
    return "";
  }
  return "no script that was tried shows it";
}

}  // namespace fusillade::fuzz
