// Types of generated scripts: how they are composed and written, and values of them.
#pragma once

#include <string>
#include <vector>

#include "engine/ops/ivalue.h"
#include "engine/ops/type.h"
#include "fuzz/gen/generate.h"

namespace fusillade::fuzz {

// Is it a named tuple or an enum, or holds such?
bool is_named(const Type& type);
// Floats: Python's containers find one nan equal to itself, by identity, which values here have
// not. Or tensors.
bool may_hold_nan(const Type& type);
// Has it an order in Python and here, whatever its values?
bool is_int_or_str(const Type& type);
// Has it several options, or holds it such?
bool is_wide(const Type& type);
// Can a parameter's default be a literal of it?
bool has_plain_literal(const Type& type);
// A contiguous tensor as inputs of programs are: on the cpu, without gradient.
Type input_tensor(DType dtype, const Dims& sizes);
// Those of a Union or an Optional; else the type alone.
std::vector<Type> options_of(const Type& type);
// "Tuple[int, List[float]]": as an annotation.
std::string annotation(const Type& type);
// A value of a parameter of that type.
IValue draw_value(Choices& choices, const Type& type);
IValue draw_tensor_value(Choices& choices, const TensorInfo& info);
// Elements between lo and hi.
IValue draw_indices(Choices& choices, const TensorInfo& info, int64_t lo, int64_t hi);

}  // namespace fusillade::fuzz
