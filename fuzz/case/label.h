// What a case file calls an input of its program: the value's own name, or "input<i>".
#pragma once

#include <cstddef>
#include <string>

#include "engine/ir/graph.h"

namespace fusillade::fuzz {

std::string input_label(const Graph& graph, size_t i);

}  // namespace fusillade::fuzz
