// Texts of random tensors, in the words of case files:
//
//   f32[4,5]                                contiguous
//   f32[4,5] strides=[1,4] offset=3         so laid out, 3 elements into a larger buffer
//   view of x offset=1 f32[2] strides=[3]   elements of the tensor x; it begins at its buffer's 1
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "engine/ops/ivalue.h"
#include "engine/tensor/tensor.h"

namespace fusillade::cli {

// The tensor that an earlier input of that name has; throws Error where there is none.
using NamedTensor = std::function<Tensor(const std::string& name)>;

// A dtype that our tensors lack, and the text of what stands for it: "c64[3]" is complex64, sent
// as "f32[3,2]"; "u16[4]" is uint16, sent as "i16[4]". None: it is one of ours, or none at all.
struct StandIn {
  std::string dtype, sent;
};
std::optional<StandIn> find_stand_in(const std::string& text, const std::string& where);

// "int", "float" and "bool": a number of that type; none: another text.
std::optional<IValue> random_number(const std::string& text, uint64_t seed, uint64_t stream);

// Standard normal floats, small integers, fair bools. `where` begins a message. Throws Error.
Tensor random_tensor(const std::string& text, const std::string& where, uint64_t seed,
                     uint64_t stream, const NamedTensor& named);

}  // namespace fusillade::cli
