// The code of a Python text: what it says, without what it only quotes.
//
//   return f"no scale for {scale(x):d} rows"  # or scale
//   return                 scale(x)
#pragma once

#include <string>
#include <string_view>

namespace fusillade::cli {

// The text with comments and strings, their prefixes included, blanked. Of an f-string stay the
// expressions between its braces. Each byte keeps its place, and each line its end. Source:
// "Lexical analysis" in the Python language reference.
std::string code_of(std::string_view text);

}  // namespace fusillade::cli
