// Where intervals say too little of a program, as after many layers: samples of what the roundings
// of its floats may make of its results (fuzz/run/noise.h). The program runs in double precision,
// and each input and the result of each operator are off by some units of the dtype that its floats
// have.
//
// A number that is told from samples by Student's test is not what a legal run gives; of 10^9
// numbers that are, one is taken for it. Roundings within an operator, as of a long sum, are not
// sampled: those of its operands and of its result stand for them.
#pragma once

#include <vector>

#include "engine/ir/graph.h"
#include "fuzz/case/case.h"
#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {

class Samples {
 public:
  // Runs the program; without objects among its inputs. Throws Error as it does.
  Samples(const Graph& program, const Call& call);
  // Is `observed` not what a legal run gives for the tensor of that number? Counts elements: those
  // of other tensors than floats, and those that are no finite numbers in a sample, are untrusted.
  bool admits(size_t number, const Tensor& observed, const std::string& what, Verdict& step) const;

 private:
  std::vector<std::vector<Tensor>> tensors_;  // of each sample
};

// Tensors within results, in the order in which `run` names them.
std::vector<Tensor> tensors_in(const std::vector<IValue>& values);

}  // namespace fusillade::fuzz
