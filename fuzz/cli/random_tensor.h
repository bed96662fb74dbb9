// Texts of random tensors, in the words of case files:
//
//   f32[4,5]                                contiguous
//   f32[4,5] strides=[1,4] offset=3         so laid out, 3 elements into a larger buffer
//   view of x offset=1 f32[2] strides=[3]   elements of the tensor x; it begins at its buffer's 1
#pragma once

#include <functional>
#include <string>

#include "engine/tensor/tensor.h"

namespace fusillade::cli {

// The tensor that an earlier input of that name has; throws Error where there is none.
using NamedTensor = std::function<Tensor(const std::string& name)>;

// Standard normal floats, small integers, fair bools. `where` begins a message. Throws Error.
Tensor random_tensor(const std::string& text, const std::string& where, uint64_t seed,
                     uint64_t stream, const NamedTensor& named);

}  // namespace fusillade::cli
