// Claim: gradients of what an external engine makes of a plain text are those of the same engine's
// eager mode. They are taken of the sum of all results, each element times a weight of its own, by
// all arguments of floats and by what the text holds that requires a gradient.
//
// It is about calls whose eager mode can be walked back. How far values may differ is what runs in
// double precision tell (rounded.h).
#include "fuzz/oracle/against_eager.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/oracle/plain_runs.h"

namespace fusillade::fuzz {
namespace {

using Kind = Outcome::Kind;

// An engine whose worker does not start is one that the judge meets, and says so.
bool about(const Plan& plan) {
  if (!is_compiled_outside(plan)) return false;
  try {
    return contract_of(plan.engine).gradients;
  } catch (const Exception&) {
    return true;
  }
}

Verdict judge_call(const Contract& contract, const Plain& plain, const SourceOutcome& observed) {
  if (plain.eager.kind != Kind::Values) return skip("its eager mode has no gradient");
  if (!plain.steady) return skip("its values differ in each run");
  if (plain.may_branch) return skip(kMayBranch);
  if (std::optional<Verdict> ended = by_endings(false, contract, plain.eager, observed))
    return *ended;
  Verdict step;
  compare_rounded(plain.results, observed.outputs, "gradient", step);
  return step;
}

Verdict judge(const Case& c) { return judge_plain(c, Asked::Gradients, &judge_call); }

const Oracle& registered = Table<Oracle>::instance().add(
    {.name = "plain_gradient",
     .summary = "gradients of what is compiled of a given text are eager mode's, within roundings",
     .judge = &judge,
     .form = Form::Script,
     .python = true,
     .plain = true,
     .about = &about,
     .blaming = {.trusts_eager = false}});

}  // namespace
}  // namespace fusillade::fuzz
