// Claim: with integers modulo 2^n in place of floats, every plan and eager agree bit for bit.
//
// Float inputs are filled with residues that depend on the input's and the element's number only,
// so that the values of the case do not matter; those of an input that was given a range lie in
// it. Everything else is as the case says. No tolerance: wrong indices, masks, tails, layouts,
// merging and schedules show. Plans are prepared in the ring as well: folding computes there.
#include "fuzz/oracle/judging.h"
#include "fuzz/oracle/residues.h"

namespace fusillade::fuzz {
namespace {

Plan in_ring(const Plan& plan) { return engine_of(plan).ring ? plan : Plan(); }

Verdict judge(const Case& c) {
  DomainScope ring(Domain::Ring);
  const OfPlan reference = [](const Plan&) { return reference_plan(); };
  return judge_bitwise(with_residues(c), reference, &in_ring);
}

const Oracle& registered =
    Table<Oracle>::instance().add({.name = "ring",
                                   .summary = "plans and eager mode agree bit for bit in the ring",
                                   .judge = &judge,
                                   .blaming = {.disputes = true}});

}  // namespace
}  // namespace fusillade::fuzz
