// What a compiled case costs under a plan, in counts that are the same in every run of a build: no
// time, no address, nothing of what ran before.
//
// Counts are in order of rank, the costs of the program before the properties of its code:
//
//   steps                   operators run, kernels launched, iterations of loops, in all calls
//   calls not specialised   of a profiling engine
//   bytes moved             by kernels: loads and stores of memory that all threads see
//   kernel operations       that kernels compute, each as often as its loops say
//   kernels without vectors, kernel instructions   of the IR that LLVM is given
//   allocations             of tensors' memory in a repeated call
//   peak bytes              that tensors occupy in it beyond what they did before
//   guards                  of a profiling engine
//   bytecode                of the VM: instructions and constants
//   nodes                   of the graph that runs
//
// One count may grow because another shrank, so two builds are compared by the first that differs.
// Not counted: programs that raise, and kernels of programs with tasks (it is unknown which thread
// compiles them).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/run/plan.h"
#include "fuzz/case/case.h"

namespace fusillade::fuzz {

struct StaticCost {
  std::string why_not;  // nothing was counted; else empty
  std::vector<std::pair<std::string, int64_t>> counts;
  std::vector<std::pair<std::string, int64_t>> nodes;  // after each pass
  struct Applied {
    std::string rule;  // "cse/merge"
    std::string node;
  };
  std::vector<Applied> rewrites;  // where asked for
  std::string graph;              // a hash of the graph that runs; empty where there is none
};

// Throws nothing that a program or a plan may be the reason of.
StaticCost static_cost(const Case& c, const Plan& plan, bool rewrites = false);

// As JSON, for another process. Throws Error where the text is none.
std::string to_text(const std::vector<StaticCost>& all);
std::vector<StaticCost> static_cost_of_text(const std::string& text);

struct Growth {
  std::string what;
  int64_t before = 0, after = 0;
};
// The first count that differs, if it grew. Counts that one of them lacks say nothing.
std::optional<Growth> growth(const StaticCost& before, const StaticCost& after);

}  // namespace fusillade::fuzz
