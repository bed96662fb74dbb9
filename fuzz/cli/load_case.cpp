// See load_case.h.
#include "fuzz/cli/load_case.h"

#include <algorithm>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/shell.h"
#include "engine/run/plan.h"
#include "fuzz/campaign/judgement.h"
#include "fuzz/case/against.h"
#include "fuzz/cli/plans.h"
#include "fuzz/judge/judge.h"
#include "fuzz/oracle/oracle.h"
#include "fuzz/run/other_build.h"
#include "fuzz/triage/finding.h"

namespace fusillade::cli {
namespace {

void require_other_build(const fuzz::Case& c, const std::string& given) {
  const std::string named = fuzz::against_of(c);
  if (given.empty())
    fail(
        "the case compares with another build{}, and no case chooses what is run: --against "
        "names it",
        named.empty() ? "" : ", which was " + shell_word(named));
  fuzz::OtherBuild(named).require();
  fuzz::OtherBuild::trust(named);
}

}  // namespace

fuzz::Case load_case(const std::string& file, const std::string& plan, const std::string& against) {
  fuzz::Case c = fuzz::read_case(file);
  if (!plan.empty()) c.plans = {read_plan(plan)};
  if (!against.empty()) fuzz::set_against(c, std::filesystem::absolute(against));
  // A program without a claim, as `gen` prints it, is judged as a campaign would.
  if (c.oracle.empty() || c.oracle == "all") c.oracle = fuzz::main_oracle(c.plans);
  if (c.plans.empty()) c.plans = fuzz::default_plans();
  try {
    fuzz::oracle(c.oracle);
    for (const Plan& p : c.plans) engine_of(p);
    require_engines(c.plans);
    if (c.oracle == fuzz::kAgainst) require_other_build(c, against);
  } catch (const Error& e) {
    const bool undeclared = std::ranges::any_of(
        c.plans, [](const Plan& p) { return !Table<Engine>::instance().find(p.engine); });
    fail("{}: {}{}", file, e.what(), undeclared ? fuzz::how_it_was_judged(file) : "");
  }
  return c;
}

}  // namespace fusillade::cli
