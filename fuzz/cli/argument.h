// Values of a program's parameters as they are written on the command line.
#pragma once

#include <functional>
#include <string>

#include "engine/ir/graph.h"

namespace fusillade::cli {

// The random tensor of a text like "f32[2,3]"; throws Error.
using RandomTensor = std::function<IValue(const std::string& text)>;

// Python's literals: 3, -1.5, True, None, 'text', [1, 2], (1, 'a'), {'a': 1.5}; also true, false,
// none, inf and nan. Tensors, also within lists, tuples and dicts: f32[2,3] is random (f32[()] has
// no dimensions), npy('in.npy') a file. `wanted` decides between what a text may mean: an int is a
// float where a float is wanted, an unquoted word a str, and an empty list has the wanted items.
// Throws Error that says what was given, what is wanted and what can be written.
IValue argument_value(const std::string& text, const Type& wanted, const RandomTensor& random);

}  // namespace fusillade::cli
