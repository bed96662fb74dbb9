// Rewrites that a pattern of ops and variables cannot say: they compare lists of constants, read
// static types, or forward the items of a list. One function per rule in structural.cpp.
#pragma once

#include <vector>

#include "engine/passes/effects.h"
#include "engine/passes/pass.h"

namespace fusillade {

// Tries every structural rule on the node; true when one fired (the node is gone then).
bool apply_structural(Node* node, Effects& effects, Rewriter& rewriter);

// What such rules look for, where a pattern (rule.h) says it but for their conditions.
std::vector<const char*> structural_left_sides();

}  // namespace fusillade
