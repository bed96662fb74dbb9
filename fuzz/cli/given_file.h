// Programs of the command line as campaigns take them (fuzz/given): judged as they are, or as
// seeds.
#pragma once

#include <vector>

#include "fuzz/cli/inputs.h"
#include "fuzz/given/given.h"

namespace fusillade::cli {

// The program with what is known of its inputs; as a script where it is one that a case can hold.
// Throws Error when no case can hold it, or an input of it cannot be drawn.
fuzz::Given given_program(const std::string& file, Program program,
                          const std::vector<InputHint>& hints);

// A case with its calls.
fuzz::Given given_case(const std::string& file);

// Every function, graph, case and archive of a folder and those below it, as graphs that can be
// mutated, with inputs that eager mode accepts. Files that are no such program are reported on
// stderr. Throws Error when none is left.
fuzz::Givens seeds_of(const std::string& folder, const fuzz::Limits& limits);

}  // namespace fusillade::cli
