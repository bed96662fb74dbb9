// See static_cost.h.
#include "fuzz/run/static_cost.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/hash.h"
#include "engine/base/probe.h"
#include "engine/base/table.h"
#include "engine/front/autograd.h"
#include "engine/fuse/compile_log.h"
#include "engine/fuse/transforms/transform.h"
#include "engine/ir/interpret.h"
#include "engine/ir/visit.h"
#include "engine/kernel/llvm_text.h"
#include "engine/kernel/work.h"
#include "engine/ops/call.h"
#include "engine/run/bytecode.h"
#include "engine/run/gradients.h"
#include "engine/run/jit.h"
#include "engine/tensor/peak.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/run/training.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

// While one lives, operators that run are counted here, and for whoever counted before.
class OperatorRuns {
 public:
  OperatorRuns() : runs_(OperatorTable::instance().size()), before_(operator_runs) {
    operator_runs = runs_.data();
  }
  ~OperatorRuns() {
    operator_runs = before_;
    for (size_t i = 0; before_ && i < runs_.size(); ++i) before_[i] += runs_[i];
  }
  OperatorRuns(const OperatorRuns&) = delete;
  OperatorRuns& operator=(const OperatorRuns&) = delete;
  int64_t total() const {
    uint64_t sum = 0;
    for (uint64_t n : runs_) sum += n;
    return static_cast<int64_t>(sum);
  }

 private:
  std::vector<uint64_t> runs_;
  uint64_t* before_;
};

int64_t count_of(const char* name) { return static_cast<int64_t>(probe(name).count()); }

constexpr const char* kTraining = "training ";
constexpr const char* kRefused = " refused";  // of a transform

struct Code {
  int64_t without_vectors = 0, instructions = 0;
};

// "<8 x float>" in a line of LLVM IR.
bool has_vector(std::string_view line) {
  for (size_t at = 0; (at = line.find('<', at)) != std::string_view::npos;) {
    const size_t end = line.find_first_not_of("0123456789", ++at);
    if (end != at && line.substr(std::min(end, line.size())).starts_with(" x ")) return true;
  }
  return false;
}

void add_code(const std::string& text, Code& code) {
  bool vectors = false;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line(text.data() + at, end - at);
    code.instructions += line.starts_with("  ");
    vectors = vectors || has_vector(line);
    at = end + 1;
  }
  code.without_vectors += !vectors;
}

// Iterations of all loops in all calls, when the graph is walked.
struct Iterations : ValueDomain {
  int64_t met = 0;
  void on_node(const Node* node) { met += node->is(prim::loop()); }
};

bool has_loops(const Block* block) {
  return any_node(block, [](const Node* n) { return n->is(prim::loop()); });
}

int64_t iterations(const Graph& graph, const Case& c) {
  if (!has_loops(graph.block()) || asks_gradients(graph)) return 0;
  Iterations domain;
  for (const Call& call : c.calls) Interpreter(domain).run(graph, copy_call(call).inputs);
  return domain.met;
}

// Extents that are known at launch only count once.
kernel::Work work_of(const std::vector<fuse::Compilation>& kernels) {
  kernel::Work work;
  for (const fuse::Compilation& m : kernels) {
    if (!m.program) continue;
    const kernel::Work one = kernel::work_of(m.lowered.kernel, nullptr);
    work.bytes += one.bytes;
    work.operations += one.operations;
  }
  return work;
}

void add_kernels(const std::vector<fuse::Compilation>& kernels, StaticCost& out) {
  const kernel::Work work = work_of(kernels);
  Code code;
  bool compiled = false;
  for (const fuse::Compilation& m : kernels) {
    if (!m.program || m.backend != "llvm") continue;
    compiled = true;
    add_code(kernel::llvm_text(m.lowered.kernel), code);
  }
  out.counts.emplace_back("bytes moved", work.bytes);
  out.counts.emplace_back("kernel operations", work.operations);
  if (!compiled) return;
  out.counts.emplace_back("kernels without vectors", code.without_vectors);
  out.counts.emplace_back("kernel instructions", code.instructions);
}

constexpr size_t kMostAsked = 3;  // kernels whose transforms are asked
constexpr size_t kMostLoops = 8;  // of such a kernel

void add_refusals(const std::vector<fuse::Compilation>& kernels, StaticCost& out) {
  std::map<std::string, int64_t> refused;
  std::string texts;
  size_t asked = 0;
  for (const fuse::Compilation& m : kernels) {
    if (!m.program || asked == kMostAsked) continue;
    const kernel::Kernel k = fuse::own_names(m.lowered.kernel);
    const fuse::KernelFacts facts = fuse::facts_of(k);
    if (facts.loops.size() > kMostLoops) continue;
    ++asked;
    texts += print(k);
    for (const fuse::Transform* t : Table<fuse::Transform>::instance().by_name())
      refused[t->name] += fuse::refusals(*t, facts);
  }
  if (!asked) return;
  out.kernels = fmt::format("{:016x}", hash_bytes(texts));
  for (const auto& [name, n] : refused) out.counts.emplace_back(name + kRefused, n);
}

// The graph as text without the source locations of its nodes, which depend on the lines before
// them in a case.
std::string without_locations(const Graph& graph) {
  const std::string text = print(graph);
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    out += line.substr(0, line.rfind(") # ")) + "\n";
    at = end + 1;
  }
  return out;
}

// Guards are those before the repeated call.
void add_jit(const JitCounters& counters, int64_t guards, StaticCost& out) {
  out.counts.emplace_back("versions", counters.compiled);
  out.counts.emplace_back("failed guards", counters.failed);
  out.counts.emplace_back("generic kinds", counters.generic);
  out.counts.emplace_back("guards", guards);
}

void add_graph(const Graph& graph, const Plan& plan, StaticCost& out) {
  if (plan.engine == "vm") {
    const auto code = compile_bytecode(graph);
    out.counts.emplace_back("bytecode",
                            std::ssize(code->instructions) + std::ssize(code->constants));
  }
  out.counts.emplace_back("nodes", static_cast<int64_t>(graph.node_count()));
  out.graph = fmt::format("{:016x}", hash_bytes(without_locations(graph)));
}

// One call under a tape, and back.
class TrainingCall {
 public:
  TrainingCall(const Executable& ready, const Call& call) {
    heartbeat();
    eager::Gradients on;
    Call copy = copy_call(call);
    std::vector<Tensor> leaves, outputs, seeds;
    for (IValue& v : copy.inputs) {
      if (!may_be_leaf(v)) continue;
      leaves.push_back(v.as_tensor());
      v = input_of_leaf(leaves.back());
    }
    const size_t before = Storage::live_bytes();
    restart_peak();
    const std::vector<IValue> results = ready.run(copy.inputs);
    for (const IValue& v : results) collect_recorded(v, outputs);
    if (outputs.empty()) decline("no output that depends on floats");
    saved_ = static_cast<int64_t>(Storage::live_bytes()) - static_cast<int64_t>(before);
    for (const Tensor& t : outputs) seeds.push_back(Tensor::zeros(t.sizes(), t.dtype()));
    eager::gradients(outputs, leaves, {.seeds = seeds, .allow_unused = true});
    peak_ = static_cast<int64_t>(peak_bytes()) - static_cast<int64_t>(before);
  }
  int64_t bytes_saved() const { return saved_; }
  int64_t bytes_at_peak() const { return peak_; }

 private:
  int64_t saved_ = 0, peak_ = 0;
};

// Gradients that groups derived, or could not.
int64_t derivations() { return count_of("autodiff/derived") + count_of("autodiff/declined"); }

bool is_differentiable(const Node* n) { return n->is(prim::differentiable()); }

// The last call twice: what is derived for one serves the other.
void count_training(const Case& c, const Plan& plan, StaticCost& out) {
  const std::unique_ptr<Graph> program = c.program->clone();
  forget_gradients(*program);
  PipelineOptions options;
  options.recorded = true;
  const auto ready = prepare({*program, c.script, c.self}, plan, options);
  // Where all is walked operator by operator, AutoDiff has no part in it.
  if (!ready->graph() || !any_node(ready->graph()->block(), is_differentiable)) return;
  fuse::CompileLog log;
  const OperatorRuns runs;
  const int64_t launched = count_of("fuse/launched"), derived = derivations();
  const int64_t by_operators = count_of("autodiff/by-operators");
  TrainingCall(*ready, c.calls.back());
  const TrainingCall again(*ready, c.calls.back());
  const kernel::Work work = work_of(log.compilations);
  const auto add = [&](const char* what, int64_t n) {
    out.counts.emplace_back(kTraining + std::string(what), n);
  };
  add("saved bytes", again.bytes_saved());
  add("steps", runs.total() + count_of("fuse/launched") - launched);
  add("derivations", derivations() - derived);
  add("groups by operators", count_of("autodiff/by-operators") - by_operators);
  add("bytes moved", work.bytes);
  add("kernel operations", work.operations);
  add("kernels compiled", std::ssize(log.compilations));
  add("peak bytes", again.bytes_at_peak());
}

// With AutoDiff's groups in kernels that are quick to compile: their work is the same.
std::optional<Plan> training_plan(Plan plan) {
  if (engine_of(plan).passes_later) return {};
  for (PassCall& call : plan.pipeline)
    if (call.pass->name == "fuse") call.args.at(1) = "interp";
  return with_autodiff(std::move(plan), false);
}

// Of the case's plans that have one of training, the one that is counted: it costs as much as a
// plan's forward calls, and what AutoDiff derives hangs little on the plan. Another for each case.
bool trains_under(const Case& c, const Plan& plan) {
  std::vector<std::string> able;
  for (const Plan& p : c.plans)
    if (training_plan(p)) able.push_back(p.text);
  return able.size() < 2 || able[hash_bytes(c.origin) % able.size()] == plan.text;
}

// Where a tape takes the program; of what it refuses nothing is said.
void add_training(const Case& c, const Plan& given, StaticCost& out) {
  if (c.calls.empty() || std::ranges::none_of(c.calls.back().inputs, may_be_leaf)) return;
  if (!trains_under(c, given)) return;
  const std::optional<Plan> plan = training_plan(given);
  if (!plan) return;
  const size_t counted = out.counts.size();
  try {
    count_training(c, *plan, out);
  } catch (const Exception&) {
    out.counts.resize(counted);
  }
}

void count(const Case& c, const Plan& plan, bool rewrites, StaticCost& out) {
  heartbeat();
  PipelineOptions options;
  options.keep_log = rewrites;
  const auto ready = prepare({*c.program, c.script, c.self}, plan, options);
  const Graph* graph = ready->graph();
  for (const PassStat& s : ready->pipeline_result().stats)
    out.nodes.emplace_back(s.pass, static_cast<int64_t>(s.nodes_after));
  for (const Rewrite& w : ready->pipeline_result().log)
    out.rewrites.push_back({w.pass + "/" + w.rule, w.node.substr(0, w.node.find('\n'))});
  const bool tasks = has_tasks(c.program->block());
  fuse::CompileLog log;
  const int64_t launched = count_of("fuse/launched");
  int64_t steps = graph && !tasks ? iterations(*graph, c) : 0;
  {
    const OperatorRuns runs;
    for (const Call& call : c.calls) {
      heartbeat();
      ready->run(copy_call(call).inputs);
    }
    steps += runs.total() + count_of("fuse/launched") - launched;
  }
  out.counts.emplace_back("steps", steps);
  const auto* jit = dynamic_cast<const JitExecutable*>(ready.get());
  const JitCounters counters = jit ? jit->counters() : JitCounters();
  if (jit) out.counts.emplace_back("calls not specialised", counters.profiled);
  if (!tasks) add_kernels(log.compilations, out);
  if (!c.calls.empty() && !tasks) {
    const Call again = copy_call(c.calls.back());
    const int64_t before = count_of("tensor/allocated");
    const size_t bytes_before = Storage::live_bytes();
    restart_peak();
    ready->run(again.inputs);
    out.counts.emplace_back("allocations", count_of("tensor/allocated") - before);
    out.counts.emplace_back("peak bytes", static_cast<int64_t>(peak_bytes() - bytes_before));
  }
  if (!tasks) out.counts.emplace_back("kernels compiled", std::ssize(log.compilations));
  if (jit) add_jit(jit->counters(), counters.guards, out);
  if (jit && !c.calls.empty()) graph = &jit->graph_for(copy_call(c.calls.back()).inputs);
  if (graph) add_graph(*graph, plan, out);
  if (tasks) return;
  add_training(c, plan, out);
  add_refusals(log.compilations, out);
}

}  // namespace

StaticCost static_cost(const Case& c, const Plan& plan, bool rewrites) {
  StaticCost out;
  try {
    count(c, plan, rewrites, out);
    return out;
  } catch (const Unsupported& e) {
    out.why_not = std::string("declined: ") + e.what();
  } catch (const Exception&) {
    out.why_not = "the program raises an error";
  } catch (const std::bad_alloc&) {
    out.why_not = "memory";
  }
  out.counts.clear();
  return out;
}

bool is_of_training(const std::string& what) { return what.starts_with(kTraining); }

std::string refusing_transform(const std::string& what) {
  return what.ends_with(kRefused) ? what.substr(0, what.size() - std::strlen(kRefused)) : "";
}

std::optional<Growth> growth(const StaticCost& before, const StaticCost& after) {
  for (const auto& [what, now] : after.counts) {
    if (before.kernels != after.kernels && !refusing_transform(what).empty()) continue;
    for (const auto& [same, was] : before.counts) {
      if (same != what || was == now) continue;
      if (now < was) return std::nullopt;
      return Growth{what, was, now};
    }
  }
  return std::nullopt;
}

std::string to_text(const std::vector<StaticCost>& all) {
  json out = json::array();
  for (const StaticCost& a : all) {
    json applied = json::array();
    for (const StaticCost::Applied& w : a.rewrites) applied.push_back({w.rule, w.node});
    out.push_back({{"why_not", a.why_not},
                   {"counts", a.counts},
                   {"nodes", a.nodes},
                   {"graph", a.graph},
                   {"kernels", a.kernels},
                   {"rewrites", std::move(applied)}});
  }
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<StaticCost> static_cost_of_text(const std::string& text) {
  std::vector<StaticCost> out;
  try {
    for (const json& j : json::parse(text)) {
      StaticCost a;
      j.at("why_not").get_to(a.why_not);
      j.at("counts").get_to(a.counts);
      j.at("nodes").get_to(a.nodes);
      j.at("graph").get_to(a.graph);
      a.kernels = j.value("kernels", "");  // builds of version 0.2 have none
      for (const json& w : j.at("rewrites")) a.rewrites.push_back({w.at(0), w.at(1)});
      out.push_back(std::move(a));
    }
  } catch (const json::exception& e) {
    fail("another build's counts are not read: {}", e.what());
  }
  return out;
}

}  // namespace fusillade::fuzz
