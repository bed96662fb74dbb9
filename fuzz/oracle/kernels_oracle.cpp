// Claim: lowered kernels stay inside their buffers, race nowhere and read nothing unwritten.
//
// Each fusing plan is run with every checking back end in place of its own; what such a back end
// objects to is a Bug.
#include "engine/kernel/kernel.h"
#include "fuzz/oracle/judging.h"

namespace fusillade::fuzz {
namespace {

// Plans with the fusers of `text` on back end `name`; empty when it fuses nothing.
std::string on_backend(const std::string& text, const std::string& name) {
  Plan plan = parse_plan(text);
  bool fuses = false;
  for (PassCall& p : plan.pipeline) {
    if (p.pass->name != "fuse" || p.args.size() < 2) continue;
    p.args[1] = name;
    fuses = true;
  }
  return fuses ? to_string(plan) : "";
}

Verdict judge(const Case& c) {
  Judging judging;
  for (const std::string& plan : c.plans) {
    for (const kernel::Backend* b : Table<kernel::Backend>::instance().sorted()) {
      std::string checked = b->exact ? on_backend(plan, b->name) : "";
      if (checked.empty()) continue;
      Prepared candidate(c, checked);
      for (size_t i = 0; i < c.calls.size(); ++i) {
        Outcome o = candidate.run(c.calls[i]);
        judging.executed();
        Verdict step;
        if (!settle(o, o, step)) step.elements = {1, 1, 0};
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
