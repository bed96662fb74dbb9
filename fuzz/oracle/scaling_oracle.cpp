// Claim: what a pass costs grows with the program it is given, not much faster.
//
// The program is written out n times, side by side, each copy with inputs of its own, so that no
// copy can be merged with another; and once more in a row, where what a copy gives is what the next
// is given. Each pass of a plan's pipeline, behind those before it, is timed on some 256 nodes, on
// four times as many, and, when it is suspected, on sixteen times: at each step it costs 4 times as
// much in proportion, by n log n 5 times, by the square 16 times. What costs kMostGrowth times as
// much at the last and nearly so at the one before, the least of several measurements by the clock
// of the thread, is a finding: the pass that does. Two steps, for one may be where the program
// leaves a cache. What is suspected is measured alone, on the graph that those before it left.
//
// Time is measured, so the claim is judged only where a campaign asks for it.
#include <chrono>
#include <numeric>
#include <thread>

#include "engine/passes/pass.h"
#include "engine/passes/pass_times.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/process/heartbeat.h"

namespace fusillade::fuzz {
namespace {

constexpr size_t kFew = 256;        // nodes of all copies
constexpr size_t kTimesAsMany = 4;  // at each step
constexpr double kMostGrowth = 12, kNearly = 8;
constexpr double kLeast = 5e-4;  // seconds of the first step; less is lost in noise
constexpr double kLongest = 1;   // seconds of all passes; where it takes more there is no last step
// Of what is suspected: so many measurements, of which the least counts, with pauses between them,
// in which what else the machine does may pass. Fewer where they took kEnough seconds, for what
// else a core does in so long makes nothing three times as slow.
constexpr int kAgain = 5;
constexpr double kEnough = 0.1;
constexpr std::chrono::milliseconds kPause{100};

// For each tensor input of the next copy, the output of the last copy that it reads.
using Wires = std::vector<std::optional<size_t>>;

Wires wires(const Graph& program) {
  Wires out(program.inputs().size());
  std::vector<bool> used(program.outputs().size());
  for (size_t i = 0; i < out.size(); ++i)
    for (size_t o = 0; o < used.size() && !out[i]; ++o)
      if (!used[o] && program.outputs()[o]->type().is_tensor() &&
          program.inputs()[i]->type().is_tensor()) {
        out[i] = o;
        used[o] = true;
      }
  return out;
}

std::unique_ptr<Graph> copies(const Graph& program, size_t n, bool in_a_row) {
  auto out = std::make_unique<Graph>();
  out->name = program.name;
  const Wires wired = in_a_row ? wires(program) : Wires(program.inputs().size());
  std::vector<Value*> results;
  for (size_t k = 0; k < n; ++k) {
    std::vector<Value*> given;
    for (size_t i = 0; i < program.inputs().size(); ++i) {
      const Type& type = program.inputs()[i]->type();
      if (k > 0 && wired[i]) given.push_back(results[*wired[i]]);
      else given.push_back(out->add_input(wired[i] ? Type(TypeKind::Tensor) : type));
    }
    results = inline_graph(program, out->block()->return_node(), given);
    for (Value* v : results) out->add_output(v);
  }
  return out;
}

// Seconds of each pass of the pipeline, in order.
using Seconds = std::vector<double>;

double seconds_of(Graph& graph, const PassCall& pass) {
  const PassTimes timed;
  double out = 0;
  for (const PassStat& s : run_pipeline(graph, {pass}).stats) out += s.seconds;
  heartbeat();
  return out;
}

class Growth {
 public:
  Growth(const Graph& program, const std::vector<PassCall>& pipeline, bool in_a_row)
      : program_(program), pipeline_(pipeline), in_a_row_(in_a_row) {
    copies_[0] = std::max<size_t>(1, kFew / program.node_count());
    copies_[1] = kTimesAsMany * copies_[0];
    copies_[2] = kTimesAsMany * copies_[1];
  }

  // The pass that grows too much.
  std::optional<size_t> find_slow_pass() {
    for (int step : {0, 1}) {
      const std::unique_ptr<Graph> graph = copies(program_, copies_[step], in_a_row_);
      for (const PassCall& pass : pipeline_) seconds_[step].push_back(seconds_of(*graph, pass));
    }
    seconds_[2].resize(pipeline_.size());
    for (size_t i = 0; i < pipeline_.size(); ++i)
      if (grows(i, 1) && confirm(i)) return i;
    return std::nullopt;
  }

  Verdict verdict(size_t i) const {
    const size_t nodes = program_.node_count();
    Verdict v = mismatch("growth", "");
    v.detail = fmt::format("{}, of {}:", pipeline_[i].text(),
                           in_a_row_ ? "copies in a row" : "copies side by side");
    for (size_t step = 0; step < std::size(seconds_); ++step)
      if (seconds_[step][i] > 0)
        v.detail += fmt::format("{} {:.1f} ms for {} nodes", step ? "," : "",
                                seconds_[step][i] * 1e3, copies_[step] * nodes);
    v.kind = VerdictKind::Slow;
    v.part = pipeline_[i].pass->name;
    return v;
  }

 private:
  // Does the pass grow too much at a step, and at those before it?
  bool grows(size_t i, int step) const {
    bool out = seconds_[1][i] > kLeast;
    for (int s = 1; s <= step; ++s)
      out = out && seconds_[s][i] > (s == 2 ? kMostGrowth : kNearly) * seconds_[s - 1][i];
    return out;
  }

  // Measured again, it alone: the passes before it run once for each step.
  bool confirm(size_t i) {
    const std::unique_ptr<Graph> before[] = {before_pass(i, 0), before_pass(i, 1)};
    for (int again = 0; again < kAgain; ++again) {
      measure(i, 0, *before[0]);
      measure(i, 1, *before[1]);
      if (!grows(i, 1)) return false;
    }
    if (std::accumulate(seconds_[1].begin(), seconds_[1].end(), 0.0) > kLongest) return true;
    const std::unique_ptr<Graph> many = before_pass(i, 2);
    double spent = 0;
    for (int again = 0; again < kAgain && spent < kEnough; ++again) {
      if (again > 0) std::this_thread::sleep_for(kPause);
      const double baseline = measure(i, 1, *before[1]);
      const double now = measure(i, 2, *many);
      if (!grows(i, 2) || now <= kMostGrowth * baseline) return false;
      spent += now;
    }
    return true;
  }

  std::unique_ptr<Graph> before_pass(size_t i, int step) const {
    std::unique_ptr<Graph> graph = copies(program_, copies_[step], in_a_row_);
    for (size_t p = 0; p < i; ++p) seconds_of(*graph, pipeline_[p]);
    return graph;
  }

  double measure(size_t i, int step, const Graph& before) {
    const std::unique_ptr<Graph> graph = before.clone();
    const double now = seconds_of(*graph, pipeline_[i]);
    double& least = seconds_[step][i];
    least = least > 0 ? std::min(least, now) : now;
    return now;
  }

  const Graph& program_;
  const std::vector<PassCall>& pipeline_;
  bool in_a_row_;
  size_t copies_[3];
  Seconds seconds_[3];
};

Verdict judge_pipeline(const Graph& program, const std::vector<PassCall>& pipeline, bool in_a_row) {
  Growth growth(program, pipeline, in_a_row);
  if (const auto slow = growth.find_slow_pass()) return growth.verdict(*slow);
  Verdict v;
  v.elements = {pipeline.size(), pipeline.size(), 0};
  return v;
}

Verdict skip(const std::string& why) {
  Verdict v;
  v.kind = VerdictKind::Skip;
  v.reason = why;
  return v;
}

Verdict judge(const Case& c) {
  Judging judging;
  judging.add(skip("no plan with passes of ours"), {}, 0);
  if (!c.program) return skip("no graph to write out");
  const size_t nodes = c.program->node_count();
  if (nodes == 0 || nodes > kFew) return skip(nodes ? "too many nodes" : "no nodes");
  for (const Plan& plan : c.plans) {
    if (!engine_of(plan).runs_passes || plan.pipeline.empty()) continue;
    for (bool in_a_row : {false, true}) {
      Verdict v;
      try {
        v = judge_pipeline(*c.program, plan.pipeline, in_a_row);
      } catch (const Error& e) {  // copies in a row need not be of types that fit
        v = skip(stable_phrase(e.what()));
      }
      judging.count_runs();
      if (judging.add(std::move(v), plan, -1)) return judging.verdict();
    }
  }
  return judging.verdict();
}

const Oracle& registered = Table<Oracle>::instance().add(
    {.name = "scaling",
     .summary = "a pass costs in proportion to the program (measures time)",
     .judge = &judge,
     .asked = true});

}  // namespace
}  // namespace fusillade::fuzz
