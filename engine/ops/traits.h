// Traits: what passes, fusers and generators need to know of operators beyond their kind. The
// `traits` lines of entries (entry.h) state them, by exact names.
//
//   aten::cat, aten::stack
//       traits join
#pragma once

#include <string_view>
#include <vector>

#include "engine/ops/operator.h"

namespace fusillade {

enum class Trait : uint8_t {
  Join,      // puts tensors one behind the other (aten/join/join.h)
  Sums,      // adds up along a dimension (aten/sort/choose.h)
  Products,  // multiplies up along one
  Greatest,  // finds where the greatest element of a line is (aten/sort/choose.h)
  Least,
  Uniform,        // makes a tensor of random numbers in [0, 1) (aten/random/uniform.h)
  Drops,          // a dropout
  Reshapes,       // gives a tensor other sizes in its place (aten/view/reshape_in_place.h)
  Expands,        // a view of more elements than its operand has
  DynamicShape,   // elements decide sizes of its results (PyTorch's tag dynamic_output_shape)
  Unwritten,      // gives memory that nobody wrote
  Commutes,       // its first two operands, if alike, may be exchanged, bit for bit but for NaNs
  Total,          // never raises: of numbers, or of elements of any dtype
  ByRank,         // a view that is legal or not by its operand's rank
  SlicesDim,      // a view of indices along a dimension: of (operand, dimension, first, ...)
  KeepsOrder,     // the operand's elements in their order, with other sizes or strides
  MatrixProduct,  // of two matrices, their product
  Conjugated,     // of complex numbers: PyTorch gives a view that is conjugated when it is read
  Refused         // always raises: what it is about is not done here
};

// Of one line. Throws Error that names what is legal.
std::vector<Trait> parse_traits(std::string_view line);

bool has_trait(const Operator& op, Trait trait);

}  // namespace fusillade
