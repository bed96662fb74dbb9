// Matrix products and convolutions as parts of a group: small ones only, whose rows take longer to
// begin than to compute. A group with a larger one is declined, and its rows are grouped anew with
// products outside.
#pragma once

#include <optional>

#include "engine/ir/graph.h"
#include "engine/ops/conv.h"

namespace fusillade::fuse {

bool computes_product(const Row& row);
bool holds_products(const Graph& group);
// By how many multiplications; none where a type is not known. Throws what its row throws.
std::optional<int64_t> multiplications(const Node* node);
// Does a kernel take no longer than the row? Where the type is known.
bool is_small_product(const Node* node, int64_t multiplications);
bool pads(const Convolution& c);  // with at least one zero
// Is this input read for many elements of the result, so that it should lie in memory? What is
// copied among zeros is read once.
bool reads_over_and_over(const Node* product, int input);
// The inputs that its elements are made of.
std::vector<int> factors_and_bias(const Node* product);

}  // namespace fusillade::fuse
