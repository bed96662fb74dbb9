// --timeout and --rss-limit-mb: of verbs that work on one program in this process, and how long a
// judgement may take.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/run/plan.h"
#include "fuzz/cli/verb.h"

namespace fusillade::cli {

struct LimitFlags {
  std::string timeout = "10m";
  std::optional<size_t> megabytes;  // none: three quarters of the machine's memory
};

void declare_limits(CLI::App& app, LimitFlags& flags);
// From here on they hold, and walls as around workers (confine.h), but for the file or folder
// `out`. Throws Error naming a flag that is no limit.
void set_limits(const LimitFlags& flags, const std::string& out = "");

// What --timeout says, or its default, which is longer where each kernel of a plan costs a run of
// another compiler, and where a plan is of an external engine: its worker has a limit of its own
// for each call.
inline constexpr const char* kTimeoutHelp =
    "limit for each call under a plan; a longer one is a hang (default: 10s; 10m for external "
    "engines; 1m on a device, and for back ends that campaigns use only if --plan names them)";
double timeout_of(const std::string& given, const std::vector<Plan>& plans);

}  // namespace fusillade::cli
