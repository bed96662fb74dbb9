// Index arithmetic of views: which element of its input an element of a view is.
#pragma once

#include <vector>

#include "engine/ops/operator.h"

namespace fusillade::fuse {

// `view` is the geometry of a view over a contiguous base of `base_sizes`. Given the view's indices
// (one per dimension of view.sizes), returns the base's indices. Affine where each view dimension
// walks along one base dimension; otherwise through the linear offset with FloorDiv and FloorMod.
std::vector<Expr> base_indices(const ViewGeometry& view, const Dims& base_sizes,
                               const std::vector<Expr>& indices);

// `indices` of a broadcast result of rank indices.size(), narrowed to an operand of `sizes`:
// aligned right, 0 where the operand has size 1.
std::vector<Expr> broadcast_indices(const Dims& sizes, const std::vector<Expr>& indices);

}  // namespace fusillade::fuse
