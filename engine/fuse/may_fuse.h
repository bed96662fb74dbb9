// Which nodes may be part of a group: by how their operators say they compute.
//
// A node may fuse when it has one tensor result, is pure, and every argument that shapes the
// computation (dims, sizes, flags) is constant. Scalars that are operands may vary between calls.
// Of non-tensor values three kinds are part of a group: a list built for a join (cat, stack), the
// views that a chunk or split gives, decomposed at once, and the dtype of a tensor, which is known
// once the group's types are. They belong to the one node that reads them. Not fused: products
// known to be large (products.h), in-place writes, and normal random numbers.
#pragma once

#include "engine/fuse/cost.h"

namespace fusillade::fuse {

// Kinds of operators, and composites of these alone. Part: a result of a chunk or split. Scan:
// running sums and products. Product: of matrices, and convolutions, no composites of them. Draw:
// uniform random numbers, and dropout.
enum Forms : unsigned {
  kPointwiseForms = 1,
  kReduceForms = 2,
  kViewForms = 4,
  kJoinForms = 8,
  kPartForms = 16,
  kScanForms = 32,
  kProductForms = 64,
  kDrawForms = 128,
  kAllForms = 255
};

bool may_fuse(const Node* node, unsigned forms);
// Is the group, with it, no longer than what lowering takes?
bool has_room(const Node* node, Members group);
// Does it walk the elements that a member walks? Element by element: of sizes that are known and
// the same, or of the same tensors. Of one that reduces: it reduces the same tensor.
bool walks_alike(const Node* node, Members group);
// The node that a list or a dtype belongs to; null: it is nothing such.
const Node* reader_of_part(const Node* part);
bool knows_dtype(const Node* node);
bool hands_on_memory(const Node* node);  // its results may be memory of its inputs

}  // namespace fusillade::fuse
