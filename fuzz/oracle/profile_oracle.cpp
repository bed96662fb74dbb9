// Claim: the profiling executor gives what eager mode gives, whatever it has seen before and
// whichever guard fails.
//
// The case's calls run in order, then in order again, under one executor for each plan: `jit` plans
// as they are, any other with `jit` in its engine's place and a small depth, so that few calls come
// to fallbacks and to the end of them (but for the reference's own: what passes do by themselves is
// then known). Then once more for each guard that was created, which is forced to fail. The types
// in the graph of each call hold in that call. All in the ring (ring_oracle), bit for bit. Without
// passes an error must be the program's own, with what it wrote before. Counters must report what
// happened: a version where calls were profiled, and no profiling of what a version takes.
#include <optional>

#include "engine/run/jit.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/oracle/nan_signs.h"
#include "fuzz/oracle/promise.h"
#include "fuzz/oracle/residues.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/process/stage.h"
#include "fuzz/run/guarded.h"
#include "fuzz/run/judge_error.h"

namespace fusillade::fuzz {
namespace {

constexpr int kRounds = 2;
constexpr int64_t kMostGuards = 6;  // that are forced to fail, one after the other

std::optional<Plan> profiling(Plan plan) {
  const Engine& engine = engine_of(plan);
  if (!engine.runs_passes || !engine.ring || plan.device != Device()) return std::nullopt;
  if (plan.engine == "jit" || engine.reference) return respell(std::move(plan));
  plan.engine = "jit";
  plan.words = {"static=1", "dynamic=1"};
  return respell(std::move(plan));
}

Outcome run_once(const Executable& executable, const Call& given) {
  heartbeat();
  const StageScope stage(Stage::Run);
  const Call copy = copy_call(given);
  Outcome out = run_guarded([&](Outcome& o) { o.outputs = executable.run(copy.inputs); });
  out.inputs = copy.inputs;
  return out;
}

class Profiling {
 public:
  Profiling(const Case& c, Judging& judging) : case_(c), judging_(judging) {
    const auto eager = prepare({*c.program, c.script, c.self}, reference_plan());
    for (const Call& call : c.calls) {
      expected_.push_back(run_once(*eager, call));
      judging.count_runs();
    }
  }

  // True when judging must stop.
  bool judge(Plan plan) {
    std::optional<JitCounters> counters = judge_rounds(plan);
    if (!counters) return true;
    const int64_t guards = std::min(counters->guards, kMostGuards);
    const std::vector<std::string> words = plan.words;
    for (int64_t fail = 0; fail < guards; ++fail) {
      plan.words = words;
      plan.words.push_back("fail=" + std::to_string(fail));
      plan = respell(std::move(plan));
      if (!judge_rounds(plan)) return true;
    }
    return false;
  }

 private:
  // Nothing when judging must stop.
  std::optional<JitCounters> judge_rounds(const Plan& plan) {
    std::unique_ptr<Executable> ready;
    Outcome outcome = run_guarded(
        [&](Outcome&) { ready = prepare({*case_.program, case_.script, case_.self}, plan); });
    const auto* jit = dynamic_cast<const JitExecutable*>(ready.get());
    if (!ready) {
      Verdict step;
      classify(expected_[0], outcome, step);
      if (judging_.add(std::move(step), plan, 0)) return std::nullopt;
      return JitCounters{};
    }
    for (int round = 0; round < kRounds; ++round)
      for (size_t i = 0; i < case_.calls.size(); ++i)
        if (judge_call(*ready, plan, i)) return std::nullopt;
    if (!jit) return JitCounters{};
    if (!judge_types(*jit, plan)) return std::nullopt;
    const JitCounters before = jit->counters();
    Verdict step = check_counters(*jit, plan, before);
    if (judging_.add(std::move(step), plan, 0)) return std::nullopt;
    return before;
  }

  bool judge_call(const Executable& ready, const Plan& plan, size_t i) {
    const Outcome observed = run_once(ready, case_.calls[i]);
    judging_.count_runs();
    Verdict step;
    if (!classify(expected_[i], observed, step)) bitwise_equal(expected_[i], observed, step);
    judge_error(*case_.program, case_.calls[i], expected_[i], observed, step);
    if (plan.pipeline.empty()) same_error(expected_[i], observed, step);
    else unless_nan_signs_decide(*case_.program, case_.calls[i], expected_[i], observed, step);
    return judging_.add(std::move(step), plan, static_cast<int>(i));
  }

  // What a version's guard let pass is what its graph says.
  bool judge_types(const JitExecutable& jit, const Plan& plan) {
    for (size_t i = 0; i < case_.calls.size(); ++i) {
      if (expected_[i].kind != Outcome::Kind::Values) continue;
      judging_.count_runs();
      Verdict step = promises_of(jit.graph_for(case_.calls[i].inputs), case_.calls[i]);
      if (judging_.add(std::move(step), plan, static_cast<int>(i))) return false;
    }
    return true;
  }

  // Where every call gave values: do the counters report what must have happened?
  Verdict check_counters(const JitExecutable& jit, const Plan& plan, const JitCounters& c) {
    Verdict step;
    step.kind = VerdictKind::Ok;
    for (const Outcome& o : expected_)
      if (o.kind != Outcome::Kind::Values) return step;
    auto wrong = [&](const char* what) {
      return mismatch("counters", fmt::format("{}: {} profiled, {} versions, {} guards, {} failed",
                                              what, c.profiled, c.versions, c.guards, c.failed));
    };
    if (c.versions > c.guards || c.versions > c.profiled) return wrong("versions out of nothing");
    const bool plain = plan.words == std::vector<std::string>{"static=1", "dynamic=1"};
    if (!plain) return step;
    if (c.versions == 0) return wrong("nothing specialised");
    if (c.guards == c.versions && c.versions > 2)
      return wrong("more versions than the plan allows");
    if (c.guards > c.versions) return step;  // guards within, whose fallbacks still profile
    for (const Call& call : case_.calls) run_once(jit, call);
    if (jit.counters().profiled != c.profiled) return wrong("profiled what a version takes");
    return step;
  }

  const Case& case_;
  Judging& judging_;
  std::vector<Outcome> expected_;
};

Verdict judge(const Case& given) {
  DomainScope ring(Domain::Ring);
  const Case c = with_residues(given);
  Judging judging;
  Profiling profiling_of(c, judging);
  for (const Plan& given : c.plans) {
    const std::optional<Plan> plan = profiling(given);
    if (plan && profiling_of.judge(*plan)) break;
  }
  return judging.verdict();
}

const Oracle& registered = Table<Oracle>::instance().add(
    {.name = "profile",
     .summary = "the engine jit gives the results of eager mode, whichever guard fails",
     .judge = &judge,
     .blaming = {.adds = "jit", .without = "ring"}});

}  // namespace
}  // namespace fusillade::fuzz
