// What a campaign does where no flag says it: the defaults of --mode, a worker for each core, and
// of one that goes on, the seed and the jobs that it began with.
//
// CI needs three kinds of campaign: `pr` (short, the same programs each time), `nightly` (long,
// other programs each day, goes on where it was cut) and `regress` (half of the programs are
// mutants of saved cases).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/campaign/supervisor.h"

namespace CLI {
class App;
}

namespace fusillade::cli {

struct Mode {
  const char* name;
  bool date;              // the seed is the day's; else 1
  uint64_t runs;          // 0: no limit
  double seconds;         // 0: no limit
  uint64_t max_findings;  // 0: no limit
  bool resumes;           // a campaign that is in --out already goes on
  bool needs_seeds;       // without --seeds it is nothing
};

const std::vector<Mode>& modes();
std::vector<std::string> mode_names();

// "pr: seed 1, 2000 programs or 600 s, ...", for --help.
std::string modes_text();

// Fills what `app` was given no flag for. Throws Error where there is no such mode, or where it
// lacks what it is of.
void apply_mode(const CLI::App& app, const std::string& mode, fuzz::SupervisorOptions& o);

// What --seed takes in addition to numbers.
inline constexpr const char* kSeedOfDay = "date";
// Days as numbers, as in 20270131, of UTC.
std::string seed_of_today();

// One for each core that this process may use, counting a container's share, at most 256.
int default_jobs();

// Of a campaign in --out that goes on: the seed that it began with and the jobs that it had last,
// where no flag gives a number; and the shard.
void keep_identity(fuzz::SupervisorOptions& o, bool seed_given, bool jobs_given);

// Is what --resume goes on with a merge, which ends when nothing waits?
bool goes_on_with_merge(const fuzz::SupervisorOptions& o);

// What a campaign begins with: a line of seed, jobs, limits and folder.
std::string greeting_of(const fuzz::SupervisorOptions& o, bool seed_given);

// On stderr, after an interruption: the command that goes on.
void print_resume_hint(const fuzz::SupervisorOptions& o);

}  // namespace fusillade::cli
