// See literal.h.
#include "engine/ir/literal.h"

#include <fmt/format.h>

#include <cmath>

namespace fusillade {

std::string print_float(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".";
  // "1.0" and "1." read back alike; TorchScript writes the shorter.
  if (text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0) text.pop_back();
  return text;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += std::string("\\") + c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 32 || c == 127) {
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));  // TorchScript reads no \x
    } else {
      out += c;
    }
  }
  return out + "\"";
}

namespace {
std::string tensor_literal(const Tensor& t) {
  std::string out = std::string("{") + name_of(t.dtype()) + "[";
  for (int d = 0; d < t.rank(); ++d) out += (d ? ", " : "") + std::to_string(t.sizes()[d]);
  out += "]:";
  for (int64_t i = 0; i < t.numel(); ++i) {
    double v = is_float(t.dtype()) ? element_as_double(t, i) : 0;
    std::string number = std::isnan(v) ? "nan" : fmt::format("{:a}", v);  // NaNs have no sign
    out += " " + (is_float(t.dtype()) ? number : std::to_string(element_as_int(t, i)));
  }
  return out + "}";
}
}  // namespace

std::string print_literal(const IValue& v) {
  switch (v.tag()) {
    case IValue::Tag::None:
      return "None";
    case IValue::Tag::Int:
      return std::to_string(v.as_int());
    case IValue::Tag::Bool:
      return v.as_bool() ? "1" : "0";
    case IValue::Tag::Float:
      return print_float(v.as_double());
    case IValue::Tag::Device:
      return quoted(to_string(v.as_device()));
    case IValue::Tag::Str:
      return quoted(v.as_str());
    case IValue::Tag::Tensor:
      return tensor_literal(v.as_tensor());
    case IValue::Tag::Enum:
      return describe(v);
    case IValue::Tag::Dict:
    case IValue::Tag::Object:
      FUS_BUG("{} is no constant", describe(v));
    default:
      break;
  }
  std::string out = "[";
  for (size_t i = 0; i < v.items().size(); ++i)
    out += (i ? ", " : "") + print_literal(v.items()[i]);
  return out + "]";
}

}  // namespace fusillade
