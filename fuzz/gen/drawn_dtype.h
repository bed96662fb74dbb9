// Dtypes of generated tensors.
#pragma once

#include "engine/tensor/dtype.h"
#include "fuzz/gen/generate.h"

namespace fusillade::fuzz {

// An integer or bool with this chance; else a float, oftenest f32.
DType drawn_dtype(Choices& choices, double integers);
DType drawn_integer(Choices& choices);  // or bool
DType drawn_float(Choices& choices);

}  // namespace fusillade::fuzz
