// Flags that are whole numbers without a sign: CLI11 itself takes "-1" for 2^64 - 1.
// Include it in a verb's .cpp only, like <CLI/CLI.hpp>.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <string>

namespace fusillade::cli {

inline const CLI::Validator kWhole(
    [](std::string& text) {
      uint64_t value = 0;
      const char* const end = text.data() + text.size();
      if (const auto read = std::from_chars(text.data(), end, value);
          read.ec == std::errc() && read.ptr == end)
        return std::string();
      return fmt::format("'{}' is not a whole number from 0 to 2^64 - 1", text);
    },
    "");

}  // namespace fusillade::cli
