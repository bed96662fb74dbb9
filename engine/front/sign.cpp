// See sign.h. (law: rules name ops)
#include "engine/front/sign.h"

#include <algorithm>
#include <iterator>

namespace fusillade::front {
namespace {

// In the order of Sign.
constexpr SignRow kRows[] = {
    {""},
    {"+", "aten::add", "aten::add_", "__add__", "__radd__"},
    {"-", "aten::sub", "aten::sub_", "__sub__", "__rsub__"},
    {"*", "aten::mul", "aten::mul_", "__mul__", "__rmul__"},
    {"/", "aten::div", "aten::div_", "__truediv__", "__rtruediv__"},
    {"//", "aten::floordiv", "aten::floor_divide_", "__floordiv__"},
    {"%", "aten::remainder", "aten::remainder_", "__mod__"},
    {"**", "aten::pow", "aten::pow", "__pow__"},
    {"@", "aten::matmul", "aten::matmul", "__matmul__"},
    {"&", "aten::__and__", "aten::__iand__", "__and__"},
    {"|", "aten::__or__", "aten::__ior__", "__or__"},
    {"^", "aten::__xor__", "aten::__ixor__", "__xor__"},
    {"<<", "aten::__lshift__", "aten::__ilshift__", "__lshift__"},
    {">>", "aten::__rshift__", "aten::__irshift__", "__rshift__"},
    {"<", "aten::lt", nullptr, "__lt__", "__gt__"},
    {"<=", "aten::le", nullptr, "__le__", "__ge__"},
    {">", "aten::gt", nullptr, "__gt__", "__lt__"},
    {">=", "aten::ge", nullptr, "__ge__", "__le__"},
    {"==", "aten::eq", nullptr, "__eq__", "__eq__"},
    {"!=", "aten::ne", nullptr, "__ne__", "__ne__"},
    {"is", "aten::__is__"},
    {"is not", "aten::__isnot__"},
    {"in"},
    {"not in"},
    {"~"},
    {"not"},
    {"and"},
    {"or"},
};
static_assert(std::size(kRows) == static_cast<size_t>(Sign::Or) + 1);

}  // namespace

const SignRow& sign_row(Sign sign) { return kRows[static_cast<size_t>(sign)]; }

Sign sign_of(std::string_view text) {
  const SignRow* row = std::ranges::find(kRows, text, &SignRow::text);
  return row == std::end(kRows) ? Sign::None : static_cast<Sign>(row - kRows);
}

const char* op_of(Sign sign, bool tensor_left) {
  return sign == Sign::FloorDiv && tensor_left ? "aten::floor_divide" : sign_row(sign).op;
}

}  // namespace fusillade::front
