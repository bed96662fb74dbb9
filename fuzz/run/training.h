// A program under a tape: inputs of floats become leaves, and AutoDiff makes the steps back. What
// those share who walk programs back: the oracle `gradient`, and the counts of `--against`.
#pragma once

#include <optional>
#include <vector>

#include "engine/run/plan.h"
#include "fuzz/case/case.h"

namespace fusillade::fuzz {

// The plan with groups of any size, or the whole function as one, or nothing for engines that take
// none.
std::optional<Plan> with_autodiff(Plan plan, bool whole);
// Both; the groups of every other plan, by its length, keep what their operators save.
std::vector<Plan> plans_with_autodiff(const Plan& plan);

// Can it be a leaf: a tensor of floats?
bool may_be_leaf(const IValue& v);
// Makes a leaf of the tensor, and gives what the program gets: the program may write its inputs,
// which leaves are not.
IValue input_of_leaf(const Tensor& leaf);
// Declared inputs may say that they require no gradient.
void forget_gradients(const Graph& program);
// Tensors of floats in it that require gradients, those of lists and tuples among them.
void collect_recorded(const IValue& v, std::vector<Tensor>& out);

}  // namespace fusillade::fuzz
