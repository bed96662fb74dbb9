// Claim: what changes nothing of a program's meaning changes nothing of its results.
//
// Each kind of equivalent (equivalents.h) of the program: under eager mode it gives the program's
// bits, and under each plan what lies within the bound of the original program, error for error. A
// finding says which kind.
#include "fuzz/oracle/equivalents.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/oracle/reference.h"
#include "fuzz/run/judge_error.h"

namespace fusillade::fuzz {
namespace {

using References = std::vector<std::unique_ptr<Reference>>;

Verdict with_kind(Verdict v, const EquivalenceKind& kind) {
  if (!is_finding(v.kind)) return v;
  v.reason = fmt::format("{}: {}", kind.name, v.reason);
  v.detail = fmt::format("the equivalent program '{}': {}", kind.name, v.detail);
  return v;
}

bool judge_plan(const Case& c, const EquivalenceKind& kind, const Graph& variant, const Plan& plan,
                References& references, Judging& judging) {
  Prepared candidate = Prepared::of_graph(variant, plan);
  for (size_t i = 0; i < c.calls.size(); ++i) {
    Outcome observed = candidate.run(c.calls[i]);
    judging.count_runs();
    Verdict step = within_bound(*references[i], observed);
    judge_error(*c.program, c.calls[i], *references[i], observed, step);
    if (judging.add(with_kind(std::move(step), kind), plan, static_cast<int>(i))) return true;
  }
  return false;
}

Verdict judge(const Case& c) {
  Judging judging;
  References references;
  for (const Call& call : c.calls) {
    references.push_back(make_reference(*c.program, call, Shadow::Of::Ours));
    judging.count_runs();
  }
  for (const EquivalenceKind& kind : equivalence_kinds()) {
    const std::unique_ptr<Graph> variant = equivalent_of(*c.program, kind);
    if (!variant) continue;
    Judging eager;
    if (judge_same(c, *variant, eager)) return with_kind(eager.verdict(), kind);
    for (const Plan& plan : c.plans) {
      if (judge_plan(c, kind, *variant, plan, references, judging)) return judging.verdict();
    }
  }
  return judging.verdict();
}

const Oracle& registered = Table<Oracle>::instance().add(
    {.name = "metamorphic",
     .summary = "an equivalent variant of a program gives the same results, under every plan",
     .judge = &judge});

}  // namespace
}  // namespace fusillade::fuzz
