// Claim: what is fused is not slower than the same plan without fusion.
//
// Of each plan with groups that machine code computes, and of that plan without them, a call is
// repeated by turns once both have compiled, and the least time of each, by the clock of the
// thread, is compared. A plan that takes kMostTimes as long and kLeastMore longer, in each of
// kSessions, is a finding: the fuser.
//
// Time is measured, so the claim is judged only where a campaign asks for it.
#include "engine/base/thread_time.h"
#include "engine/kernel/kernel.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/process/heartbeat.h"

namespace fusillade::fuzz {
namespace {

constexpr int kWarm = 3;      // calls before any is timed: profiled ones among them
constexpr int kRounds = 12;   // of a session
constexpr int kSessions = 4;  // that all have to say it
constexpr double kMostTimes = 2;
constexpr double kLeastMore = 5e-6;  // seconds

// The plan without its groups, and the fuser; nothing where no machine code computes them.
struct Fused {
  Plan without;
  std::string fuser;
};

std::optional<Fused> fusion_of(Plan plan) {
  Fused out;
  for (const PassCall& p : plan.pipeline) {
    if (p.pass->name != "fuse" || p.args.size() < 2) continue;
    const kernel::Backend& backend = kernel::backend(p.args[1]);
    // One that checks, or that another machine or compiler computes, is not to be fast here.
    if (backend.exact || backend.needs) return std::nullopt;
    out.fuser = "fuse(" + p.args[0] + ")";
  }
  if (out.fuser.empty()) return std::nullopt;
  std::erase_if(plan.pipeline, [](const PassCall& p) { return p.pass->name == "fuse"; });
  out.without = respell(std::move(plan));
  return out;
}

void time_once(const Prepared& plan, const Call& call, double& least) {
  const double start = thread_seconds();
  plan.run(call);
  least = std::min(least, thread_seconds() - start);
  heartbeat();
}

struct Times {
  double with = 1e9, without = 1e9;
  bool slower() const { return with > kMostTimes * without && with > without + kLeastMore; }
};

Times session(const Prepared& with, const Prepared& without, const Call& call) {
  Times out;
  for (int i = 0; i < kRounds; ++i) {
    time_once(with, call, out.with);
    time_once(without, call, out.without);
  }
  return out;
}

Verdict compare_speed(const Case& c, const Plan& plan, const Fused& fused, Judging& judging) {
  const Prepared with(c, plan), without(c, fused.without);
  const Call& call = c.calls[0];
  for (int i = 0; i < kWarm; ++i) {
    const Outcome a = with.run(call), b = without.run(call);
    Verdict ended;
    judging.count_runs(2);
    if (classify(b, a, ended)) return ended;
  }
  Times times;
  Verdict v;
  v.elements = {1, 1, 0};
  for (int i = 0; i < kSessions; ++i) {
    times = session(with, without, call);
    if (!times.slower()) return v;
  }
  v = mismatch("slower than unfused",
               fmt::format("a call takes {:.1f} us, without groups {:.1f} us", times.with * 1e6,
                           times.without * 1e6));
  v.kind = VerdictKind::Slow;
  v.part = fused.fuser;
  return v;
}

Verdict judge(const Case& c) {
  Judging judging;
  Verdict none;
  none.kind = VerdictKind::Skip;
  none.reason = "no plan with groups that machine code computes";
  judging.add(none, {}, 0);
  if (c.calls.empty() || !c.refused.empty()) return judging.verdict();
  for (const Plan& plan : c.plans)
    if (const auto groups = fusion_of(plan))
      if (judging.add(compare_speed(c, plan, *groups, judging), plan, 0)) break;
  return judging.verdict();
}

const Oracle& registered = Table<Oracle>::instance().add(
    {.name = "speed",
     .summary = "a fused program is not slower than the unfused one (measures time)",
     .judge = &judge,
     .asked = true});

}  // namespace
}  // namespace fusillade::fuzz
