// Which pass a regression is of: the plan's pipeline is tried from nothing to all of it under both
// builds, instructions counted; the pass with which the new build first costs more is to blame.
#pragma once

#include <string>

#include "bench/harness/commits.h"

namespace fusillade::bench {

struct Regressed {
  std::string program;
  std::string plan;
  bool compile = false;  // of the compile and the first call; else of a steady call
};

// In words: "pass cse: +4.98 % from there on", "no pass: ..." where it is there without any.
std::string blame(const Regressed& row, const Build& before, const Build& after,
                  const std::vector<std::string>& words, const std::string& out);

}  // namespace fusillade::bench
