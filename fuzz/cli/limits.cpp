// See limits.h.
#include "fuzz/cli/limits.h"

#include <algorithm>

#include "engine/run/plan.h"
#include "fuzz/cli/duration.h"
#include "fuzz/cli/whole.h"
#include "fuzz/process/watchdog.h"
#include "fuzz/run/foreign/family.h"

namespace fusillade::cli {

void declare_limits(CLI::App& app, LimitFlags& flags) {
  app.add_option("--timeout", flags.timeout, "stop after so long, with exit code 70 (0: never)")
      ->capture_default_str();
  app.add_option("--rss-limit-mb", flags.megabytes,
                 "stop when memory grows beyond it, with exit code 71 (0: never)")
      ->capture_default_str()
      ->check(kWhole);
}

void set_limits(const LimitFlags& flags) {
  fuzz::limit_this_process({parse_duration("--timeout", flags.timeout), flags.megabytes});
}

double timeout_of(const std::string& given, const std::vector<std::string>& plans) {
  if (!given.empty()) return parse_duration("--timeout", given);
  bool outside = std::any_of(plans.begin(), plans.end(), [](const std::string& plan) {
    return fuzz::is_outside(parse_plan(plan).engine);
  });
  return outside ? 600 : 10;
}

}  // namespace fusillade::cli
