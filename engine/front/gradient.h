// Formulas of gradients (ops/gradient.h) as graphs: compiled like a user's functions on first use,
// with what each reads of the operator's arguments and results.
#pragma once

#include <memory>
#include <vector>

#include "engine/ir/graph.h"

namespace fusillade::front {

// What a formula reads of one of its inputs.
enum class Reads : uint8_t { Nothing, Layout, Elements };

struct GradientFormula {
  int arg = 0;                           // of the operator: whose gradient it is
  std::shared_ptr<const Graph> graph{};  // inputs: arguments, results, gradients of the results
  std::vector<Reads> reads{};            // of each input
};

// Of an operator without differentiable arguments: no formulas.
using GradientFormulas = std::vector<GradientFormula>;

// Null where the table has no entry. Thread-safe.
const GradientFormulas* gradient_formulas(const Operator& op);

// What a graph reads of one of its inputs.
Reads reads_of(const Value* input);

}  // namespace fusillade::front
