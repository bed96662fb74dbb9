// May running a node raise an error? What may not can be run earlier, or where it was not run at
// all.
#pragma once

#include "engine/ir/graph.h"

namespace fusillade {

// Conservative: false only where its inputs' types and constants prove that the call is legal.
bool may_raise(const Node* node);

// The same of a view that may go: of those that only name dimensions the rank decides.
bool view_may_raise(const Node* node);

}  // namespace fusillade
