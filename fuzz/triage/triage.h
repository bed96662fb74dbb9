// From a saved case to a finding: confirm in fresh processes, blame, reduce, name a bucket, write
// the folder.
#pragma once

#include <string>

#include "fuzz/process/isolate.h"
#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {

struct Triaged {
  std::string
      bucket;  // verdict-oracle-<12 hex of a hash of blame, reason and the reduced program's shape>
  Verdict verdict;  // of the reduced case
  std::string blame;
  int nodes = 0;       // of the reduced program
  int reproduced = 0;  // of `tried` fresh processes
  int tried = 0;
  Case reduced;
};

// `budget` bounds the seconds spent on blame and reduction.
Triaged triage(const Case& c, const Limits& limits, double budget);

// Writes findings/<bucket>/ (README.md, repro.sh, the original and the reduced case) under `out`,
// whole or not at all; keeps what is there when the bucket is known. repro.sh judges under
// `limits`, those the finding was confirmed under. Returns the reduced case's path relative to
// `out`.
std::string write_finding(const std::string& out, const Case& original, const Triaged& t,
                          const Limits& limits);

}  // namespace fusillade::fuzz
