// Claim: lowered kernels stay inside their buffers, race nowhere and read nothing unwritten.
//
// Each fusing plan is run with every checking back end in place of its own; what such a back end
// objects to is a Bug.
#include "engine/kernel/kernel.h"
#include "fuzz/oracle/judging.h"

namespace fusillade::fuzz {
namespace {

// The plan with its fusers on back end `name`; empty when it fuses nothing.
Plan on_backend(Plan plan, const std::string& name) {
  bool fuses = false;
  for (PassCall& p : plan.pipeline) {
    if (p.pass->name != "fuse" || p.args.size() < 2) continue;
    p.args[1] = name;
    fuses = true;
  }
  return fuses ? respell(std::move(plan)) : Plan();
}

Verdict judge(const Case& c) {
  Judging judging;
  for (const Plan& plan : c.plans) {
    for (const kernel::Backend* b : Table<kernel::Backend>::instance().by_name()) {
      const Plan checked = b->exact ? on_backend(plan, b->name) : Plan();
      if (checked.empty()) continue;
      Prepared candidate(c, checked);
      for (size_t i = 0; i < c.calls.size(); ++i) {
        Outcome o = candidate.run(c.calls[i]);
        judging.count_runs();
        Verdict step;
        if (!classify(o, o, step)) step.elements = {1, 1, 0};
        if (judging.add(std::move(step), plan, static_cast<int>(i))) return judging.verdict();
      }
    }
  }
  return judging.verdict();
}

const Oracle& registered =
    Table<Oracle>::instance().add({.name = "kernels",
                                   .summary = "kernels pass bounds, race and initialisation checks",
                                   .judge = &judge,
                                   .random = true});

}  // namespace
}  // namespace fusillade::fuzz
