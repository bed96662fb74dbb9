// Claim: passes that promise to be exact change no bit of any output.
//
// From each plan the passes without that promise are dropped (fusion, for one); what is left must
// agree with eager bit for bit, NaNs counting as equal: with eager on the plan's own device, whose
// functions and products may be ulps off the cpu's.
#include "fuzz/oracle/judging.h"

namespace fusillade::fuzz {
namespace {

std::string exact_part(const std::string& text) {
  Plan plan = parse_plan(text);
  if (!engine_of(plan).runs_passes) return "";
  std::erase_if(plan.pipeline, [](const PassCall& p) { return !(p.pass->flags & kExact); });
  return to_string(plan);
}

std::string eager_there(const std::string& text) {
  Plan plan = parse_plan(reference_plan());
  plan.device = parse_plan(text).device;
  return to_string(plan);
}

Verdict judge(const Case& c) { return judge_bitwise(c, &eager_there, &exact_part); }

const Oracle& registered =
    Table<Oracle>::instance().add({.name = "exact",
                                   .summary = "passes that promise exactness change no bit",
                                   .judge = &judge,
                                   .random = true});

}  // namespace
}  // namespace fusillade::fuzz
