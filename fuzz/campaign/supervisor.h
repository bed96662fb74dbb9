// The supervisor of a campaign: starts workers, watches them, saves what kills them, has findings
// triaged, and keeps the books. It never runs engine code on a generated program in its own
// process.
#pragma once

#include <optional>
#include <string>

#include "fuzz/campaign/judgement.h"
#include "fuzz/campaign/known.h"
#include "fuzz/campaign/lot.h"
#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {

struct SupervisorOptions {
  CampaignOptions campaign;
  std::string out;             // folder, created when absent
  std::optional<Shard> shard;  // none: all programs, or the shard that is in `out`
  std::string build;           // that runs it: shards of one campaign are of one build
  uint64_t runs = 0;           // indices of the campaign, over all shards; 0: no limit
  double max_seconds = 0;      // in which programs run, of all starts; 0: no limit
  uint64_t max_findings = 0;   // new buckets after which to stop; 0: no limit
  int jobs = 1;
  bool resume = false;
  Limits limits;                // per unit of a judgement: seconds; per worker: megabytes
  double triage_seconds = 120;  // per finding, at most
  bool compares_releases = false;
  KnownList known;         // what does not count
  double min_yield = 0.5;  // share of judgements that compared something, below: exit 3
  bool progress = false;   // a line on stderr
  std::string greeting;    // printed there once the folder is this campaign's
};

// Runs until a limit is reached, a signal comes, or nothing is left; returns an ExitCode.
int run_campaign(const SupervisorOptions& options);

}  // namespace fusillade::fuzz
