// Which nodes may be part of a group: by how their rows say they compute.
//
// A node may join when it has one tensor result, is pure, and every argument that shapes the
// computation (dims, sizes, flags) is constant. Scalars that are operands may vary between calls.
// Of lists two kinds are part of a group: one made for a join (cat, stack), and the views that a
// chunk or split gives, taken apart at once. They belong to the one node that reads them. Not
// joined: matrix products, creation, in-place writes; of random numbers normal ones.
#pragma once

#include "engine/ir/graph.h"

namespace fusillade::fuse {

// Kinds of rows, and composites made of these alone. Part: what a chunk or split gives. Scan: sums
// and products so far. Draw: uniform random numbers, and dropout.
enum Forms : unsigned {
  kPointwiseForms = 1,
  kReduceForms = 2,
  kViewForms = 4,
  kJoinForms = 8,
  kPartForms = 16,
  kScanForms = 32,
  kDrawForms = 64,
  kAllForms = 127
};

bool joins(const Node* node, unsigned forms);
// The node that a list belongs to; null: it is no such list.
const Node* reader_of_part(const Node* list);
bool hands_on_memory(const Node* node);  // its results may be memory of its inputs

}  // namespace fusillade::fuse
