// A program prepared under a plan, and its calls as they are measured: forward, or forward and
// backward.
//
// A call of a backward program records what runs, weights its outputs of floats by drawn numbers
// (the same in each call and under each plan), and asks the gradients of the sum by every input of
// floats and every parameter of a module. A plan with passes that asks for none gets the pass that
// knows gradients behind its own, for whole functions, with the fuser and back end of its `fuse`:
//
//   vm/o2,fuse(loopnest,llvm)   -> vm/o2,fuse(loopnest,llvm),autodiff(whole,mincut,2,loopnest,llvm)
//
// Under a tape only those passes run that keep what it sees (docs/inside/autograd.md). External
// engines do not take part.
#pragma once

#include "bench/harness/program.h"
#include "engine/run/plan.h"

namespace fusillade::bench {

// The plan that a program is run by, where this one is asked for.
Plan plan_of(const Program& program, const Plan& asked);

class Ready {
 public:
  // Draws the inputs.
  Ready(const Program& program, const Plan& plan, uint64_t seed, bool typed);

  void compile();
  // What it gives is dropped.
  void call();

  const Executable& executable() const { return *executable_; }
  const fuzz::Call& inputs() const { return inputs_; }

 private:
  void mark_leaves();
  void walk_back(const std::vector<IValue>& outputs);

  const Program& program_;
  Plan plan_;
  fuzz::Call inputs_;
  PipelineOptions options_;
  std::vector<Tensor> leaves_;   // of a backward program
  std::vector<Tensor> weights_;  // of its outputs, drawn at the first call
  std::unique_ptr<Executable> executable_;
};

}  // namespace fusillade::bench
