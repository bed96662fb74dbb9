// The findings of a campaign judged again, on this build: which still show, which are closed, which
// were closed and show again. The store and each finding.json keep what every build said
// (observation.h).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "fuzz/campaign/known.h"
#include "fuzz/case/case.h"
#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {

struct RecheckOptions {
  std::string out;    // the campaign's folder
  std::string build;  // this one: its --version
  KnownList known;
  std::optional<double> min_yield;  // none: as the campaign had it
  double max_seconds = 0;           // after which none more is judged; 0: no limit
  int times = 3;                    // each that failed in all processes is run, until it fails
  int jobs = 1;
  // In a child: the case of a file, ready to be judged. Throws Error where it cannot be.
  std::function<Case(const std::string& file)> load;
  std::function<Limits(const Case&)> limits;
};

// Those are first of which no build spoke, then those of which one spoke longest ago: what is cut
// short goes on. Returns the ExitCode of the campaign.
int recheck_campaign(const RecheckOptions& options);

}  // namespace fusillade::fuzz
