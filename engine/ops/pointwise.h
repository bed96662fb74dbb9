// Operators of element-wise ops: what a definition says, and the plan, inference and eager run
// shared by all.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/ops/formula.h"
#include "engine/tensor/iterate.h"

namespace fusillade {

enum class Promotion : uint8_t {
  Common,     // compute and result: at::result_type of the operands
  Float,      // the same, integers and bools becoming f32
  Predicate,  // compute in the common dtype, result bool
  Logical,    // operands become bools first (x != 0); result bool
  Target,     // the dtype of argument `dtype_arg` (a code, a tensor's dtype, None: self's), or
              // dtype_code
};

// How a fresh result lies in memory: as the operands have it in common, as self does, or the usual
// way.
enum class Lies : uint8_t { Common, AsSelf, Usual };

// Other formulas for one value of a str argument (rounding_mode, approximate).
struct PointwiseMode {
  const char* name;  // null: None
  Promotion promotion;
  const Formula* real;
  const Formula* integer;
};

// Other formulas when an operand is a literal of this value, or None where the value is NaN; the
// operand is then dropped.
struct PointwiseSpecial {
  int operand;
  double value;
  const Formula* real;
  const Formula* integer;
};

// Throws Error when arguments that are well typed are illegal all the same.
using PointwiseCheck = void (*)(const Operator& op, std::span<const ArgInfo> args,
                                const PointwisePlan& plan);

struct PointwiseDef {
  Promotion promotion = Promotion::Common;
  const Formula* real = nullptr;     // null: illegal for floats
  const Formula* integer = nullptr;  // null: illegal for integers
  const Formula* boolean = nullptr;  // null: integers' formula, in the I64 model
  const Formula* half = nullptr;     // f16, where ATen's kernel is another; then without `specials`
  std::vector<const Formula*> elsewhere;  // other formulas for floats, as legal in external engines
  bool bool_illegal = false;
  bool bool_as_int = false;    // computes bools as i64, and results in it
  std::vector<int> operands;   // schema arguments in the formula's order
  std::vector<int> silent;     // arguments that do not take part in promotion (where's condition)
  std::vector<int> checked;    // Scalars that must fit the compute dtype (silent ones always must)
  std::vector<double> absent;  // per operand: the value that None means (see absent_literal)
  std::vector<PointwiseSpecial> specials;
  int mode_arg = -1;  // the str argument that chooses among `modes`
  std::vector<PointwiseMode> modes;
  PointwiseCheck check = nullptr;
  int dtype_arg = -1;
  int dtype_code = -1;           // Target without a dtype argument: ATen's code; -1: self's dtype
  bool one_dtype = false;        // tensors do not promote: their dtypes must agree
  int divisor = -1;              // operand that must not be 0: in integer arithmetic, or by `check`
  bool may_return_self = false;  // `to`: same dtype and no copy asked for
  Lies lies = Lies::Common;
  bool reads_nan_sign = false;     // distinguishes NaNs by sign, as no Expr does: not for kernels
  bool wraps_numbers = false;      // its numbers count as operands without dims; found by its name
  bool converts = false;           // the operand in the result's dtype, and nothing else
  bool generate = true;            // Operator::generate
  std::optional<Device> moves_to;  // Operator::moves_to
  const char* in_place_name = nullptr;  // full name of the in-place form; null: the name with "_"
};

// The value of an operand that is None. For an `absent` of +-infinity: the extreme of the type;
// +-DBL_MAX: the largest finite value; anything else: itself.
IValue absent_literal(double value, DType compute);

// Does Scalar::to<dtype> accept the number? Negative numbers wrap into u8, infinities are floats.
bool scalar_fits(const IValue& number, DType dtype);
// Does it accept every number of this static type?
bool scalar_always_fits(const Type& number, DType dtype);

// Registers an operator (and its in-place form when `in_place`); returns it.
const Operator& add_pointwise(const char* schema, PointwiseDef def, const char* family,
                              bool in_place = true);

// One operand's layout. At most kMaxOperands of them meet in one element-wise operator.
struct OperandLayout {
  const Dims* sizes;
  const Dims* strides;
};

// Strides of a fresh element-wise result of shape `full` over operands of these layouts, as
// TensorIterator chooses them. `numbers`: there are operands besides that have no dims.
Dims elementwise_strides(const Dims& full, std::span<const OperandLayout> operands, bool numbers);

}  // namespace fusillade
