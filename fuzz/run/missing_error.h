// The error that went missing: a program raises under eager and gives values under a plan.
//
// Passes may remove code that nothing needs, and its errors with it; they may not remove the error
// of code that something needs. What is needed hangs on values (`f(x) or True` needs no f), so it
// is found by running the program once more, leniently: a node that raises gives a lost value, and
// the run goes on. What is computed from a lost value is lost, element by element of tuples and
// lists; what a pass might tell without the value (the size of a lost tensor, 0 * lost, two
// branches that agree under a lost condition) is unknown. The error was needed when a result of the
// program is lost, or when the run comes to a prim::RaiseException.
#pragma once

#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {

// The error that no pass may remove from this call, or "" when there may be none. Programs with
// writes, other effects or random numbers, and runs that go on for too long, are given up: "".
std::string needed_error(const Graph& program, const Call& call);

// Called after settle(): the reference raised, `observed` gave values. A finding ("missing error")
// when the error was needed.
void judge_missing_error(const Graph& program, const Call& call, const Outcome& observed,
                         Verdict& verdict);

}  // namespace fusillade::fuzz
