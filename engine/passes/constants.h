// Constants as passes see them: equality by bits, hashing, and what may be written as a literal.
#pragma once

#include <cstddef>

#include "engine/ir/graph.h"

namespace fusillade {

// The constant behind a value, or nullptr.
const IValue* constant_of(const Value* v);
// Same kind and same bits (0.0 is not -0.0, 1 is not 1.0, NaN is itself); lists, tuples and tensors
// by content, tensors by strides too.
bool same_constant(const IValue& a, const IValue& b);
size_t hash_constant(const IValue& v);
// Is it a tensor or list: something with identity that a write could reach?
bool is_mutable(const IValue& v);

}  // namespace fusillade
