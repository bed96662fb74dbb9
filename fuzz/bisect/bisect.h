// Blame: the least part of a plan without which the failure is gone.
//
// Shortest failing prefix of the pipeline, then the passes before its last one that are not needed,
// then the least fuel: "peephole/mul-one, rewrite 17". A failure without passes is the engine's
// ("vm", "eager"); a failing fusion pass is told apart into the fuser (every back end fails) and
// the back end (others do not).
#pragma once

#include <functional>
#include <string>

#include "fuzz/campaign/isolate.h"
#include "fuzz/oracle/oracle.h"

namespace fusillade::fuzz {

struct Blame {
  std::string
      who;  // "eager", "vm", "cse/merge", "fuse(loopnest)", "backend llvm", or the oracle's name
  std::string plan;     // the minimal plan that fails, without fuel
  int64_t rewrite = 0;  // 1-based number of the guilty rewrite under that plan; 0: none
  std::string node;     // the node it rewrote
  int checks = 0;       // programs judged on the way
};

// Does the failure appear under this plan?
using Fails = std::function<bool(const std::string& plan)>;

// `c` fails under c.plans[0] (or under no plan: oracles about text). Each check is a fresh process.
Blame bisect(const Case& c, const Limits& limits, double budget_seconds);

// The same failure: verdict kind and reason.
bool same_failure(const Verdict& a, const Verdict& b);

}  // namespace fusillade::fuzz
