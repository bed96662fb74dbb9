// Blame: the least part of what ran without which the failure is gone.
//
// Of a plan: its last pass alone where it fails so, else the shortest failing prefix without the
// passes before its last one that are not needed; then the least fuel: "peephole/mul-one, rewrite
// 17". A failure without passes, or one that the reference does not show behind the same passes, is
// the engine's (its name), of `jit` what `vm` does not show behind the same passes, and in eager
// mode an operator's ("operator aten::addmm"); a failing fusion pass is distinguished into the
// fuser (every back end that takes the groups fails) and the back end (another takes them and is
// right); where a pass was given wrong facts about memory it is "effects". What the differential
// oracle finds wrong in eager mode itself is an operator's, whichever oracle met it. Of a claim
// about another form of the program it is the part that produced that form: "archive state",
// "freeze", "tracer", "eager API", "types", "text", "front end". A case that dies is blamed in the
// same way, each plan tried by itself.
#pragma once

#include <memory>
#include <string>

#include "fuzz/bisect/culprit.h"
#include "fuzz/process/isolate.h"
#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {

struct Blame {
  Culprit who;
  Plan plan;            // the minimal one that fails, without fuel
  int64_t rewrite = 0;  // 1-based number of the guilty rewrite under that plan; 0: none
  std::string node;     // the node it rewrote
  std::string note;     // for people: what "effects" said wrongly, and who believed it
  std::string oracle;   // that shows it, where it is another than the case's; else empty
  std::shared_ptr<const Case> shown_by;  // where it is not the case given; else null
  int checks = 0;                        // programs judged on the way
  bool complete = true;                  // the budget sufficed; else `who` is as far as it came
};

// `c` fails. Each check is a fresh process, or up to `tries` where failures come and go.
Blame bisect(const Case& c, const Limits& limits, double budget_seconds, int tries = 1);

}  // namespace fusillade::fuzz
