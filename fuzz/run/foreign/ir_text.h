// A graph's text as PyTorch's own parse_ir takes it and its executor runs it: one result, a tuple;
// and no constants that are empty lists, which that parser makes without a type.
#pragma once

#include "engine/ir/graph.h"

namespace fusillade::fuzz {

std::string ir_text(const Graph& graph);

}  // namespace fusillade::fuzz
