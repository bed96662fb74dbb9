// run --expect: results of another compiler, and those of this run, judged by what is computed of
// the program: the bound of each element; where that is wide, samples of roundings as well.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fuzz/cli/program.h"
#include "fuzz/oracle/reference.h"

namespace fusillade::cli {

class Expected {
 public:
  // Computes the bound of this call, whose inputs stay as they are. Throws Error where the program
  // raises.
  Expected(const Program& program, const std::vector<IValue>& inputs);
  // `files`: one .npy for each tensor of the results, in the order in which `run` names them.
  // Prints how many elements were compared, or which one lies outside. Returns an ExitCode. Throws
  // Error where the files are not as many as the tensors.
  int judge(const std::vector<IValue>& outputs, const std::vector<std::string>& files);

 private:
  struct Result {
    Tensor tensor;
    std::string name;
  };
  bool all_within_bounds(const std::vector<Result>& results, fuzz::Elements& seen);
  bool all_as_sampled(const std::vector<Result>& results, fuzz::Elements& seen);

  std::unique_ptr<Graph> graph_;  // without modules: their attributes are inputs
  fuzz::Call call_;
  std::unique_ptr<fuzz::Reference> reference_;
};

}  // namespace fusillade::cli
