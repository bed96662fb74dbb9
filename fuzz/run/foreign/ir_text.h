// A graph's text as PyTorch's own parse_ir takes it and its executor runs it: one result, a tuple;
// and no constants that its parser does not make rightly: lists that are empty, inf and nan.
#pragma once

#include "engine/ir/graph.h"

namespace fusillade::fuzz {

std::string ir_text(const Graph& graph);

}  // namespace fusillade::fuzz
