// See dead_case.h.
#include "fuzz/campaign/dead_case.h"

#include <algorithm>
#include <optional>

#include "fuzz/case/case.h"
#include "fuzz/judge/judge.h"
#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {
namespace {

constexpr size_t kLarge = size_t{64} << 20;  // bytes of inputs
constexpr int kTries = 4;

class DeadCase {
 public:
  DeadCase(const CampaignOptions& campaign, uint64_t index, int stage, VerdictKind kind,
           const Limits& limits)
      : campaign_(campaign), index_(index), stage_(stage), kind_(kind), limits_(limits) {
    // What a judgement may take says nothing about writing its inputs down, which are held twice
    // more as text.
    ample_.seconds = std::max(limits.seconds, 600.0);
    if (limits.megabytes) ample_.megabytes = std::max<size_t>(4 * limits.megabytes, 8192);
  }

  ChildResult text(const std::string& why) const {
    const std::optional<size_t> only = call_that_ends();
    return made_by([&]() -> std::string {
      const Case c = program(only);
      Verdict v;
      v.kind = kind_;
      v.oracle = c.oracle;
      v.reason = why;
      return print(finding_case(c, v));
    });
  }

 private:
  Case program(std::optional<size_t> only = {}) const {
    Trial trial = make_trial(campaign_, index_);
    const Judgement& judgement = trial.judgements[static_cast<size_t>(std::max(stage_, 0))];
    trial.program.oracle = judgement.oracle->name;
    trial.program.plans = judgement.plans;
    if (only) trial.program.calls = {trial.program.calls[*only]};
    return std::move(trial.program);
  }

  // Again where the child was ended from outside, which says nothing of the program.
  ChildResult made_by(const std::function<std::string()>& job) const {
    ChildResult out = run_isolated(job, ample_);
    for (int n = 1;
         n < kTries && out.kind == ChildResult::Kind::Crash && Ending{out.signal}.from_outside();
         ++n)
      out = run_isolated(job, ample_);
    return out;
  }

  std::optional<size_t> call_that_ends() const {
    if (stage_ < 0) return {};
    const ChildResult counted = made_by([this] {
      const Case c = program();
      return input_bytes(c) > kLarge ? std::to_string(c.calls.size()) : std::string("0");
    });
    if (counted.kind != ChildResult::Kind::Done) return {};
    const size_t calls = std::stoul(counted.output);
    if (calls < 2) return {};
    // Where making the inputs alone takes more than the limits, no call can be told by them.
    const auto made = [&] { return program(), std::string(); };
    if (run_isolated(made, limits_).kind != ChildResult::Kind::Done) return {};
    for (size_t i = 0; i < calls; ++i)
      if (ends_alike(run_isolated([&] { return judge_here(program(i)), ""; }, limits_))) return i;
    return {};
  }

  bool ends_alike(const ChildResult& r) const {
    switch (kind_) {
      case VerdictKind::Hang:
        return r.kind == ChildResult::Kind::Hang;
      case VerdictKind::Memory:
        return r.kind == ChildResult::Kind::Memory;
      default:
        return r.kind == ChildResult::Kind::Crash && !Ending{r.signal}.from_outside();
    }
  }

  const CampaignOptions& campaign_;
  uint64_t index_;
  int stage_;
  VerdictKind kind_;
  Limits limits_, ample_ = limits_;
};

}  // namespace

ChildResult remake_dead(const CampaignOptions& campaign, uint64_t index, int stage,
                        VerdictKind kind, const std::string& why, const Limits& limits) {
  return DeadCase(campaign, index, stage, kind, limits).text(why);
}

}  // namespace fusillade::fuzz
