// Claim: the same plan prepared twice and run twice gives the same bits. Of an engine that compiles
// as calls come, each run is compared with the run of the same number alone.
#include "fuzz/oracle/judging.h"

namespace fusillade::fuzz {
namespace {

Verdict judge(const Case& c) {
  Judging judging;
  for (const Plan& plan : c.plans) {
    Prepared first(c, plan);
    Prepared second(c, plan);
    const bool by_history = engine_of(plan).passes_later;
    for (size_t i = 0; i < c.calls.size(); ++i) {
      const Outcome a[] = {first.run(c.calls[i]), first.run(c.calls[i])};
      for (int again = 0; again < 2; ++again) {
        const Outcome b = second.run(c.calls[i]);
        for (int of = by_history ? again : 0; of <= again; ++of) {
          Verdict step;
          judging.count_runs();
          if (!classify(a[of], b, step)) bitwise_equal(a[of], b, step);
          else same_error(a[of], b, step);
          if (judging.add(std::move(step), plan, static_cast<int>(i))) return judging.verdict();
        }
      }
    }
  }
  return judging.verdict();
}

const Oracle& registered =
    Table<Oracle>::instance().add({.name = "deterministic",
                                   .summary = "the same plan gives the same bits twice",
                                   .judge = &judge,
                                   .random = true});

}  // namespace
}  // namespace fusillade::fuzz
