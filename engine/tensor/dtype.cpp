// The dtype table and ATen's promotion.
#include "engine/tensor/dtype.h"

#include "engine/base/error.h"

namespace fusillade {
namespace {

constexpr DTypeRow kRows[kNumDTypes] = {
    {DType::Bool, "bool", "Bool", 11, 1, Category::Bool, Model::Bool, 1},
    {DType::U8, "u8", "Byte", 0, 1, Category::Int, Model::I64, 8},
    {DType::I8, "i8", "Char", 1, 1, Category::Int, Model::I64, 7},
    {DType::I16, "i16", "Short", 2, 2, Category::Int, Model::I64, 15},
    {DType::I32, "i32", "Int", 3, 4, Category::Int, Model::I64, 31},
    {DType::I64, "i64", "Long", 4, 8, Category::Int, Model::I64, 63},
    {DType::F16, "f16", "Half", 5, 2, Category::Float, Model::F32, 11},
    {DType::BF16, "bf16", "BFloat16", 15, 2, Category::Float, Model::F32, 8},
    {DType::F32, "f32", "Float", 6, 4, Category::Float, Model::F32, 24},
    {DType::F64, "f64", "Double", 7, 8, Category::Float, Model::F64, 53},
};

DType wider(DType a, DType b) { return static_cast<int>(a) > static_cast<int>(b) ? a : b; }

}  // namespace

const DTypeRow& row_of(DType dtype) { return kRows[static_cast<int>(dtype)]; }

DType dtype_from_name(std::string_view name) {
  std::string legal;
  for (const DTypeRow& r : kRows) {
    if (name == r.name || name == r.title) return r.dtype;
    legal += legal.empty() ? r.name : std::string(", ") + r.name;
  }
  fail("'{}' is not a dtype; the dtypes are: {}", name, legal);
}

DType dtype_from_aten(int64_t code) {
  for (const DTypeRow& r : kRows) {
    if (code == r.aten_code) return r.dtype;
  }
  fail(
      "scalar type {} is not supported; the codes are 0 u8, 1 i8, 2 i16, 3 i32, 4 i64, 5 f16, 6 "
      "f32, "
      "7 f64, 11 bool, 15 bf16",
      code);
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  Category ca = category_of(a);
  Category cb = category_of(b);
  if (ca != cb) return static_cast<int>(ca) > static_cast<int>(cb) ? a : b;
  if (ca == Category::Int && (a == DType::U8 || b == DType::U8)) {
    DType other = a == DType::U8 ? b : a;
    return other == DType::I8 ? DType::I16 : other;
  }
  if (ca == Category::Float && wider(a, b) == DType::BF16) return DType::F32;  // f16 with bf16
  return wider(a, b);
}

DType result_type(const Operand* operands, size_t count) {
  // Best dtype per rank class, as ATen keeps them: dimensioned, 0-d, numbers.
  bool has[3] = {};
  DType best[3] = {};
  for (size_t i = 0; i < count; ++i) {
    int k = static_cast<int>(operands[i].rank);
    DType d = operands[i].dtype;
    if (operands[i].rank == Operand::Rank::Number && d == DType::F64) d = DType::F32;
    best[k] = has[k] ? promote(best[k], d) : d;
    has[k] = true;
  }
  bool any = false;
  DType result = DType::Bool;
  for (int k = 0; k < 3; ++k) {
    if (!has[k]) continue;
    if (!any) {
      result = best[k];
      any = true;
    } else if (static_cast<int>(category_of(best[k])) > static_cast<int>(category_of(result))) {
      result = promote(result, best[k]);
    }
  }
  return result;
}

}  // namespace fusillade
