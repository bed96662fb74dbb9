// See finding_script.h.
#include "fuzz/campaign/finding_script.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/base/options.h"
#include "engine/run/plan.h"
#include "fuzz/case/case.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/foreign/script.h"
#include "fuzz/run/other_build.h"
#include "fuzz/triage/finding.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

const char* const kCutShort = "its time ended before one was seen to fail";

}  // namespace

void save_finding_script(const std::string& folder, const std::string& tried, const Triaged& t,
                         const Limits& limits) {
  const std::vector<Plan>& plans = t.reduced.plans;
  if (plans.empty() || !is_outside(plans[0].engine)) return;
  const std::string script = folder + "/script.py";
  if (access(script.c_str(), F_OK) == 0) return;
  // The finding may be another case's of the same cause; its script shows its own.
  if (read_text_file(folder + "/reduced.case") != print(t.reduced)) return;
  std::optional<json> finding = read_finding(folder);
  if (!finding) return;
  json& none = (*finding)["no_script"];
  if (!none.is_null() && none["reason"] != kCutShort) return;
  none = {{"reason", kCutShort},
          {"command", options_in_force() + "fusillade repro reduced.case --script script.py" +
                          family_flags(t.reduced) + OtherBuild::flags()}};
  write_finding_files(folder, *finding);
  const std::string why = save_script(script, t.reduced, t.verdict, limits, tried);
  none = why.empty() ? json() : json{{"reason", why}, {"command", ""}};
  write_finding_files(folder, *finding);
}

}  // namespace fusillade::fuzz
