// See limits.h.
#include "fuzz/cli/limits.h"

#include <algorithm>
#include <filesystem>

#include "engine/kernel/kernel.h"
#include "engine/run/plan.h"
#include "fuzz/cli/duration.h"
#include "fuzz/cli/whole.h"
#include "fuzz/process/confine.h"
#include "fuzz/process/room.h"
#include "fuzz/process/watchdog.h"
#include "fuzz/run/foreign/family.h"

namespace fusillade::cli {

namespace {

// Seconds of a call under a plan.
double usual_limit(const Plan& plan) {
  if (fuzz::is_outside(plan.engine)) return 600;
  const bool costly =
      plan.device != Device() || std::ranges::any_of(plan.pipeline, [](const PassCall& p) {
        return p.pass->name == "fuse" && p.args.size() >= 2 && !kernel::backend(p.args[1]).drawn;
      });
  return costly ? 60 : 10;
}

// The folders that are there and in which a file or folder of this path would be: by its name, and
// behind links.
std::vector<std::string> folders_above(const std::string& path) {
  std::vector<std::string> out;
  std::error_code ignored;
  if (path.empty()) return out;
  for (std::filesystem::path at : {std::filesystem::absolute(path, ignored),
                                   std::filesystem::weakly_canonical(path, ignored)}) {
    do at = at.parent_path();
    while (!std::filesystem::is_directory(at, ignored) && at != at.parent_path());
    out.push_back(at.string());
  }
  return out;
}

}  // namespace

void declare_limits(CLI::App& app, LimitFlags& flags) {
  app.add_option("--timeout", flags.timeout, "stop after this time, with exit code 70 (0: never)")
      ->capture_default_str();
  app.add_option("--rss-limit-mb", flags.megabytes,
                 "stop when memory grows beyond it, with exit code 71 (0: never; default: three "
                 "quarters of the machine's memory)")
      ->check(kWhole);
}

void set_limits(const LimitFlags& flags, const std::string& out) {
  if (fuzz::is_sandboxed()) fuzz::confine_worker(fuzz::Grounds(folders_above(out)));
  fuzz::limit_this_process({parse_duration("--timeout", flags.timeout),
                            flags.megabytes.value_or(fuzz::usual_megabytes())});
}

double timeout_of(const std::string& given, const std::vector<Plan>& plans) {
  if (!given.empty()) return parse_duration("--timeout", given);
  double most = 10;
  for (const Plan& plan : plans) most = std::max(most, usual_limit(plan));
  return most;
}

}  // namespace fusillade::cli
