// Matrix products and convolutions as parts of a group: small ones only, whose operators take
// longer to begin than to compute. A group with a larger one is declined, and its operators are
// grouped anew with products outside.
#pragma once

#include "engine/aten/conv/conv.h"
#include "engine/ir/graph.h"

namespace fusillade::fuse {

bool computes_product(const Operator& op);
bool holds_products(const Graph& group);
// Does a kernel take no longer than the operator? None: it takes longer, or the node is illegal or
// not supported. NotKnown: types decide later.
enum class ProductFit : uint8_t { Small, None, NotKnown };
ProductFit fit_of_product(const Node* node);
bool pads(const Convolution& c);  // with at least one zero
// Is this input read for many elements of the result, so that it should lie in memory? What is
// copied among zeros is read once.
bool reads_over_and_over(const Node* product, int input);
// The inputs that its elements are computed from.
std::vector<int> factors_and_bias(const Node* product);

}  // namespace fusillade::fuse
