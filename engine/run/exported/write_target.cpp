// See write_target.h. (law: rules name ops)
#include "engine/run/exported/write_target.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace fusillade::exported {
namespace {

constexpr std::string_view kNamespace = "aten::";

// Those that PyTorch 2 has not, or has for TorchScript alone.
constexpr std::string_view kLacking[] = {
    "aten::_scaled_dot_product_attention",
    "aten::frobenius_norm",
    "aten::std.float_correction",
    "aten::std_mean.float_correction",
    "aten::stft.aligned",
    "aten::symeig",
    "aten::var.float_correction",
    "aten::var_mean.float_correction",
};
constexpr std::string_view kConstants[] = {
    "aten::tensor",          "aten::tensor.bool",    "aten::tensor.float",
    "aten::tensor.int",      "aten::as_tensor.bool", "aten::as_tensor.float",
    "aten::as_tensor.int",   "aten::as_tensor.list", "prim::NumToTensor.Scalar",
    "prim::NumToTensor.bool"};
constexpr std::string_view kConversions[] = {"aten::as_tensor", "aten::cpu", "aten::to.prim_Device",
                                             "aten::to.prim_dtype", "aten::to.prim_other"};
constexpr std::string_view kGradients[] = {"aten::grad", "aten::backward", "aten::_backward",
                                           "aten::retain_grad", "prim::grad"};
constexpr std::string_view kReserved[] = {
    "False", "None",     "True",  "and",    "as",   "assert",   "async",  "await",     "break",
    "class", "continue", "def",   "del",    "elif", "else",     "except", "finally",   "for",
    "from",  "global",   "if",    "import", "in",   "is",       "lambda", "nonlocal",  "not",
    "or",    "pass",     "raise", "return", "try",  "while",    "with",   "yield",     "self",
    "torch", "device",   "inf",   "nan",    "math", "operator", "pytree", "fx_pytree", "NoneType"};

bool is_among(std::string_view name, const auto& rows) {
  return std::ranges::find(rows, name) != std::end(rows);
}

bool has_tensors(const std::vector<SchemaArg>& args) {
  return std::ranges::any_of(args, [](const SchemaArg& a) {
    const Type& type = a.type.is(TypeKind::Optional) ? a.type.element() : a.type;
    return type.is_tensor() || (type.is(TypeKind::List) && type.element().is_tensor());
  });
}

}  // namespace

Written written_as(const Operator& op) {
  if (is_among(op.name, kConstants)) return Written::Constant;
  if (is_among(op.name, kConversions)) return Written::Conversion;
  if (is_among(op.schema.name, kGradients)) return Written::Never;
  if (op.kind == OpKind::Scalar || op.kind == OpKind::Prim) return Written::Computed;
  const bool of_aten = op.name.starts_with(kNamespace) && !is_among(op.name, kLacking);
  const bool gives_tensors = has_tensors(op.schema.results);
  const bool effect = op.schema.results.empty() && has_tensors(op.schema.args);
  if (of_aten && (gives_tensors || effect)) return Written::Call;
  return op.kind == OpKind::Composite ? Written::Computed : Written::Never;
}

std::string target_of(const Operator& op) {
  const std::string& overload = op.schema.overload;
  return "torch.ops.aten." + op.schema.name.substr(kNamespace.size()) + "." +
         (overload.empty() ? "default" : overload);
}

std::string short_name(const Operator& op) { return op.schema.name.substr(kNamespace.size()); }

std::string plain_name(const std::string& wanted) {
  std::string out;
  for (const char c : wanted)
    out += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
  if (out.find_first_not_of("_0123456789") == out.npos) out.insert(0, "arg");
  if (std::isdigit(static_cast<unsigned char>(out[0]))) out.insert(0, "_");
  if (is_among(out, kReserved)) out += "_1";
  return out;
}

}  // namespace fusillade::exported
