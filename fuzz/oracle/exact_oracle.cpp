// Claim: passes that promise to be exact change no bit of any output.
//
// From each plan the passes without that promise are dropped (fusion, for one); what is left must
// agree with eager bit for bit, NaNs counting as equal: with eager on the plan's own device, whose
// functions and products may be ulps off the cpu's.
#include "fuzz/oracle/judging.h"

namespace fusillade::fuzz {
namespace {

Plan exact_part(const Plan& given) {
  if (!engine_of(given).runs_passes) return {};
  Plan plan = given;
  std::erase_if(plan.pipeline, [](const PassCall& p) { return !(p.pass->flags & kExact); });
  return respell(std::move(plan));
}

Plan eager_there(const Plan& given) {
  Plan plan = reference_plan();
  plan.device = given.device;
  return respell(std::move(plan));
}

Verdict judge(const Case& c) { return judge_bitwise(c, &eager_there, &exact_part); }

const Oracle& registered =
    Table<Oracle>::instance().add({.name = "exact",
                                   .summary = "passes that promise exactness change no bit",
                                   .judge = &judge,
                                   .random = true});

}  // namespace
}  // namespace fusillade::fuzz
