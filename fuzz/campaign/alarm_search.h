// The search for false alarms: programs that oracles judge when a correct compiler runs them, which
// varies what it may. Workers judge them, under the limits and the walls of a campaign's; the index
// of the program that one died of is known.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "fuzz/process/spawn.h"
#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {

struct AlarmOptions {
  uint64_t seed = 1;
  uint64_t first = 0;  // of the programs, `runs` in all
  uint64_t runs = 100000;
  int jobs = 1;
  int ulps = 2;
  std::string policy;
  std::string out;  // folder for cases; empty: the first is printed on stderr
  size_t megabytes = Limits().megabytes;
};

struct AlarmCounts {
  uint64_t checked = 0, untrusted = 0, skipped = 0, alarms = 0, schedules = 0;
  uint64_t left_out = 0;                    // beyond the limit of memory: not judged
  std::map<std::string, uint64_t> reasons;  // of the skipped
  Elements elements;
};

// False alarms, and programs that are left out, are told on stderr. Throws Error naming the program
// that ended the search: by an error, or by a signal of its worker.
AlarmCounts search_alarms(const AlarmOptions& options);

}  // namespace fusillade::fuzz
