// Claim: the eager mode of an external engine and ours agree, element by element, within the bound.
//
// It is about plans that are a family's eager mode; of others `compiled` speaks. What no engine
// promises is excluded by element (NoPromises in run/cell.h). An error on one side only counts.
#include <algorithm>

#include "engine/run/plan.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/oracle/reference.h"
#include "fuzz/run/foreign/foreign_worker.h"
#include "fuzz/run/judge_error.h"

namespace fusillade::fuzz {
namespace {

bool about(const Plan& plan) {
  return is_outside(plan.engine) && plan.engine == eager_of(plan.engine);
}

Contract contract_of(const Plan& plan) {
  return ForeignWorker::of(family_of(plan.engine)).contract(name_in_family(plan.engine));
}

bool approximates(const Contract& contract, const Graph& program) {
  if (contract.approximate.empty()) return false;
  const std::vector<std::string> ops = python_source(*without_calls(program)).ops;
  return std::any_of(ops.begin(), ops.end(),
                     [&](const std::string& op) { return contract.approximate.count(op) != 0; });
}

Verdict judge(const Case& c) {
  Judging judging;
  for (const Plan& plan : c.plans) {
    if (!about(plan)) continue;
    Prepared candidate(c, plan);
    for (size_t i = 0; i < c.calls.size(); ++i) {
      Outcome observed = candidate.run(c.calls[i]);
      judging.count_runs();
      if (never_allowed(observed)) {
        Verdict step;
        classify(observed, observed, step);
        if (judging.add(std::move(step), plan, static_cast<int>(i))) return judging.verdict();
        continue;
      }
      Contract contract;
      if (observed.kind == Outcome::Kind::Values) contract = contract_of(plan);
      auto reference = make_reference(
          *c.program, c.calls[i],
          contract.half_steps_rounded ? Shadow::Of::AnyHalf : Shadow::Of::Any, contract.allowed);
      Verdict step = within_bound(*reference, observed);
      if (approximates(contract, *c.program)) {
        step = Verdict();
        step.kind = VerdictKind::Skip;
        step.reason = "an op that the engine approximates";
      }
      judge_missing_error(*c.program, c.calls[i], observed, step);
      if (judging.add(std::move(step), plan, static_cast<int>(i))) return judging.verdict();
    }
  }
  return judging.verdict();
}

const Oracle& registered = Table<Oracle>::instance().add(
    {.name = "conformance",
     .summary =
         "the eager mode of an external engine agrees with the built-in engine, within the bound",
     .judge = &judge,
     .about = &about,
     .blaming = {.trusts_eager = false, .whole_engine = true}});

}  // namespace
}  // namespace fusillade::fuzz
