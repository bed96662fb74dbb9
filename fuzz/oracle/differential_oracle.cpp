// Claim: every plan agrees with the shadow within the bound computed for each element, and so does
// eager.
//
// The reference is eager execution of the program as written; the bound comes with it (see
// run/shadow.h). Inputs are compared as well, after the call: in-place writes count. When the
// shadow cannot follow the program, the call is untrusted.
#include "fuzz/oracle/judging.h"
#include "fuzz/oracle/reference.h"
#include "fuzz/run/judge_error.h"

namespace fusillade::fuzz {
namespace {

Verdict judge(const Case& c) {
  Judging judging;
  std::vector<std::unique_ptr<Reference>> references;
  for (size_t i = 0; i < c.calls.size(); ++i) {
    references.push_back(make_reference(*c.program, c.calls[i], Shadow::Of::Ours));
    judging.count_runs();
    Reference& r = *references.back();
    Verdict own;
    if (r.outcome.kind == Outcome::Kind::Bug) classify(r.outcome, r.outcome, own);
    else if (r.outcome.kind == Outcome::Kind::Values) own = within_bound(r, r.outcome);
    else continue;
    own.elements = {};
    if (is_finding(own.kind) &&
        judging.add(std::move(own), reference_plan(), static_cast<int>(i))) {
      return judging.verdict();
    }
  }
  for (const Plan& plan : c.plans) {
    Prepared candidate(c, plan);
    for (size_t i = 0; i < c.calls.size(); ++i) {
      Outcome observed = candidate.run(c.calls[i]);
      judging.count_runs();
      Verdict step = within_bound(*references[i], observed);
      judge_error(*c.program, c.calls[i], *references[i], observed, step);
      if (judging.add(std::move(step), plan, static_cast<int>(i))) return judging.verdict();
    }
  }
  return judging.verdict();
}

const Oracle& registered = Table<Oracle>::instance().add(
    {.name = "differential",
     .summary = "under every plan and in eager mode, each element lies within its bound",
     .judge = &judge,
     .random = true,
     .blaming = {.trusts_eager = false}});

}  // namespace
}  // namespace fusillade::fuzz
