// Rows of element-wise ops: what a definition says, and the plan, inference and eager run shared by all.
#pragma once

#include <string>
#include <vector>

#include "engine/ops/formula.h"

namespace fusillade {

enum class Promotion : uint8_t {
  Common,     // compute and result: at::result_type of the operands
  Float,      // the same, integers and bools becoming f32
  Predicate,  // compute in the common dtype, result bool
  Logical,    // operands become bools first (x != 0); result bool
  Target,     // the dtype given by argument `dtype_arg` (a code, or a tensor's dtype)
};

struct PointwiseDef {
  Promotion promotion = Promotion::Common;
  const Formula* real = nullptr;     // null: illegal for floats
  const Formula* integer = nullptr;  // null: illegal for integers
  const Formula* boolean = nullptr;  // null: integers' formula, in the I64 model
  bool bool_illegal = false;
  std::vector<int> operands;         // schema arguments in the formula's order
  std::vector<int> silent;           // operands that do not take part in promotion (where's condition)
  std::vector<double> absent;        // per operand: what None stands for (+-inf: the type's extreme)
  int unit_operand = -1;             // operand index that is dropped when it is the literal 1 (alpha) ...
  const Formula* unit_real = nullptr;     // ... in favour of these formulas
  const Formula* unit_integer = nullptr;
  int dtype_arg = -1;
  int divisor = -1;                  // operand that must not be 0 in integer arithmetic
  bool may_return_self = false;      // `to`: same dtype and no copy asked for
};

// Registers a row (and its in-place twin when `in_place`); returns it.
const Row& add_pointwise(const char* schema, PointwiseDef def, const char* family,
                         bool in_place = true);

// Strides of a fresh element-wise result of shape `full` over operands of these sizes and strides: the
// operands' common order of dimensions, as TensorIterator chooses it.
Dims elementwise_strides(const Dims& full, const std::vector<Dims>& sizes,
                         const std::vector<Dims>& strides);

}  // namespace fusillade
