// What executors need of single nodes: composite rows taken apart, the site of a prim that reads
// its node; and graphs that call no functions run without an executor.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/ir/graph.h"

namespace fusillade {

// The graph of a Composite row's body, parsed once per process. Thread-safe.
const Graph& composite_body(const Row& row);
// How bodies become graphs that are no IR text. The layer that knows the language provides it.
using CompileBody = std::unique_ptr<Graph> (*)(const Row& row);
void provide_body_compiler(CompileBody fn);

// What a Scalar row gives for these arguments, if they are known: rows that read only metadata need
// no more of a tensor than its complete type. Throws what the row throws.
std::optional<std::vector<IValue>> known_scalars(const Row& row, std::span<const ArgInfo> args);

// What a prim with `run_at` reads of its node.
Site site_of(const Node* node);

// Runs a graph node by node, composites through their bodies. Throws what the rows throw; Bug on a
// node that needs an executor.
std::vector<IValue> run_straight_line(const Graph& graph, std::span<const IValue> inputs);

}  // namespace fusillade
