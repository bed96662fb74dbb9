// Blame: the least part of a plan without which the failure is gone.
//
// Shortest failing prefix of the pipeline, then the passes before its last one that are not needed,
// then the least fuel: "peephole/mul-one, rewrite 17". A failure without passes is the engine's
// (its name); a failing fusion pass is told apart into the fuser (every back end fails) and
// the back end (others do not).
#pragma once

#include <functional>
#include <string>

#include "fuzz/process/isolate.h"
#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {

struct Blame {
  std::string who;      // an engine, "cse/merge", "fuse(loopnest)", "backend llvm", or the oracle
  std::string plan;     // the minimal plan that fails, without fuel
  int64_t rewrite = 0;  // 1-based number of the guilty rewrite under that plan; 0: none
  std::string node;     // the node it rewrote
  int checks = 0;       // programs judged on the way
};

// Does the failure appear under this plan?
using Fails = std::function<bool(const std::string& plan)>;

// `c` fails under c.plans[0] (or under no plan: oracles about text). Each check is a fresh process.
Blame bisect(const Case& c, const Limits& limits, double budget_seconds);

}  // namespace fusillade::fuzz
