// See measure.h.
#include "bench/harness/measure.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>

#include "engine/run/examples.h"
#include "engine/run/plan.h"
#include "fuzz/gen/generate.h"
#include "fuzz/judge/judge.h"
#include "fuzz/process/isolate.h"
#include "fuzz/run/foreign/foreign_worker.h"

namespace fusillade::bench {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr double kBatchSeconds = 0.002;
constexpr int kMaxBatch = 10000;
const fuzz::Limits kLimits{600, 0};

double since(Clock::time_point t) {
  return std::chrono::duration<double>(Clock::now() - t).count();
}

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

using Took = fuzz::ForeignWorker::Took;

struct Runner {
  PlanSeries series;
  std::unique_ptr<Executable> executable;
  fuzz::Call inputs;
  bool outside = false;

  Took told() const {
    const std::string engine = parse_plan(series.plan).engine;
    const std::optional<Took> took = fuzz::ForeignWorker::of(fuzz::family_of(engine)).took();
    if (!took) fail("the worker of {} does not say what a call takes (Worker.timed)", engine);
    return *took;
  }

  // Seconds per call.
  Took time_batch() {
    Took theirs{};
    const double before = processor_seconds();
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < series.batch; ++i) {
      executable->run(inputs.inputs);
      if (!outside) continue;
      theirs.clock += told().clock;
      theirs.processor += told().processor;
    }
    const Took ours{since(start), processor_seconds() - before};
    const Took& all = outside ? theirs : ours;
    return {all.clock / series.batch, all.processor / series.batch};
  }

  void add_round() {
    const Took took = time_batch();
    series.rounds.push_back(took.clock);
    series.cpu.push_back(took.processor);
  }
};

Runner prepare_runner(const Program& program, const std::string& plan, const MeasureOptions& o) {
  Runner r;
  r.series.plan = plan;
  r.outside = fuzz::is_outside(parse_plan(plan).engine);
  r.inputs = make_inputs(program, o.seed);
  PipelineOptions options;
  if (o.typed) options.inputs = example_types(*program.graph, r.inputs.inputs);
  Clock::time_point start = Clock::now();
  r.executable = prepare({*program.graph, {}, program.self()}, parse_plan(plan), options);
  r.series.compile = since(start);
  start = Clock::now();
  r.executable->run(r.inputs.inputs);
  r.series.first_call = since(start);
  start = Clock::now();
  r.executable->run(r.inputs.inputs);
  const double once = since(start);
  r.series.batch = std::clamp(static_cast<int>(kBatchSeconds / std::max(once, 1e-9)), 1, kMaxBatch);
  return r;
}

std::string run_process(const Program& program, const MeasureOptions& o, int process) {
  std::vector<Runner> runners;
  for (const std::string& plan : o.plans) runners.push_back(prepare_runner(program, plan, o));
  fuzz::Choices order(o.seed, static_cast<uint64_t>(process));
  std::vector<size_t> turn(runners.size());
  for (size_t i = 0; i < turn.size(); ++i) turn[i] = i;
  for (int round = 0; round < o.rounds; ++round) {
    for (size_t i = turn.size(); i > 1; --i) std::swap(turn[i - 1], turn[order.below(i)]);
    for (size_t i : turn) runners[i].add_round();
  }
  json out = json::array();
  for (const Runner& r : runners) {
    out.push_back({{"compile", r.series.compile},
                   {"first", r.series.first_call},
                   {"batch", r.series.batch},
                   {"rounds", r.series.rounds},
                   {"cpu", r.series.cpu}});
  }
  return out.dump();
}

// The types of these inputs, as declared ones.
void declare_types(Graph& graph, const std::vector<IValue>& inputs) {
  std::vector<Type> types = example_types(graph, inputs);
  for (size_t i = 0; i < types.size(); ++i) graph.inputs()[i]->set_type(types[i]);
}

void check_outputs(const Program& program, const MeasureOptions& o, std::vector<Measured>& out) {
  for (Measured& m : out) {
    fuzz::ChildResult r = fuzz::run_isolated(
        [&] {
          fuzz::Case c;
          c.oracle = fuzz::main_oracle({m.plan});
          c.plans = {m.plan};
          c.program = program.graph->clone();
          c.calls.push_back(make_inputs(program, o.seed));
          if (o.typed) declare_types(*c.program, c.calls[0].inputs);
          fuzz::Verdict v = fuzz::judge_here(c);
          double share = v.elements.compared ? static_cast<double>(v.elements.tight) /
                                                   static_cast<double>(v.elements.compared)
                                             : 0;
          return json({{"verdict", name_of(v.kind)}, {"detail", v.detail}, {"tight", share}})
              .dump();
        },
        kLimits);
    if (r.kind != fuzz::ChildResult::Kind::Done) {
      m.verdict = "crash";
      continue;
    }
    json j = json::parse(r.output);
    m.verdict = j["verdict"];
    m.tight_share = j["tight"];
  }
}

}  // namespace

std::vector<Measured> measure(const Program& program, const MeasureOptions& o) {
  std::vector<Measured> out(o.plans.size());
  for (size_t i = 0; i < o.plans.size(); ++i) out[i].plan = o.plans[i];
  for (int p = 0; p < o.processes; ++p) {
    fuzz::ChildResult r = fuzz::run_isolated([&] { return run_process(program, o, p); }, kLimits);
    if (r.kind != fuzz::ChildResult::Kind::Done) {
      fail("{}: a measuring process ended early: {}", program.name, r.log);
    }
    json series = json::parse(r.output);
    for (size_t i = 0; i < out.size(); ++i) {
      PlanSeries s{o.plans[i],
                   series[i]["compile"],
                   series[i]["first"],
                   series[i]["batch"],
                   series[i]["rounds"].get<std::vector<double>>(),
                   series[i]["cpu"].get<std::vector<double>>()};
      out[i].steady.push_back(find_steady(s.rounds));
      out[i].processes.push_back(std::move(s));
    }
  }
  for (Measured& m : out) {
    std::vector<double> compile, first, call, cpu;
    for (size_t p = 0; p < m.processes.size(); ++p) {
      compile.push_back(m.processes[p].compile);
      first.push_back(m.processes[p].first_call);
      call.push_back(m.steady[p].level);
      const PlanSeries& s = m.processes[p];
      size_t warm = m.steady[p].start < s.cpu.size() ? m.steady[p].start : 0;
      cpu.push_back(median({s.cpu.begin() + static_cast<std::ptrdiff_t>(warm), s.cpu.end()}));
    }
    m.compile = estimate(compile);
    m.first_call = estimate(first);
    m.call = estimate(call);
    m.cpu = estimate(cpu);
  }
  for (Measured& m : out) m.verdict = "not checked";
  if (o.check && program.given.empty()) check_outputs(program, o, out);
  return out;
}

}  // namespace fusillade::bench
