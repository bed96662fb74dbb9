// See measure.h.
#include "bench/harness/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "bench/harness/code.h"
#include "bench/harness/ready.h"
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
const fuzz::Limits kLimits{3600, 0};  // a convolution by hand, row by row, takes minutes

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
  std::string plan;
  PlanSeries series;
  std::unique_ptr<Ready> ready;
  bool outside = false;

  Took told() const {
    const std::string engine = parse_plan(plan).engine;
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
      ready->call();
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
  r.plan = plan;
  r.outside = fuzz::is_outside(parse_plan(plan).engine);
  r.ready = std::make_unique<Ready>(program, plan, o.seed, o.typed);
  Clock::time_point start = Clock::now();
  r.ready->compile();
  r.series.compile = since(start);
  start = Clock::now();
  r.ready->call();
  r.series.first_call = since(start);
  start = Clock::now();
  r.ready->call();
  const double once = since(start);
  r.series.batch = std::clamp(static_cast<int>(kBatchSeconds / std::max(once, 1e-9)), 1, kMaxBatch);
  return r;
}

std::string run_process(const Program& program, const std::vector<std::string>& plans,
                        const MeasureOptions& o, uint64_t process) {
  std::vector<Runner> runners;
  for (const std::string& plan : plans) runners.push_back(prepare_runner(program, plan, o));
  fuzz::Choices order(o.seed, process);
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

// Of gradients: AutoDiff's are the tape's (in the ring), and the tape's are adjoint to slopes.
std::string oracle_of(const Program& program, const std::string& plan) {
  if (!program.backward) return fuzz::main_oracle({plan});
  return plan_of(program, plan).pipeline.empty() ? "adjoint" : "gradient";
}

// The oracle's verdict on the outputs, as a child says it.
std::string judged(const Program& program, const Measured& m, const MeasureOptions& o) {
  fuzz::Case c;
  c.oracle = oracle_of(program, m.plan);
  c.plans = {to_string(plan_of(program, m.plan))};
  c.program = program.graph->clone();
  c.calls.push_back(make_inputs(program, o.seed));
  if (o.typed) declare_types(*c.program, c.calls[0].inputs);
  const fuzz::Verdict v = fuzz::judge_here(c);
  const double share = v.elements.compared ? static_cast<double>(v.elements.tight) /
                                                 static_cast<double>(v.elements.compared)
                                           : 0;
  // What is skipped (gradients of random numbers) is not known to be wrong.
  const bool skipped = v.kind == fuzz::VerdictKind::Skip;
  return json({{"verdict", name_of(skipped ? fuzz::VerdictKind::Untrusted : v.kind)},
               {"tight", share}})
      .dump();
}

void check_outputs(const MeasureOptions& o, Measured& m) {
  const fuzz::ChildResult r = fuzz::run_isolated([&] { return judged(*m.program, m, o); }, kLimits);
  if (r.kind != fuzz::ChildResult::Kind::Done) {
    m.verdict = "crash";
    return;
  }
  const json j = json::parse(r.output);
  m.verdict = j["verdict"];
  m.tight_share = j["tight"];
}

// One process of the measuring: a program under all plans, or under one alone.
struct Job {
  size_t program = 0;
  uint64_t process = 0;
  std::vector<size_t> into;  // places in what is measured, one for each plan
};

std::vector<Measured> places(const std::vector<Program>& programs, const MeasureOptions& o) {
  std::vector<Measured> out;
  for (const Program& p : programs) {
    for (int alone = 0; alone <= (o.alone ? 1 : 0); ++alone) {
      for (const std::string& plan : o.plans) {
        Measured m;
        m.program = &p;
        m.plan = plan;
        m.alone = alone == 1;
        out.push_back(std::move(m));
      }
    }
  }
  return out;
}

// All processes in random order.
std::vector<Job> jobs(size_t programs, const MeasureOptions& o) {
  const size_t plans = o.plans.size(), step = plans * (o.alone ? 2 : 1);
  std::vector<Job> out;
  for (size_t p = 0; p < programs; ++p) {
    for (int n = 0; n < o.processes; ++n) {
      Job all{p, out.size(), {}};
      for (size_t i = 0; i < plans; ++i) all.into.push_back(p * step + i);
      out.push_back(all);
      for (size_t i = plans; i < step; ++i) out.push_back({p, out.size(), {p * step + i}});
    }
  }
  fuzz::Choices order(o.seed, out.size());
  for (size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[order.below(i)]);
  return out;
}

void run_job(const Program& program, const Job& job, const MeasureOptions& o,
             std::vector<Measured>& out) {
  std::vector<std::string> plans;
  for (size_t at : job.into) plans.push_back(out[at].plan);
  const fuzz::ChildResult r =
      fuzz::run_isolated([&] { return run_process(program, plans, o, job.process); }, kLimits);
  if (r.kind != fuzz::ChildResult::Kind::Done)
    fail("{}: a measuring process ended early: {}", program.name, r.log);
  const json series = json::parse(r.output);
  for (size_t i = 0; i < job.into.size(); ++i) {
    PlanSeries s{series[i]["compile"], series[i]["first"], series[i]["batch"],
                 series[i]["rounds"].get<std::vector<double>>(),
                 series[i]["cpu"].get<std::vector<double>>()};
    out[job.into[i]].steady.push_back(find_steady(s.rounds));
    out[job.into[i]].processes.push_back(std::move(s));
  }
}

// The later half over the earlier, of levels in the order in which they were measured.
std::optional<double> halves(const std::vector<double>& levels) {
  constexpr size_t kLeast = 4;
  if (levels.size() < kLeast) return std::nullopt;
  const auto middle = levels.begin() + static_cast<std::ptrdiff_t>(levels.size() / 2);
  return estimate({middle, levels.end()}).value / estimate({levels.begin(), middle}).value;
}

void summarise(Measured& m) {
  std::vector<double> compile, first, call, cpu;
  for (size_t p = 0; p < m.processes.size(); ++p) {
    const PlanSeries& s = m.processes[p];
    compile.push_back(s.compile);
    first.push_back(s.first_call);
    call.push_back(m.steady[p].level);
    const size_t warm = m.steady[p].start < s.cpu.size() ? m.steady[p].start : 0;
    cpu.push_back(median({s.cpu.begin() + static_cast<std::ptrdiff_t>(warm), s.cpu.end()}));
  }
  m.compile = estimate(compile);
  m.first_call = estimate(first);
  m.call = estimate(call);
  m.cpu = estimate(cpu);
  m.aa_steady = halves(call);
  m.aa_compile = halves(compile);
}

// Of interleaved ones; those alone have the same outputs and the same code.
void look_at(const MeasureOptions& o, std::vector<Measured>& all) {
  for (Measured& m : all) {
    if (m.alone) continue;
    if (o.check && m.program->given.empty()) check_outputs(o, m);
    const fuzz::ChildResult r = fuzz::run_isolated(
        [&] { return program_code(*m.program, m.plan, o.seed, o.typed); }, kLimits);
    if (r.kind == fuzz::ChildResult::Kind::Done) m.code = r.output;
    for (Measured& other : all) {
      if (!other.alone || other.program != m.program || other.plan != m.plan) continue;
      other.verdict = m.verdict;
      other.tight_share = m.tight_share;
      other.code = m.code;
    }
  }
}

}  // namespace

std::optional<double> noise_floor(const std::vector<Measured>& all,
                                  std::optional<double> Measured::* of) {
  std::vector<double> seen;
  for (const Measured& m : all)
    if (m.*of) seen.push_back(std::expm1(std::fabs(std::log(*(m.*of)))));
  if (seen.empty()) return std::nullopt;
  return median(seen);
}

std::vector<Measured> measure(const std::vector<Program>& programs, const MeasureOptions& o,
                              const std::function<bool(size_t done, size_t all)>& goes_on) {
  std::vector<Measured> out = places(programs, o);
  const std::vector<Job> todo = jobs(programs.size(), o);
  size_t done = 0;
  for (; done < todo.size() && goes_on(done, todo.size()); ++done)
    run_job(programs[todo[done].program], todo[done], o, out);
  std::erase_if(out, [](const Measured& m) { return m.processes.empty(); });
  for (Measured& m : out) summarise(m);
  if (done == todo.size()) look_at(o, out);
  return out;
}

}  // namespace fusillade::bench
