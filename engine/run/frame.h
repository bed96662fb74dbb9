// What both executors share: checking a call's inputs, rows that no `run` is registered for, errors
// that show the user's line.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/ir/composite.h"

namespace fusillade {

// Nesting of calls beyond which a program is refused (option max_call_depth).
int max_call_depth();

// Throws Error when the number of inputs is wrong or one is not of its parameter's declared type
// (kind, and for tensors whatever dtype, sizes and strides are declared): passes rely on those
// types.
void check_inputs(const Graph& graph, const std::vector<IValue>& inputs);

// The arguments of a node's row that it does not pass itself, from the schema's defaults. Throws
// Error when one has no default.
std::vector<IValue> missing_arguments(const Node* node);

// Within the handler of `e`: throws it again with the node's place in the user's source, or as it
// is when the message shows one already.
[[noreturn]] void rethrow_at(const Error& e, const Node* node);

}  // namespace fusillade
