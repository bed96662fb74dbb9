// JSON as it is written into archives of torch.export: small pieces of text, put together.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace fusillade::exported {

// With its quotes. Throws Error for bytes that are no UTF-8.
std::string quote(std::string_view text);
// A number; what JSON has no number for is a string, as the schema wants it: "Infinity".
std::string real_text(double value);
inline const char* flag_text(bool value) { return value ? "true" : "false"; }
// "[a, b]" of texts.
std::string array_text(const std::vector<std::string>& items);
// {"key": value}: how the schema says of which kind a value is.
std::string only(std::string_view key, std::string_view value);
// {"name": "x"}
std::string name_text(std::string_view name);

}  // namespace fusillade::exported
