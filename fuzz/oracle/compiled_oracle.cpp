// Claim: what an external engine compiles computes what its own eager mode computes.
//
// The bound of an element is as wide as ours and centred on that engine's eager result
// (run/foreign/centred.h). Strides of results and what shares memory count where the engine's
// contract promises them (run/foreign/layout.h). Errors count: on one side only, and, where the
// engine's contract says so and no operator raised them, of another class. An engine that declines,
// or whose eager mode does, is not compared, unless it says which error it raises and ours raises
// one, too. An eager mode that dies, hangs or answers nonsense fails `conformance`, whose finding
// that is.
//
// Campaigns ask it of programs in packs (run/foreign/pack.h). What looks like a finding there is
// judged alone, and only that counts. What does not show alone is judged in its pack, which is then
// the case that is saved.
#include <map>

#include "engine/run/plan.h"
#include "fuzz/oracle/against_eager.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/run/foreign/foreign_worker.h"
#include "fuzz/run/foreign/pack.h"
#include "fuzz/run/foreign/unanswered.h"

namespace fusillade::fuzz {
namespace {

using Kind = Outcome::Kind;

Verdict judge_call(const Case& c, const Call& call, const Contract& contract, const Outcome& ended,
                   const Outcome& observed) {
  const Outcome eager = with_refusal(c, call, ended, observed);
  if (auto decided = by_endings(has_removable_error(c, call, eager),
                                without_operators(contract, eager), eager, observed))
    return *decided;
  auto reference = make_reference(
      *c.program, call, contract.half_steps_rounded ? Shadow::Of::AnyHalf : Shadow::Of::Any,
      contract.allowed);
  return compare_with_eager(contract, *reference, eager, observed);
}

// For later packs; programs that are never packed teach them nothing.
void learn(const Case& c, const std::string& engine, const Outcome& observed) {
  const bool packs = contract_of(engine).packs > 1 && packs_of(*c.program) != Packs::Alone;
  if (!packs) return;
  const bool whole =
      observed.kind == Kind::Values && !ForeignWorker::of(family_of(engine)).is_interpreted();
  Unanswered::of_thread(engine).record(*c.program, whole);
}

// True when judging must stop.
bool judge_alone(const Case& c, const Plan& plan, Judging& judging) {
  const std::string& engine = plan.engine;
  Prepared eager(c, plan_of_engine(eager_of(engine)));
  Prepared candidate(c, plan);
  for (size_t i = 0; i < c.calls.size(); ++i) {
    const Call& call = c.calls[i];
    Outcome wanted = eager.run(call);
    judging.count_runs();
    if (never_allowed(wanted)) {
      Verdict step;
      classify(wanted, wanted, step);
      step.oracle = "conformance";
      if (judging.add(std::move(step), eager.plan(), static_cast<int>(i))) return true;
      continue;
    }
    Outcome observed = candidate.run(call);
    judging.count_runs();
    if (wanted.kind == Kind::Values) learn(c, engine, observed);
    if (judging.add(judge_call(c, call, contract_of(engine), wanted, observed), plan,
                    static_cast<int>(i)))
      return true;
  }
  return false;
}

// What was answered in packs; the finding, if it is one, shown by the pack of its call.
Verdict judge_packed(const Case& c, const Plan& plan, const Foreseen::Answer& answer,
                     Judging& judging) {
  const Contract contract = contract_of(plan.engine);
  std::vector<Verdict> steps;
  for (size_t i = 0; i < c.calls.size(); ++i) {
    steps.push_back(judge_call(c, c.calls[i], contract, answer.eager[i], answer.observed[i]));
    if (!is_finding(steps.back().kind)) continue;
    steps.back().shown_by = answer.packs[i];
    return steps.back();
  }
  judging.count_runs(2 * steps.size());
  for (size_t i = 0; i < steps.size(); ++i)
    judging.add(std::move(steps[i]), plan, static_cast<int>(i));
  return {};
}

Verdict judge_plans(const Case& c) {
  Judging judging;
  std::string only_packed;
  for (const Plan& plan : c.plans) {
    if (!is_compiled_outside(plan)) continue;
    Verdict in_pack;
    std::optional<Foreseen::Answer> answer = Foreseen::of_thread().take(c, plan);
    if (answer) in_pack = judge_packed(c, plan, *answer, judging);
    if (answer && !is_finding(in_pack.kind)) continue;
    if (judge_alone(c, plan, judging)) return judging.verdict();
    if (!answer) continue;
    Judging pack;
    if (judge_alone(*in_pack.shown_by, plan, pack)) {
      Verdict v = pack.verdict();
      v.shown_by = in_pack.shown_by;
      return v;
    }
    only_packed = "once, and in a pack: " + in_pack.reason;
  }
  Verdict v = judging.verdict();
  if (!only_packed.empty() && v.kind == VerdictKind::Ok) v.reason = only_packed;
  return v;
}

void ahead(std::span<const Case* const> cases) {
  Foreseen::of_thread().clear();
  std::map<Plan, std::vector<const Case*>> of_plan;
  for (const Case* c : cases)
    for (const Plan& plan : c->plans)
      if (is_compiled_outside(plan)) of_plan[plan].push_back(c);
  for (const auto& [plan, those] : of_plan) {
    try {
      Foreseen::of_thread().ask(those, plan);
    } catch (const Exception&) {  // judge() meets it, too, and says so
    }
  }
}

Verdict judge(const Case& c) {
  try {
    return judge_plans(c);
  } catch (const Unsupported& e) {
    return skip(stable_phrase(e.what()), e.what());
  }
}

const Oracle& registered = Table<Oracle>::instance().add(
    {.name = "compiled",
     .summary = "an external engine computes what its own eager mode computes",
     .judge = &judge,
     .ahead = &ahead,
     .errors = true,
     .about = &is_compiled_outside,
     .blaming = {.trusts_eager = false}});

}  // namespace
}  // namespace fusillade::fuzz
