// Instructions that a program costs under a plan, by callgrind: the same on a busy machine, and for
// the same build the same again. One thread; a processor as valgrind emulates it, without AVX-512,
// so machine code is compiled for that.
//
// One process of valgrind runs `fusillade bench --count-into`, which forks a child for each program
// and plan (valgrind goes with it): no plan finds the caches of another. The child asks callgrind
// for a dump after each phase; where the build lacked valgrind's headers that is an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/measure.h"

namespace fusillade::bench {

// Counts for all that was measured in processes with other plans, and gives them to those alone.
// `words` are the flags of bench by which the same programs are loaded. Throws Error where valgrind
// or strip (binutils) are not there, or fail, and where `stopped` comes true.
void count_instructions(std::vector<Measured>& all, const std::vector<std::string>& words,
                        const std::function<bool()>& stopped);

// To be run in valgrind: runs the calls, and writes into a file which process ran which. `without`:
// what was not measured, as PROGRAM/PLAN.
void run_counted(const std::vector<Program>& programs, const MeasureOptions& options,
                 const std::vector<std::string>& without, const std::string& into);

}  // namespace fusillade::bench
