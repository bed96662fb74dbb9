// Claim: what an engine outside compiles computes what its own eager mode computes.
//
// The bound of an element is as wide as ours and centred on that engine's eager result
// (run/foreign/centred.h). Errors count: on one side only, and, where the engine's contract says
// so, of another class. An engine that declines, or whose eager mode does, is not compared.
#include "engine/run/plan.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/oracle/reference.h"
#include "fuzz/run/foreign/centred.h"
#include "fuzz/run/foreign/foreign_worker.h"
#include "fuzz/run/missing_error.h"

namespace fusillade::fuzz {
namespace {

using Kind = Outcome::Kind;

std::string class_of(const std::string& message) { return message.substr(0, message.find(':')); }

Verdict skipped(const std::string& reason) {
  Verdict v;
  v.kind = VerdictKind::Skip;
  v.reason = reason;
  return v;
}

// What two ends other than values say; nothing is decided where both gave values.
std::optional<Verdict> by_endings(const Case& c, const Call& call, const Contract& contract,
                                  const Outcome& eager, const Outcome& observed) {
  Verdict step;
  if (eager.kind == Kind::Declined || eager.kind == Kind::Memory)
    return skipped("its eager mode: " + stable_phrase(eager.message));
  if (observed.kind == Kind::Memory && eager.kind == Kind::Error) return skipped("memory");
  bool raised = observed.kind == Kind::Error;
  if (eager.kind == Kind::Error && raised) {
    std::string a = class_of(eager.message);
    std::string b = class_of(observed.message);
    if (a == b || !contract.error_classes) return skipped("the program raises an error");
    return mismatch(fmt::format("error class: {} for {}", b, a),
                    observed.message + "\nits eager mode: " + eager.message);
  }
  if (eager.kind == Kind::Error && observed.kind == Kind::Values) {
    if (needed_error(*c.program, call).empty()) return skipped("an error that may be removed");
    return mismatch("missing error: " + class_of(eager.message),
                    "its eager mode: " + eager.message);
  }
  if (settle(eager, observed, step)) return step;
  return std::nullopt;
}

Verdict compare(const Case& c, const Call& call, const Contract& contract, Reference& reference,
                const Outcome& eager, const Outcome& observed) {
  if (auto decided = by_endings(c, call, contract, eager, observed)) return *decided;
  Verdict step;
  bool followed = reference.untrusted.empty() && reference.outcome.kind == Kind::Values;
  Centred centred(followed ? &reference.shadow : nullptr);
  if (centred.admits_all(reference.outcome.outputs, eager.outputs, observed.outputs, "output",
                         step))
    centred.admits_all(followed ? reference.outcome.inputs : std::vector<IValue>(), eager.inputs,
                       observed.inputs, "input", step);
  return step;
}

bool about(const Plan& plan) {
  return is_outside(plan.engine) && plan.engine != eager_of(plan.engine);
}

Verdict judged(const Case& c) {
  Judging judging;
  for (const std::string& plan : c.plans) {
    if (!about(parse_plan(plan))) continue;
    const std::string engine = parse_plan(plan).engine;
    Prepared eager(c, eager_of(engine));
    Prepared candidate(c, plan);
    for (size_t i = 0; i < c.calls.size(); ++i) {
      const Call& call = c.calls[i];
      Outcome wanted = eager.run(call);
      judging.executed();
      if (wanted.kind == Kind::Crash || wanted.kind == Kind::Hang || wanted.kind == Kind::Bug) {
        Verdict step;
        settle(wanted, wanted, step);
        if (judging.add(std::move(step), eager.plan(), static_cast<int>(i)))
          return judging.verdict();
        continue;
      }
      Outcome observed = candidate.run(call);
      judging.executed();
      Contract contract = ForeignWorker::of(family_of(engine)).contract(name_in_family(engine));
      auto reference = make_reference(
          *c.program, call, contract.half_steps_rounded ? Shadow::Of::AnyHalf : Shadow::Of::Any,
          contract.leeway);
      if (judging.add(compare(c, call, contract, *reference, wanted, observed), plan,
                      static_cast<int>(i)))
        return judging.verdict();
    }
  }
  return judging.verdict();
}

Verdict judge(const Case& c) {
  try {
    return judged(c);
  } catch (const Unsupported& e) {
    return skipped(stable_phrase(e.what()));
  }
}

const Oracle& registered = Table<Oracle>::instance().add(
    {.name = "compiled",
     .summary = "what an engine outside compiles computes what its own eager mode computes",
     .judge = &judge,
     .about = &about});

}  // namespace
}  // namespace fusillade::fuzz
