// Which nodes may be part of a group: by how their rows say they compute.
//
// A node may join when it has one tensor result, is pure, and every argument that shapes the
// computation (dims, sizes, flags) is constant. Scalars that are operands may vary between calls.
// Not joined: matrix products, concatenation, creation, random numbers, in-place writes.
#pragma once

#include "engine/ir/graph.h"

namespace fusillade::fuse {

// Kinds of rows, and composites made of these alone.
enum Forms : unsigned { kPointwiseForms = 1, kReduceForms = 2, kViewForms = 4 };

bool joins(const Node* node, unsigned forms);

}  // namespace fusillade::fuse
