// From a saved case to a finding: confirm in fresh processes, see whether it shows a cause that is
// known, else blame, reduce, name a bucket, write the folder.
#pragma once

#include <string>
#include <vector>

#include "fuzz/bisect/culprit.h"
#include "fuzz/process/isolate.h"
#include "fuzz/triage/cause.h"

namespace fusillade::fuzz {

struct KnownCause {
  std::string bucket;
  Cause cause;
};

struct Triaged {
  std::string bucket;  // the known one, where the cause is known; empty: only_join, and it is not
  // Why it is no finding: it had too little memory, or time, and now has enough.
  std::string let_go;
  bool joined = false;  // the cause was known before anything was blamed or reduced
  Cause cause;
  Verdict verdict;  // of the reduced case
  Culprit blame;
  std::string note;    // Blame::note
  int nodes = 0;       // of the reduced program
  int reproduced = 0;  // of `tried` fresh processes
  int tried = 0;
  Case reduced;
};

// `budget` bounds the seconds until blame and reduction end. `only_join`: stop where they would
// begin. `kept`: a file for what was done when it is cut short (triage_progress.h), and from which
// it goes on where the case as small as it got still fails.
Triaged triage(const Case& c, const Limits& limits, double budget,
               const std::vector<KnownCause>& known = {}, bool only_join = false,
               const std::string& kept = "");

// Writes findings/<bucket>/ (finding.json, README.md, repro.sh, the original and the reduced case)
// under `out`, whole or not at all; keeps what is there when the bucket is known. repro.sh judges
// under `limits`, those the finding was confirmed under. Returns the reduced case's path relative
// to `out`.
std::string write_finding(const std::string& out, const Case& original, const Triaged& t,
                          const Limits& limits);

}  // namespace fusillade::fuzz
