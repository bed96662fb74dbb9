// What code a plan runs a program with, as hashes, so that equal code is never called slower.
#pragma once

#include <string>

#include "bench/harness/program.h"
#include "engine/run/plan.h"

namespace fusillade::bench {

// Of the graph that the plan's pipeline leaves and the kernels that its first calls ask for. Empty
// of external engines, whose code is not known. In this process.
std::string program_code(const Program& program, const Plan& plan, uint64_t seed, bool typed);

// Of this program and the libraries that it has loaded: their linkers' build ids; of one without
// its path and size.
std::string runtime_code();

}  // namespace fusillade::bench
