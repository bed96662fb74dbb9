// Norms that keep no running statistics, by operators that write nothing.
#pragma once

#include "engine/ir/graph.h"

namespace fusillade {

// In place of batch_norm without training, or without statistics to keep, prim::batch_normal; of
// instance_norm without any, prim::instance_normal. What writes stays as it is.
void norms_without_writes(Graph& graph);

}  // namespace fusillade
