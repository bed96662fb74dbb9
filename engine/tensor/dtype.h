// The ten dtypes as rows: names, size, category, ATen's scalar-type code; and ATen's promotion.
//
// Arithmetic happens in one of four compute models, never in the narrow types themselves: f16 and
// bf16 compute in float and round on store; u8..i32 compute in int64 and wrap on store (two's
// complement, so the low bits are those of narrow arithmetic). `compute_of` is the one place that
// says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fusillade {

enum class DType : uint8_t { Bool, U8, I8, I16, I32, I64, F16, BF16, F32, F64 };
inline constexpr int kNumDTypes = 10;

enum class Model : uint8_t { Bool, I64, F32, F64 };
inline constexpr int kNumModels = 4;

enum class Category : uint8_t { Bool, Int, Float };

struct DTypeRow {
  DType dtype;
  const char* name;   // "f32": command line, case files
  const char* title;  // "Float": TorchScript's IR text
  int aten_code;      // at::ScalarType, as it appears as an int in IR
  uint8_t size;       // bytes
  Category category;
  Model model;
  uint8_t significand;  // bits including the hidden one; for integers the value bits
};

const DTypeRow& row_of(DType dtype);
inline size_t size_of(DType dtype) { return row_of(dtype).size; }
inline const char* name_of(DType dtype) { return row_of(dtype).name; }
inline Model compute_of(DType dtype) { return row_of(dtype).model; }
inline Category category_of(DType dtype) { return row_of(dtype).category; }
inline bool is_float(DType dtype) { return category_of(dtype) == Category::Float; }
inline bool is_int(DType dtype) { return category_of(dtype) == Category::Int; }

// By name ("f32") or title ("Float"); throws Error listing the legal names.
DType dtype_from_name(std::string_view name);
// By ATen's code; throws Error.
DType dtype_from_aten(int64_t code);

// torch.promote_types: the smallest dtype both convert to (symmetric, associative enough for
// pairs).
DType promote(DType a, DType b);

// One operand of a promoting op, as at::result_type sees it.
struct Operand {
  enum class Rank : uint8_t { Dimensioned, ZeroDim, Number };  // Number: a Python scalar
  DType dtype;  // for a Number: Bool, I64 or F64 (promotes as Bool, I64, or the default dtype F32)
  Rank rank;
};

// at::result_type: dimensioned operands decide; 0-d tensors, then Python numbers, only raise the
// category.
DType result_type(const Operand* operands, size_t count);

}  // namespace fusillade
