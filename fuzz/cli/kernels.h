// What a program's groups become under a plan.
#pragma once

#include <string>
#include <vector>

#include "fuzz/cli/program.h"

namespace fusillade::cli {

// Runs the program on these inputs and prints, of each group that was lowered: its graph, types,
// schedules, Kernel IR, the text that its back end makes of that (LLVM IR, machine code, CUDA), and
// its loads and stores next to those of its nodes one by one. Of one that was not: why. Where
// `transforms` (engine/fuse/transforms/transform.h) are named, kernels after each of them, too, and
// what follows is of the last one; throws Error when they are legal in no group's kernel.
void print_kernels(const Program& program, const Plan& plan, const std::vector<IValue>& inputs,
                   const std::string& transforms);

}  // namespace fusillade::cli
