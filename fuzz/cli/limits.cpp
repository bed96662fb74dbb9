// See limits.h.
#include "fuzz/cli/limits.h"

#include "fuzz/cli/duration.h"
#include "fuzz/cli/whole.h"
#include "fuzz/process/watchdog.h"

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

}  // namespace fusillade::cli
