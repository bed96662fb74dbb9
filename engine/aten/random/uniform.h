// Which operators draw random numbers from the stream (tensor/random.h), element by element.
#pragma once

#include <span>

#include "engine/ops/operator.h"

namespace fusillade {

// Makes a tensor of numbers in [0, 1): that at offset i in its memory is the stream's number
// position + i, rounded from double to the dtype.
bool draws_uniform(const Operator& op);
// Is it a dropout that drops for certain, whose result is therefore no memory of its operand?
bool drops(const Operator& op, std::span<const ArgInfo> args);

}  // namespace fusillade
