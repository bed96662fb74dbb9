// See measure.h.
#include "bench/harness/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <sstream>

#include "bench/harness/code.h"
#include "bench/harness/ready.h"
#include "bench/harness/series.h"
#include "engine/run/examples.h"
#include "engine/run/plan.h"
#include "fuzz/gen/generate.h"
#include "fuzz/given/lift.h"
#include "fuzz/judge/judge.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/process/isolate.h"
#include "fuzz/process/room.h"
#include "fuzz/run/foreign/foreign_worker.h"
#include "fuzz/run/foreign/versions.h"

namespace fusillade::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr double kBatchSeconds = 0.002;
constexpr int kMaxBatch = 10000;
// Of what looks at a program that was measured: the bound of a large product takes a while, and an
// oracle may run the program where no pass took out a loop that never ends.
fuzz::Limits ample(const MeasureOptions& o) { return {10 * o.seconds, fuzz::usual_megabytes()}; }

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
  Plan plan;
  std::unique_ptr<EventBook> book = std::make_unique<EventBook>();
  PlanSeries series;
  std::unique_ptr<Ready> ready;
  bool outside = false;

  fuzz::ForeignWorker& worker() const {
    return fuzz::ForeignWorker::of(fuzz::family_of(plan.engine));
  }

  Took worker_time() const {
    const std::optional<Took> took = worker().time_of_call();
    if (!took) fail("the worker of {} does not say what a call takes (Worker.timed)", plan.engine);
    return *took;
  }

  // Seconds per call.
  Took time_batch() {
    const EventBook::Recording recording(*book);
    Took theirs{};
    const double before = processor_seconds();
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < series.batch; ++i) {
      book->next_call();
      ready->call();
      if (!outside) continue;
      theirs.clock += worker_time().clock;
      theirs.processor += worker_time().processor;
    }
    const Took ours{since(start), processor_seconds() - before};
    const Took& all = outside ? theirs : ours;
    return {all.clock / series.batch, all.processor / series.batch};
  }

  void add_round() {
    fuzz::heartbeat();
    const Took took = time_batch();
    series.rounds.push_back(took.clock);
    series.cpu.push_back(took.processor);
    if (outside) series.counters = worker().counters();
  }

  // Seconds of compiling, or of a call.
  template <class Body>
  double time_once(Body body) {
    const EventBook::Recording recording(*book);
    fuzz::heartbeat();
    const Clock::time_point start = Clock::now();
    body();
    return since(start);
  }

  double time_call() {
    book->next_call();
    return time_once([&] { ready->call(); });
  }

  // An external engine compiles when it is first called: what that call took beyond the second.
  void split_first_call() {
    series.second_call = worker_time().clock;
    constexpr double kLeast = 1e-9;  // no time is 0: logs are taken of them
    series.compile = std::max(series.first_call - series.second_call, kLeast);
    series.first_call = std::max(series.first_call - series.compile, kLeast);
  }

  // When all has run.
  void take_stock() {
    Stages& s = series.stages;
    s.passes = book->total("passes run");
    s.lowering = book->total("group lowered");
    s.linking = book->total("kernel linked");
    s.codegen = book->total("kernel compiled") - s.linking;
    series.events = book->entries();
    std::ranges::sort(series.events, {}, &JitEvent::at);
  }
};

Runner prepare_runner(const Program& program, const Plan& plan, const MeasureOptions& o) {
  Runner r;
  r.plan = plan;
  r.outside = fuzz::is_outside(plan.engine);
  r.ready = std::make_unique<Ready>(program, plan, o.seed, o.typed);
  r.series.compile = r.time_once([&] { r.ready->compile(); });
  r.series.first_call = r.time_call();
  if (r.outside) r.series.first_call = r.worker_time().clock;
  r.series.second_call = r.time_call();
  if (r.outside) r.split_first_call();
  const double once = r.series.second_call;
  r.series.batch = std::clamp(static_cast<int>(kBatchSeconds / std::max(once, 1e-9)), 1, kMaxBatch);
  return r;
}

// Compilers keep what they compiled on disk: a second process would measure how fast it is read.
// The workers of a child get a folder of their own instead (torch_build.py); it goes with this.
class ColdCaches {
 public:
  ColdCaches() {
    path_ = fs::temp_directory_path() / "fusillade-cold-XXXXXX";
    if (!mkdtemp(path_.data()))
      fail("no folder can be made in {}", fs::temp_directory_path().string());
    setenv("FUSILLADE_COLD_CACHES", path_.c_str(), 1);
  }
  ~ColdCaches() {
    unsetenv("FUSILLADE_COLD_CACHES");
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ColdCaches(const ColdCaches&) = delete;
  ColdCaches& operator=(const ColdCaches&) = delete;

 private:
  std::string path_;
};

// Seconds until the workers of these plans have started and prepared their engines, by family.
std::map<std::string, double> start_workers(const std::vector<Plan>& plans, fuzz::Choices& order) {
  std::map<std::string, std::vector<Plan>> of;
  for (const Plan& plan : plans) {
    const std::string& engine = plan.engine;
    if (fuzz::is_outside(engine)) of[fuzz::family_of(engine).name].push_back(plan);
  }
  std::vector<std::string> families;
  for (const auto& [family, asked] : of) families.push_back(family);
  order.shuffle(families);  // the last one's memory is the warmest
  std::map<std::string, double> out;
  for (const std::string& family : families) {
    const std::vector<Plan>& asked = of[family];
    const Clock::time_point start = Clock::now();
    fuzz::nurse_outside(asked);
    for (const Plan& plan : asked) fuzz::require_outside(plan);
    out[family] = since(start);
  }
  return out;
}

std::string run_process(const Program& program, const std::vector<Plan>& plans,
                        const MeasureOptions& o, uint64_t process) {
  const EventListener listener(&EventBook::write_into_current);
  const Clock::time_point start = Clock::now();
  read_again(program);
  const double script = since(start);
  fuzz::Choices order(o.seed, process);
  const std::map<std::string, double> started = start_workers(plans, order);
  std::vector<size_t> plan_order(plans.size());
  std::iota(plan_order.begin(), plan_order.end(), size_t{0});
  // Which plan is compiled first is drawn, too: it meets colder files than the others.
  std::vector<Runner> runners(plans.size());
  order.shuffle(plan_order);
  for (size_t i : plan_order) {
    Runner& r = runners[i] = prepare_runner(program, plans[i], o);
    if (!r.outside) continue;
    const std::string family = fuzz::family_of(plans[i].engine).name;
    r.series.stages.worker_start = started.at(family);
    r.series.engine = fuzz::engine_versions({plans[i]})[family];
  }
  for (int round = 0; round < o.rounds; ++round) {
    order.shuffle(plan_order);
    for (size_t i : plan_order) runners[i].add_round();
  }
  json out = json::array();
  for (Runner& r : runners) {
    r.take_stock();
    r.series.stages.script = script;
    out.push_back(to_json(r.series));
  }
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

bool is_stopped(const MeasureOptions& o) { return o.stopped && o.stopped(); }

// The types of these inputs, as declared ones.
void declare_types(Graph& graph, const std::vector<IValue>& inputs) {
  std::vector<Type> types = example_types(graph, inputs);
  for (size_t i = 0; i < types.size(); ++i) graph.inputs()[i]->set_type(types[i]);
}

// Of gradients: AutoDiff's are the tape's (in the ring), and the tape's are adjoint to slopes.
std::string oracle_of(const Program& program, const Plan& plan) {
  if (!program.backward) return fuzz::main_oracle({plan});
  return plan_of(program, plan).pipeline.empty() ? "adjoint" : "gradient";
}

// An archive's module becomes inputs of the graph, which is what oracles take.
void decompose(const Program& program, fuzz::Case& c) {
  fuzz::Lifted lifted = fuzz::lift(*program.graph, program.self());
  c.program = std::move(lifted.graph);
  std::vector<IValue>& inputs = c.calls[0].inputs;
  inputs.erase(inputs.begin());
  fuzz::Call bound;
  bound.inputs = std::move(lifted.values);
  for (IValue& v : fuzz::copy_call(bound).inputs) inputs.push_back(std::move(v));
}

// The oracle's verdict on the outputs, as a child says it.
std::string judge_program(const Program& program, const Measured& m, const MeasureOptions& o) {
  fuzz::Case c;
  c.oracle = oracle_of(program, m.plan);
  c.plans = {respell(plan_of(program, m.plan))};
  c.program = program.graph->clone();
  c.calls.push_back(make_inputs(program, o.seed));
  try {
    if (!program.given.empty()) decompose(program, c);
  } catch (const Unsupported&) {  // of modules that write their attributes
    return json({{"verdict", "not checked"}, {"tight", 0}}).dump();
  }
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
  const fuzz::ChildResult r =
      fuzz::run_isolated([&] { return judge_program(*m.program, m, o); }, ample(o), o.stopped);
  if (r.kind != fuzz::ChildResult::Kind::Done) {
    using Kind = fuzz::ChildResult::Kind;
    if (!is_stopped(o))
      m.verdict = r.kind == Kind::Hang ? "hang" : r.kind == Kind::Memory ? "memory" : "crash";
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
  std::vector<size_t> into;  // indices of the measurements, one for each plan
};

std::vector<Measured> result_slots(const std::vector<Program>& programs, const MeasureOptions& o) {
  std::vector<Measured> out;
  for (const Program& p : programs) {
    for (int alone = 0; alone <= (o.alone ? 1 : 0); ++alone) {
      for (const Plan& plan : o.plans) {
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
  order.shuffle(out);
  return out;
}

// Plans that cannot run a program are removed from it and reported.
class Jobs {
 public:
  Jobs(const MeasureOptions& o, std::vector<Measured>& out, std::vector<NotMeasured>& failed)
      : o_(o), out_(out), failed_(failed) {}

  void run(const Program& program, const Job& job) {
    std::vector<size_t> into;
    for (size_t at : job.into)
      if (!gone_.contains(at)) into.push_back(at);
    if (into.empty()) return;
    NotMeasured why;
    if (measure_into(program, into, job.process, why) || is_stopped(o_)) return;
    if (into.size() == 1) return give_up(into[0], why);
    // Whose fault it was shows where each is alone.
    std::vector<size_t> good;
    for (size_t at : into) {
      if (is_stopped(o_)) return;
      const fuzz::ChildResult r = in_child(program, {out_[at].plan}, job.process);
      if (r.kind == fuzz::ChildResult::Kind::Done) good.push_back(at);
      else if (!is_stopped(o_)) give_up(at, failure_of(r));
    }
    if (good.empty() || measure_into(program, good, job.process, why) || is_stopped(o_)) return;
    for (size_t at : good) give_up(at, why);
  }

  bool is_gone(const Measured& m) const {
    return gone_.contains(static_cast<size_t>(&m - out_.data()));
  }

 private:
  fuzz::ChildResult in_child(const Program& program, const std::vector<Plan>& plans,
                             uint64_t process) const {
    const ColdCaches cold;
    return fuzz::run_isolated([&] { return run_process(program, plans, o_, process); },
                              {o_.seconds, fuzz::usual_megabytes()}, o_.stopped);
  }

  NotMeasured failure_of(const fuzz::ChildResult& r) const {
    using Kind = fuzz::ChildResult::Kind;
    if (r.kind == Kind::Hang)
      return {.kind = "timeout",
              .error = fmt::format("timeout: making it ready, or a call, did not end within {} s "
                                   "(--timeout)",
                                   o_.seconds)};
    if (r.kind == Kind::Memory) return {.kind = "memory", .error = "it takes too much memory"};
    return {.kind = "error", .error = last_words(r)};
  }

  static std::string last_words(const fuzz::ChildResult& r) {
    // What was thrown, in its first line, else what was said last.
    constexpr std::string_view kThrown = "the isolated job threw: ";
    std::string last = "its process ended early";
    std::istringstream lines(r.log);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(kThrown)) return line.substr(kThrown.size());
      if (!line.empty()) last = line;
    }
    return last;
  }

  bool measure_into(const Program& program, const std::vector<size_t>& into, uint64_t process,
                    NotMeasured& why) {
    std::vector<Plan> plans;
    for (size_t at : into) plans.push_back(out_[at].plan);
    const fuzz::ChildResult r = in_child(program, plans, process);
    if (r.kind != fuzz::ChildResult::Kind::Done) {
      why = failure_of(r);
      return false;
    }
    const json series = json::parse(r.output);
    for (size_t i = 0; i < into.size(); ++i) {
      PlanSeries s = series_of(series[i]);
      out_[into[i]].steady.push_back(find_steady(s.rounds));
      out_[into[i]].processes.push_back(std::move(s));
    }
    return true;
  }

  void give_up(size_t at, NotMeasured why) {
    gone_.insert(at);
    why.program = out_[at].program->name;
    why.plan = out_[at].plan.text;
    failed_.push_back(std::move(why));
  }

  const MeasureOptions& o_;
  std::vector<Measured>& out_;
  std::vector<NotMeasured>& failed_;
  std::set<size_t> gone_;
};

// Of those stages that took time in every process.
void summarise_stages(Measured& m) {
  constexpr std::pair<const char*, double Stages::*> kStages[] = {
      {"worker_start", &Stages::worker_start},
      {"script", &Stages::script},
      {"passes", &Stages::passes},
      {"lowering", &Stages::lowering},
      {"codegen", &Stages::codegen},
      {"linking", &Stages::linking}};
  for (const auto& [name, stage] : kStages) {
    std::vector<double> took;
    for (const PlanSeries& s : m.processes)
      if (s.stages.*stage > 0) took.push_back(s.stages.*stage);
    if (took.size() == m.processes.size()) m.stages.emplace_back(name, estimate(took));
  }
  std::vector<double> until;
  for (size_t p = 0; p < m.processes.size(); ++p)
    if (m.steady[p].has_state()) until.push_back(m.processes[p].until(m.steady[p].start));
  if (until.size() == m.processes.size()) m.to_steady = estimate(until);
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
  summarise_stages(m);
  m.aa_steady = halves(call);
  m.aa_compile = halves(compile);
}

// In a process of its own, where nothing was compiled or kept before.
void find_cost(const MeasureOptions& o, Measured& m) {
  const fuzz::ChildResult r = fuzz::run_isolated(
      [&] {
        const std::optional<Cost> c = cost_of_call(*m.program, m.plan, o.seed, o.typed);
        if (!c) return json().dump();
        return json({c->memory.allocations, c->memory.peak_bytes, c->bytes, c->flops, c->footprint})
            .dump();
      },
      ample(o), o.stopped);
  if (r.kind != fuzz::ChildResult::Kind::Done) return;
  const json j = json::parse(r.output);
  if (!j.is_null()) m.cost = {{j[0], j[1]}, j[2], j[3], j[4]};
}

// Of interleaved ones; those alone have the same outputs and the same code.
void look_at(const MeasureOptions& o, std::vector<Measured>& all) {
  for (Measured& m : all) {
    if (m.alone) continue;
    if (is_stopped(o)) return;
    if (o.check) check_outputs(o, m);
    const fuzz::ChildResult r = fuzz::run_isolated(
        [&] { return program_code(*m.program, m.plan, o.seed, o.typed); }, ample(o), o.stopped);
    if (r.kind == fuzz::ChildResult::Kind::Done) m.code = r.output;
    find_cost(o, m);
    for (Measured& other : all) {
      if (!other.alone || other.program != m.program || other.plan != m.plan) continue;
      other.verdict = m.verdict;
      other.tight_share = m.tight_share;
      other.code = m.code;
      other.cost = m.cost;
    }
  }
}

}  // namespace

std::optional<int64_t> break_even(const Measured& base, const Measured& m) {
  const double more =
      m.compile.value + m.first_call.value - base.compile.value - base.first_call.value;
  const double gain = base.call.value - m.call.value;
  if (more <= 0) return gain >= 0 ? std::optional<int64_t>(1) : std::nullopt;
  if (gain <= 0) return std::nullopt;
  return static_cast<int64_t>(std::ceil(more / gain)) + 1;
}

double PlanSeries::until(size_t round) const {
  const double rounds_before =
      std::accumulate(rounds.begin(), rounds.begin() + static_cast<std::ptrdiff_t>(round), 0.0);
  return compile + first_call + second_call + batch * rounds_before;
}

std::optional<double> noise_floor(const std::vector<Measured>& all,
                                  std::optional<double> Measured::* of) {
  std::vector<double> seen;
  for (const Measured& m : all)
    if (m.*of) seen.push_back(std::expm1(std::fabs(std::log(*(m.*of)))));
  if (seen.empty()) return std::nullopt;
  return median(seen);
}

void refuse_twice(const std::vector<Plan>& plans) {
  std::set<std::string> seen;
  for (const Plan& plan : plans)
    if (!seen.insert(to_string(plan)).second)
      fail("plan '{}' is named twice; A/A is measured of every plan, and printed", plan.text);
}

std::vector<Measured> measure(const std::vector<Program>& programs, const MeasureOptions& o,
                              const std::function<bool(size_t done, size_t all)>& goes_on,
                              std::vector<NotMeasured>& failed) {
  std::vector<Measured> out = result_slots(programs, o);
  const std::vector<Job> todo = jobs(programs.size(), o);
  Jobs jobs(o, out, failed);
  size_t done = 0;
  for (; done < todo.size() && goes_on(done, todo.size()); ++done)
    jobs.run(programs[todo[done].program], todo[done]);
  std::vector<Measured> kept;
  for (Measured& m : out)
    if (!m.processes.empty() && !jobs.is_gone(m)) kept.push_back(std::move(m));
  for (Measured& m : kept) summarise(m);
  if (done == todo.size() && !is_stopped(o)) look_at(o, kept);
  return kept;
}

}  // namespace fusillade::bench
