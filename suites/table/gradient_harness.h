// What tests of gradients share: calls of operators from the folders of gradients, a weighted sum
// of what they give, and its gradients by the tape.
#pragma once

#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "engine/front/autograd.h"
#include "suites/table/sample_line.h"

namespace fusillade::table {

template <class F>
void for_each_tensor(const IValue& v, F f) {
  if (v.is_tensor()) f(v.as_tensor());
  if (!v.is_sequence()) return;
  for (const IValue& item : v.items()) for_each_tensor(item, f);
}

// All tensors, those in lists too; those of f64.
std::vector<Tensor> tensors_of(const std::vector<IValue>& values);
std::vector<Tensor> floats_of(const std::vector<IValue>& values);
// Of an element of a result, in the weighted sum.
double weight(int64_t element, size_t result);
// A copy of the arguments whose tensors are nobody else's; floats as f64 where `wide`.
std::vector<IValue> copies_of(const std::vector<IValue>& args, bool wide);

using Called = std::function<std::vector<IValue>(const std::vector<IValue>&)>;
// The operator itself. Operators that write their first argument get a copy of it.
Called calling(const Operator& op);
// The weighted sum of the results, and where `grads` is given its gradients by the leaves.
double weighted_sum(const Called& call, const std::vector<IValue>& args,
                    const std::vector<Tensor>& leaves, std::vector<Tensor>* grads);
// The gradients of the weighted sum, under a tape of its own.
std::vector<Tensor> gradients_of(const Called& call, const std::vector<IValue>& args,
                                 const std::vector<Tensor>& leaves);

// An element; 0 where there is no gradient.
double at(const Tensor& t, int64_t i);
bool close(double a, double b, double relative);

template <class F>
void for_each_line(const std::string& folder, F f) {
  for (const std::string& file : sample_files(folder)) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
      if (!line.empty() && line[0] != '#' && !line.starts_with("schema ")) f(line);
  }
}

}  // namespace fusillade::table
