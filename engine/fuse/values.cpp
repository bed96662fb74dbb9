// See values.h.
#include "engine/fuse/values.h"

namespace fusillade::fuse {

Expr literal_as(const IValue& v, DType dtype) {
  if (dtype == DType::Bool) return Expr::imm_i(v.as_double() != 0);
  Model model = formula_model(dtype);
  if (model == Model::I64) {
    int64_t i = v.is_float() ? static_cast<int64_t>(v.as_double()) : v.as_int();
    return round_to(Expr::imm_i(i), dtype);
  }
  constexpr int64_t kMaxExactInt = int64_t{1} << 53;  // up to here float64 holds all integers
  if (v.is_int() && (v.as_int() < -kMaxExactInt || v.as_int() > kMaxExactInt))
    return round_to(convert(Expr::imm_i(v.as_int()), model), dtype);
  return round_to(Expr::imm_f(v.as_double(), model), dtype);
}

}  // namespace fusillade::fuse
