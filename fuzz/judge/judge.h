// Judges one case as it is: its oracle on its plans.
#pragma once

#include "fuzz/process/isolate.h"
#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {

// The oracle that compares values under such plans, as the first of them has it.
std::string main_oracle(const std::vector<Plan>& plans);

// In this process. Throws Error when there is no such oracle.
Verdict judge_here(const Case& c);

// A job in a child that judges this case or one derived from it. The workers that its judgement
// asks (external engines, Python) run here and are lent to it.
ChildResult run_judging(const Case& c, const std::function<std::string()>& job,
                        const Limits& limits);

// In a fresh process: a crash, a hang and memory are verdicts. `off`: a pass or rule switched off
// (switch_off.h).
Verdict judge_isolated(const Case& c, const Limits& limits, const std::string& off = "");

// The same; a hang is a skip where it is only what judges the program that takes so long.
Verdict judge_fairly(const Case& c, const Limits& limits);

// As judge_isolated, so many times at most until it is a finding: of failures that come and go.
Verdict judge_often(const Case& c, const Limits& limits, int tries, const std::string& off = "");

}  // namespace fusillade::fuzz
