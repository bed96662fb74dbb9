// What interpreters and compilers of graphs need of single nodes: what an operator reads of its
// node, what a node runs in place of its operator (composites are decomposed), what an operator of
// known arguments gives.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/ops/call.h"

namespace fusillade {

// Is the operator nothing but its body?
bool is_composite(const Operator& op);
// Is a composite operator called as one here, because a tape records and knows the operator's
// gradient?
bool is_recorded_whole(const Operator& op);
// The graph of a Composite operator's body, parsed once per process. Thread-safe.
const Graph& composite_body(const Operator& op);
// How bodies become graphs that are no IR text. The layer that knows the language provides it.
using CompileBody = std::unique_ptr<Graph> (*)(const Operator& op);
void provide_body_compiler(CompileBody fn);

// Does the node run a graph of its own: a function's, a group's?
bool holds_graph(const Node* node);
// A call that torch.jit.fork makes (prims.h): of a graph that calls the function and gives a tuple
// of its result.
bool is_task(const Node* node);
bool has_tasks(const Block* block);
// The function that a call is of, a task's too.
const std::shared_ptr<Graph>& function_of_call(const Node* node);
// What a node runs that calls a function, holds a group, or is composite; null for any other.
const Graph* callee_of(const Node* node);
Site site_of(const Node* node);
// The arguments of a node's operator that it leaves to the schema's defaults. Throws Error when one
// has none.
std::span<const SchemaArg> missing_arguments(const Node* node);
// What a Scalar operator gives for these arguments, if they are known: operators that read only
// metadata need no more of a tensor than its complete type. Throws what the operator throws.
std::optional<std::vector<IValue>> known_scalars(const Operator& op, std::span<const ArgInfo> args);

}  // namespace fusillade
