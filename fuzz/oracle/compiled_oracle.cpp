// Claim: what an external engine compiles computes what its own eager mode computes.
//
// The bound of an element is as wide as ours and centred on that engine's eager result
// (run/foreign/centred.h). Strides of results and what shares memory count where the engine's
// contract promises them (run/foreign/layout.h). Errors count: on one side only, and, where the
// engine's contract says so, of another class. An engine that declines, or whose eager mode does,
// is not compared. An eager mode that dies, hangs or answers nonsense fails `conformance`, whose
// finding that is.
//
// Campaigns ask it of programs in packs (run/foreign/pack.h). What looks like a finding there is
// judged alone, and only that counts. What does not show alone is judged in its pack, which is then
// the case that is saved.
#include <map>

#include "engine/run/plan.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/oracle/reference.h"
#include "fuzz/run/foreign/centred.h"
#include "fuzz/run/foreign/foreign_worker.h"
#include "fuzz/run/foreign/layout.h"
#include "fuzz/run/foreign/pack.h"
#include "fuzz/run/foreign/unanswered.h"
#include "fuzz/run/missing_error.h"

namespace fusillade::fuzz {
namespace {

using Kind = Outcome::Kind;

std::string class_of(const std::string& message) { return message.substr(0, message.find(':')); }

Verdict skip(const std::string& reason, const std::string& detail = "") {
  Verdict v;
  v.kind = VerdictKind::Skip;
  v.reason = reason;
  v.detail = detail;
  return v;
}

// What two ends other than values say; nothing is decided where both gave values.
std::optional<Verdict> by_endings(const Case& c, const Call& call, const Contract& contract,
                                  const Outcome& eager, const Outcome& observed) {
  Verdict step;
  if (eager.kind == Kind::Declined || eager.kind == Kind::Memory)
    return skip("its eager mode: " + stable_phrase(eager.message), eager.message);
  if (observed.kind == Kind::Memory && eager.kind == Kind::Error) return skip("memory");
  bool raised = observed.kind == Kind::Error;
  if (eager.kind == Kind::Error && raised) {
    std::string a = class_of(eager.message);
    std::string b = class_of(observed.message);
    if (a == b || !contract.error_classes) return skip("the program raises an error");
    return mismatch(fmt::format("error: class {} for {}", b, a),
                    fmt::format("class {} for {}\n{}\nits eager mode: {}", b, a, observed.message,
                                eager.message));
  }
  if (eager.kind == Kind::Error && observed.kind == Kind::Values) {
    if (needed_error(*c.program, call).empty()) return skip("an error that may be removed");
    return mismatch("missing error: " + class_of(eager.message),
                    "its eager mode: " + eager.message);
  }
  if (classify(eager, observed, step)) return step;
  return std::nullopt;
}

Verdict compare(const Contract& contract, Reference& reference, const Outcome& eager,
                const Outcome& observed) {
  Verdict step;
  bool followed = reference.untrusted.empty() && reference.outcome.kind == Kind::Values;
  Centred centred(followed ? &reference.shadow : nullptr);
  bool same = centred.admits_all(reference.outcome.outputs, eager.outputs, observed.outputs,
                                 "output", step) &&
              centred.admits_all(followed ? reference.outcome.inputs : std::vector<IValue>(),
                                 eager.inputs, observed.inputs, "input", step);
  if (!same) return step;
  std::string aliases = contract.aliases ? other_aliases(eager, observed) : "";
  if (!aliases.empty()) return mismatch("aliases", aliases);
  std::string strides = contract.strides ? other_strides(eager, observed) : "";
  return strides.empty() ? step : mismatch("strides", strides);
}

bool about(const Plan& plan) {
  return is_outside(plan.engine) && plan.engine != eager_of(plan.engine);
}

Contract contract_of(const std::string& engine) {
  return ForeignWorker::of(family_of(engine)).contract(name_in_family(engine));
}

Verdict judge_call(const Case& c, const Call& call, const Contract& contract, const Outcome& eager,
                   const Outcome& observed) {
  if (auto decided = by_endings(c, call, contract, eager, observed)) return *decided;
  auto reference = make_reference(
      *c.program, call, contract.half_steps_rounded ? Shadow::Of::AnyHalf : Shadow::Of::Any,
      contract.allowed);
  return compare(contract, *reference, eager, observed);
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
    if (!about(plan)) continue;
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
      if (about(plan)) of_plan[plan].push_back(c);
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
     .about = &about,
     .blaming = {.trusts_eager = false}});

}  // namespace
}  // namespace fusillade::fuzz
