// Flags that are whole numbers without a sign: CLI11 itself takes "-1" for 2^64 - 1.
// Include it in a verb's .cpp only, like <CLI/CLI.hpp>.
#pragma once

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <string>

namespace fusillade::cli {

inline const CLI::Validator kWhole(
    [](std::string& text) {
      if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos) return std::string();
      return fmt::format("'{}' is not a whole number from 0 to 2^64 - 1", text);
    },
    "");

}  // namespace fusillade::cli
