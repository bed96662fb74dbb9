// Claim: the same plan prepared twice and run twice gives the same bits.
#include "fuzz/oracle/judging.h"

namespace fusillade::fuzz {
namespace {

Verdict judge(const Case& c) {
  Judging judging;
  for (const std::string& plan : c.plans) {
    Prepared first(c, plan);
    Prepared second(c, plan);
    for (size_t i = 0; i < c.calls.size(); ++i) {
      Outcome a = first.run(c.calls[i]);
      for (const Prepared* again : {&first, &second}) {
        Verdict step;
        Outcome b = again->run(c.calls[i]);
        judging.executed();
        if (!settle(a, b, step)) bitwise_equal(a, b, step);
        if (judging.add(std::move(step), plan, static_cast<int>(i))) return judging.verdict();
      }
    }
  }
  return judging.verdict();
}

const Oracle& registered = Table<Oracle>::instance().add(
    {"deterministic", "the same plan gives the same bits twice", &judge});

}  // namespace
}  // namespace fusillade::fuzz
