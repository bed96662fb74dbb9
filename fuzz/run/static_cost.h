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
//   kernels compiled        for the types of all calls
//   versions, failed guards, generic kinds, guards   of a profiling engine (run/jit.h)
//   bytecode                of the VM: instructions and constants
//   nodes                   of the graph that runs
//
// Then those of training, the last call twice under a tape, where AutoDiff makes a group of any of
// the program (training.h). Of a case's plans it is one that trains:
//
//   training saved bytes    that live between a call and its way back, results among them
//   training steps          operators and kernels, forward and back
//   training derivations    of gradients for groups
//   training groups by operators   runs of groups whose gradients AutoDiff did not derive
//   training bytes moved, training kernel operations, training kernels compiled
//   training peak bytes     of such a call with its way back
//
// Last, for each transform, how many of its uses it refuses (`split refused`) in the kernels of the
// forward calls. Another kernel can be written otherwise in other ways, so these are compared only
// where the kernels are the same.
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
  std::string kernels;            // of the kernels whose transforms were asked; likewise
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
// Is it a count of the program under a tape?
bool is_of_training(const std::string& what);
// The transform that a count is about; "" where it is about none.
std::string refusing_transform(const std::string& what);
// The first count that differs, if it grew. Counts that one of them lacks say nothing.
std::optional<Growth> growth(const StaticCost& before, const StaticCost& after);

}  // namespace fusillade::fuzz
