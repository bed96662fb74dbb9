// Python's spellings and the ops they mean: the one place of the front end that names ops.
// law: rules name ops
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ops/operator.h"

namespace fusillade::front {

namespace op {
inline constexpr const char* kNot = "aten::__not__";
inline constexpr const char* kBool = "aten::Bool";
inline constexpr const char* kInt = "aten::Int";
inline constexpr const char* kFloat = "aten::Float";
inline constexpr const char* kNeg = "aten::neg";
inline constexpr const char* kInvert = "aten::bitwise_not";
inline constexpr const char* kContains = "aten::__contains__";
inline constexpr const char* kLen = "aten::len";
inline constexpr const char* kGetItem = "aten::__getitem__";
inline constexpr const char* kSetItem = "aten::_set_item";
inline constexpr const char* kSelect = "aten::select";
inline constexpr const char* kSlice = "aten::slice";
inline constexpr const char* kUnsqueeze = "aten::unsqueeze";
inline constexpr const char* kCopy = "aten::copy_";
inline constexpr const char* kFull = "aten::full";
inline constexpr const char* kTo = "aten::to";
inline constexpr const char* kRangeLength = "aten::__range_length";
inline constexpr const char* kDeriveIndex = "aten::__derive_index";
inline constexpr const char* kUncheckedCast = "prim::unchecked_cast";
inline constexpr const char* kTupleIndex = "prim::TupleIndex";
inline constexpr const char* kMin = "prim::min";
inline constexpr const char* kIsInstance = "prim::isinstance";
inline constexpr const char* kPrint = "prim::Print";
inline constexpr const char* kFormat = "aten::format";
inline constexpr const char* kPercent = "aten::percentFormat";
inline constexpr const char* kIntPower = "aten::pow.int_to_int";
inline constexpr const char* kRoundDigits = "prim::round_digits";
inline constexpr const char* kTensor = "aten::tensor";
inline constexpr const char* kAsTensor = "aten::as_tensor";
inline constexpr const char* kEmpty = "aten::empty";
inline constexpr const char* kIndex = "aten::index";
inline constexpr const char* kIndexPut = "aten::index_put_";
inline constexpr const char* kEqual = "prim::equal";
inline constexpr const char* kCanCast = "aten::can_cast";
inline constexpr const char* kDelete = "aten::Delete";
inline constexpr const char* kEnumValue = "prim::EnumValue";
}  // namespace op

// Each nullptr when the attribute is not one of these.
const char* tensor_attribute(std::string_view name);  // shape, dtype, T, ...
const char* device_attribute(std::string_view name);  // type, index
const char* enum_attribute(std::string_view name);    // name, value
std::string tensor_attributes();                      // for messages
// Ops of a built-in function, tried in order; empty when unknown. `tensor`: of its first argument.
std::vector<std::string> builtin_ops(std::string_view name, bool tensor);
std::vector<std::string> builtin_names();
// Methods of strings, lists and dicts.
bool is_method(TypeKind self, std::string_view name);
std::vector<std::string> methods_of(TypeKind self);
bool resizes(std::string_view method);  // of a list or dict
const char* in_place_view(
    std::string_view method);  // "unsqueeze" for unsqueeze_, of a tensor; null for others
bool may_give_itself(std::string_view base);          // a view of a tensor that may be the tensor
std::string string_keyword(const std::string& word);  // sep is ATen's separator

// The op that implicitly converts a Tensor or a Scalar to a number; nullptr for none.
const char* implicit_op(const Type& from, const Type& to);

// `number op tensor` where no overload takes it: TorchScript swaps the operands.
struct Turned {
  const char* base;
  const char* first;   // applied to the tensor; may be null
  const char* second;  // then (tensor, number)
};
const Turned* turned_op(std::string_view base);

// torch.float32, math.pi.
std::optional<IValue> module_constant(const std::string& path);
// x.float() is x.to(torch.float32).
std::optional<DType> converting_method(std::string_view name);
std::string dtype_constant(DType dtype);    // "torch.float32"
bool names_dtype(const std::string& path);  // of a path: "torch.float"
std::vector<std::string>
dtype_texts();  // what Python shows, by ATen's numbers; empty where this engine has no such dtype
// "aten::relu" for torch.relu, torch.nn.functional.relu, math.sqrt; empty for other paths.
std::string module_op(const std::string& path);
std::string method_op(const std::string& name);
// The names that method_op and module_op know, for near misses.
std::vector<std::string> op_names();

}  // namespace fusillade::front
