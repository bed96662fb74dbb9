// See json_text.h.
#include "engine/run/exported/json_text.h"

#include <cmath>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/ops/text.h"

namespace fusillade::exported {

std::string quote(std::string_view text) {
  constexpr char32_t kFirstLone = 0xDC80, kLastLone = 0xDCFF;  // bytes that decode_utf8 preserves
  for (const char32_t c : decode_utf8(std::string(text)))
    if (c >= kFirstLone && c <= kLastLone) fail("a text that is no UTF-8 cannot be written");
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    if (code < 0x20) out += fmt::format("\\u{:04x}", code);
    else out += c;
  }
  return out + '"';
}

std::string real_text(double value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  return python_float_text(value);
}

std::string array_text(const std::vector<std::string>& items) {
  return "[" + join(items, ", ") + "]";
}

std::string only(std::string_view key, std::string_view value) {
  return fmt::format("{{\"{}\": {}}}", key, value);
}

std::string name_text(std::string_view name) { return only("name", quote(name)); }

}  // namespace fusillade::exported
