// Claim: a generated program runs. Eager execution raises no error on any call.
//
// Cases from elsewhere may raise; campaigns ask this oracle only about programs that raised. So may
// those that are drawn to (fuzz/case/failing.h).
#include "fuzz/case/failing.h"
#include "fuzz/oracle/judging.h"

namespace fusillade::fuzz {
namespace {

Verdict judge(const Case& c) {
  Judging judging;
  Prepared eager(c, reference_plan());
  for (size_t i = 0; i < c.calls.size(); ++i) {
    Outcome o = eager.run(c.calls[i]);
    judging.count_runs();
    Verdict step;
    if (o.kind == Outcome::Kind::Error && !fails_on_purpose(*c.program)) {
      step.kind = VerdictKind::Bug;
      step.reason = "raises: " + stable_phrase(o.message);
      step.detail = o.message;
    } else if (!classify(o, o, step)) {
      step.elements = {1, 1, 0};
    }
    if (judging.add(std::move(step), reference_plan(), static_cast<int>(i)))
      return judging.verdict();
  }
  return judging.verdict();
}

const Oracle& registered =
    Table<Oracle>::instance().add({.name = "valid",
                                   .summary = "a generated graph raises no error in eager mode",
                                   .judge = &judge,
                                   .form = Form::Graph,
                                   .random = true,
                                   .generated_only = true,
                                   .blaming = {.trusts_eager = false}});

}  // namespace
}  // namespace fusillade::fuzz
