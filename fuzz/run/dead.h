// The error that went missing: a program raises under eager and gives values under a plan.
//
// Passes may remove code that nothing needs, and its errors with it; they may not remove the error of code that
// something needs. What is needed is found here by its own walk, apart from the passes under test.
#pragma once

#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {

// Removes what neither the results nor a prim::RaiseException need: nodes, results of an If, carried slots of a Loop.
void drop_dead_code(Graph& graph);

// Scripts are not asked: what they need hangs on values as well (`f(x) or True`), which takes more than a walk. Their
// errors are compared before any pass, by the oracles frontends and python.
//
// Called after settle(): the reference raised, `observed` gave values. A finding ("missing error") when the program
// still raises under eager with its dead code dropped. Programs with writes are left alone: whether a write is
// needed is a question of aliases.
void judge_missing_error(const Graph& program, const Call& call, const Outcome& observed, Verdict& verdict);

}  // namespace fusillade::fuzz
