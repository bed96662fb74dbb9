// See plans.h.
#include "fuzz/cli/plans.h"

#include <cstdio>
#include <set>

#include "engine/base/visible.h"
#include "engine/run/plan.h"
#include "fuzz/campaign/judgement.h"
#include "fuzz/run/foreign/family.h"

namespace fusillade::cli {

std::vector<Plan> chosen_plans(const std::vector<std::string>& words) {
  size_t taken = 0;
  for (const std::string& w : words) taken += w[0] == '-';
  if (taken != 0 && taken != words.size()) {
    fail("--plan: give plans to use, or plans to leave out (=-PLAN), not both");
  }
  if (taken == 0) return parse_plans(words);
  std::vector<Plan> plans = fuzz::default_plans();
  for (const std::string& w : words) {
    size_t before = plans.size();
    std::erase_if(plans, [&](const Plan& p) { return p.text == w.substr(1); });
    if (plans.size() == before) fail("--plan: '{}' is not in the default set", w.substr(1));
  }
  return plans;
}

void require_engines(const std::vector<Plan>& plans) {
  std::set<std::string> reported;
  for (const Plan& plan : plans) {
    const std::string& engine = plan.engine;
    if (!fuzz::is_outside(engine)) continue;
    const std::string who = fuzz::require_outside(plan);
    if (reported.insert(who).second) fmt::print(stderr, "{}\n", visible_line(who));
  }
}

}  // namespace fusillade::cli
