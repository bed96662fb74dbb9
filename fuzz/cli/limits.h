// --timeout and --rss-limit-mb of verbs that work on one program in this process.
#pragma once

#include <string>

#include "fuzz/cli/verb.h"

namespace fusillade::cli {

struct LimitFlags {
  std::string timeout = "0";
  size_t megabytes = 0;
};

void declare_limits(CLI::App& app, LimitFlags& flags);
// From here on they hold. Throws Error naming a flag that is no limit.
void set_limits(const LimitFlags& flags);

}  // namespace fusillade::cli
