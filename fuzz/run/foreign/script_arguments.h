// The arguments of a call as Python expressions: dense arrays as literals; shared or gapped memory
// as views of an array defined on a line of its own.
#pragma once

#include <string>
#include <vector>

#include "fuzz/case/case.h"
#include "fuzz/run/foreign/literal.h"

namespace fusillade::fuzz {

// Of PyTorch. Throws Unsupported for what has no such expression.
class TorchArguments {
 public:
  // The inputs marked in `used`; `exact`: no tensor is a view of another, as workers create them.
  TorchArguments(const Call& call, const std::vector<bool>& used, bool exact);
  std::vector<std::string> lines;  // "m0 = torch.tensor(...)", before
  std::vector<std::string> list;
  std::vector<std::string> names;                  // "x0": those of the function's parameters
  const std::string& name_of(size_t input) const;  // numbered as in the case

 private:
  std::string value(const IValue& v);
  std::string tensor(const Tensor& t);
  const Call& call_;
  const bool exact_;
  std::vector<Tensor> memories_;
  std::vector<std::string> by_input_;
};

// Of libraries whose arrays are values: the arrays alone, those in lists, too.
std::vector<std::string> dense_arguments(const Call& call, const Dialect& dialect);
// Appends the index expression of each array in a value: `place` and then "[1][0]".
void add_array_indices(const IValue& v, const std::string& place, std::vector<std::string>& out);

}  // namespace fusillade::fuzz
