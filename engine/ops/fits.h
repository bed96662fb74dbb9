// Is a tensor what a type says of it? Asked of arguments before a call, and of values by
// prim::TypeCheck.
#pragma once

#include <vector>

#include "engine/ops/type.h"
#include "engine/tensor/tensor.h"

namespace fusillade {

// The size bound to each symbol: one symbol, one size.
using SymbolSizes = std::vector<std::pair<int64_t, int64_t>>;

// `bound` grows by the symbols of `info` that it did not know.
bool tensor_fits(const Tensor& t, const TensorInfo& info, SymbolSizes& bound);

}  // namespace fusillade
