// Removes what a long campaign no longer needs: files only, so that its store stays as it is and a
// kill at any moment leaves a whole campaign. Every finding keeps its finding.json and its reduced
// case, and so can be judged again, merged and reopened.
#pragma once

#include <cstdint>
#include <string>

#include "fuzz/campaign/known.h"

namespace fusillade::fuzz {

struct PruneOptions {
  std::string out;            // the campaign's folder
  KnownList known;            // waiting cases that it mutes go, too
  double closed_seconds = 0;  // what was closed longer ago than this is pruned
  uint64_t joined_lines = 0;  // of each joined.txt, so many stay
  bool dry_run = false;       // only reports
};

// Reports on stdout what was removed, in numbers. Returns an ExitCode.
int prune_campaign(const PruneOptions& options);

}  // namespace fusillade::fuzz
