// The operators of Python's expressions: how each is written, the op it means, and the methods of a
// class that stand for it.
#pragma once

#include <cstdint>
#include <string_view>

namespace fusillade::front {

enum class Sign : uint8_t {
  None,
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  MatMul,
  BitAnd,
  BitOr,
  BitXor,
  ShiftLeft,
  ShiftRight,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  Is,
  IsNot,
  In,
  NotIn,
  Invert,
  Not,
  And,
  Or,
};

struct SignRow {
  std::string_view text;
  const char* op = nullptr;  // of two values; null where none is called so
  const char* in_place =
      nullptr;                   // of `a += b` on tensors and lists; ** has none, as in TorchScript
  const char* method = nullptr;  // of the class of the left operand
  const char* turned = nullptr;  // of that of the right one
};

const SignRow& sign_row(Sign sign);
Sign sign_of(std::string_view text);  // None: there is no such operator
inline std::string_view text_of(Sign sign) { return sign_row(sign).text; }
const char* op_of(Sign sign, bool tensor_left = false);

inline bool is_equality(Sign s) { return s == Sign::Equal || s == Sign::NotEqual; }
inline bool is_identity(Sign s) { return s == Sign::Is || s == Sign::IsNot; }
inline bool is_membership(Sign s) { return s == Sign::In || s == Sign::NotIn; }
inline bool is_ordering(Sign s) { return s >= Sign::Less && s <= Sign::GreaterEqual; }

}  // namespace fusillade::front
