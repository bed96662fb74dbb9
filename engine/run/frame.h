// What both executors share: checking a call's inputs, errors that show the user's line.
#pragma once

#include <vector>

#include "engine/ir/graph.h"
#include "engine/ops/fits.h"

namespace fusillade {

// Is the value of this type, including what the type says of its tensors? Lists and dicts item by
// item.
bool fits(const IValue& v, const Type& type, SymbolSizes& bound);

// Throws Error when the number of inputs is wrong or one is not of its parameter's declared type
// (kind, and for tensors whatever dtype, sizes and strides are declared): passes rely on those
// types.
void check_inputs(const Graph& graph, const std::vector<IValue>& inputs);

// Within the handler of `e`: throws it again with the node's location in the user's source, or as
// it is when the message shows one already.
[[noreturn]] void rethrow_at(const Error& e, const Node* node);

}  // namespace fusillade
