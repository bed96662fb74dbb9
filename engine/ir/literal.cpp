// See literal.h.
#include "engine/ir/literal.h"

#include <fmt/format.h>

#include "engine/base/text.h"

namespace fusillade {

std::string quote(const std::string& text) {
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
    out += " " + (is_float(t.dtype()) ? hexadecimal_float_text(element_as_double(t, i))
                                      : std::to_string(element_as_int(t, i)));
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
      return torchscript_float_text(v.as_double());
    case IValue::Tag::Device:
      return quote(to_string(v.as_device()));
    case IValue::Tag::Str:
      return quote(v.as_str());
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
