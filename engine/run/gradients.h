// Which programs record gradients: those with an operator that asks for them, or that makes a
// tensor which requires one. Their engines run them under a tape, after passes that keep what it
// sees.
#pragma once

#include "engine/ir/graph.h"

namespace fusillade {

bool asks_gradients(const Graph& graph);

}  // namespace fusillade
