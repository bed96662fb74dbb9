// See dead_case.h.
#include "fuzz/campaign/dead_case.h"

#include <algorithm>
#include <optional>

#include "engine/base/file.h"
#include "engine/base/visible.h"
#include "fuzz/bisect/culprit.h"
#include "fuzz/case/case.h"
#include "fuzz/judge/judge.h"
#include "fuzz/judge/whose_limit.h"
#include "fuzz/process/spawn.h"
#include "fuzz/run/foreign/versions.h"
#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {
namespace {

constexpr size_t kLarge = size_t{64} << 20;  // bytes of inputs
constexpr int kTries = 4;

class DeadCase {
 public:
  DeadCase(const CampaignOptions& campaign, const Death& death, const Limits& limits)
      : campaign_(campaign), death_(death), limits_(limits) {
    // The limits of a judgement do not suit writing its inputs, which takes two more copies in
    // memory, as text.
    ample_.seconds = std::max(limits.seconds, 600.0);
    if (limits.megabytes) ample_.megabytes = std::max<size_t>(4 * limits.megabytes, 8192);
  }

  ChildResult text() const {
    const std::optional<size_t> only = call_that_ends();
    return run_with_retries([&]() -> std::string {
      const Case c = program(only);
      Verdict v;
      v.kind = death_.kind;
      v.oracle = c.oracle;
      v.reason = death_.why;
      Case dead = finding_case(c, v);
      note_engines(dead);
      return print(dead);
    });
  }

 private:
  Case program(std::optional<size_t> only = {}) const {
    Trial trial = make_trial(campaign_, death_.index);
    const Judgement& judgement = trial.judgements[static_cast<size_t>(std::max(death_.stage, 0))];
    trial.program.oracle = judgement.oracle->name;
    trial.program.plans = judgement.plans;
    if (only) trial.program.calls = {trial.program.calls[*only]};
    return std::move(trial.program);
  }

  // Again where the child was ended from outside, which says nothing of the program.
  ChildResult run_with_retries(const std::function<std::string()>& job) const {
    ChildResult out = run_isolated(job, ample_);
    for (int n = 1;
         n < kTries && out.kind == ChildResult::Kind::Crash && Ending{out.signal}.from_outside();
         ++n)
      out = run_isolated(job, ample_);
    return out;
  }

  std::optional<size_t> call_that_ends() const {
    if (death_.stage < 0) return {};
    const ChildResult counted = run_with_retries([this] {
      const Case c = program();
      return input_bytes(c) > kLarge ? std::to_string(c.calls.size()) : std::string("0");
    });
    if (counted.kind != ChildResult::Kind::Done) return {};
    const size_t calls = std::stoul(counted.output);
    if (calls < 2) return {};
    // Where generating the inputs alone exceeds the limits, they cannot distinguish calls.
    const auto make_program = [&] { return program(), std::string(); };
    if (run_isolated(make_program, limits_).kind != ChildResult::Kind::Done) return {};
    for (size_t i = 0; i < calls; ++i)
      if (ends_alike(run_isolated([&] { return judge_here(program(i)), ""; }, limits_))) return i;
    return {};
  }

  bool ends_alike(const ChildResult& r) const {
    switch (death_.kind) {
      case VerdictKind::Hang:
        return r.kind == ChildResult::Kind::Hang;
      case VerdictKind::Memory:
        return r.kind == ChildResult::Kind::Memory;
      default:
        return r.kind == ChildResult::Kind::Crash && !Ending{r.signal}.from_outside();
    }
  }

  const CampaignOptions& campaign_;
  const Death& death_;
  Limits limits_, ample_ = limits_;
};

Case program_that_died(const CampaignOptions& campaign, const Death& death) {
  Trial trial = make_trial(campaign, death.index);
  if (death.stage >= 0) {
    const Judgement& judgement = trial.judgements[static_cast<size_t>(death.stage)];
    trial.program.plans = judgement.plans;
    trial.program.oracle = judgement.oracle->name;
  }
  return std::move(trial.program);
}

}  // namespace

std::optional<FailedGeneration> save_dead(const CampaignOptions& campaign, const Death& death,
                                          const std::string& folder, const Limits& limits) {
  const ChildResult result = DeadCase(campaign, death, limits).text();
  if (result.kind == ChildResult::Kind::Done && !result.output.empty()) {
    write_atomically(fmt::format("{}/{:012d}-{}.case", folder, death.index, death.stage),
                     result.output);
    return {};
  }
  FindingRow row;
  row.verdict = name_of(VerdictKind::Bug);
  row.oracle = "generate";
  row.bucket = "bug-generate-" + death.why.substr(0, death.why.find(' '));
  row.blame = print(Culprit{CulpritKind::Generator, "generator", {}});
  row.origin = fmt::format("seed={} index={}", campaign.seed, death.index);
  return FailedGeneration{
      row, fmt::format("finding {}: generating the program dies ({}); {}\n{}", row.bucket,
                       death.why, row.origin, visible_lines(result.log))};
}

bool is_too_large(const CampaignOptions& campaign, const Death& death, const Limits& limits) {
  return !is_spree([&] { return program_that_died(campaign, death); }, limits);
}

Late who_is_late(const CampaignOptions& campaign, const Death& death, const Limits& limits) {
  return who_is_late([&] { return program_that_died(campaign, death); }, limits);
}

}  // namespace fusillade::fuzz
