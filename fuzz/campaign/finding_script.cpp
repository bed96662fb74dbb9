// See finding_script.h.
#include "fuzz/campaign/finding_script.h"

#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/options.h"
#include "engine/base/visible.h"
#include "engine/run/plan.h"
#include "fuzz/case/case.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/foreign/script.h"
#include "fuzz/run/other_build.h"

namespace fusillade::fuzz {
namespace {

constexpr const char* kNone = "\nThere is no script.py: ";

std::string not_yet() {
  return std::string(kNone) +
         "its time ended before one was seen to fail. This makes it:\n\n```\n" +
         options_in_force() + "fusillade repro reduced.case --script script.py" + family_flags() +
         OtherBuild::flags() + "\n```\n";
}

}  // namespace

void save_finding_script(const std::string& folder, const std::string& tried, const Triaged& t,
                         const Limits& limits) {
  const std::vector<std::string>& plans = t.reduced.plans;
  if (plans.empty() || !is_outside(parse_plan(plans[0]).engine)) return;
  const std::string script = folder + "/script.py", about = folder + "/README.md";
  if (access(script.c_str(), F_OK) == 0) return;
  // The finding may be another case's of the same cause; its script shows its own.
  if (read_text_file(folder + "/reduced.case") != print(t.reduced)) return;
  std::string readme = read_text_file(about);
  const std::string due = not_yet();
  if (readme.ends_with(due)) readme.resize(readme.size() - due.size());
  if (readme.find(kNone) != std::string::npos) return;
  write_atomically(about, readme + due);
  const std::string why = save_script(script, t.reduced, t.verdict, limits, tried);
  write_atomically(about, why.empty() ? readme : readme + kNone + markdown_text(why) + ".\n");
}

}  // namespace fusillade::fuzz
