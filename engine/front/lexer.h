// Script text to tokens: Python's lexical rules, with indentation as Indent and Dedent tokens.
//
// Offsets are bytes of the source, so a token is also a SourceRange. Inside brackets newlines and
// indentation mean nothing. f"a{b}" is FStart, Str "a", Op "(", the tokens of b, Op ")", FEnd. What
// is no Python (inconsistent indentation, an unterminated string, an unbalanced bracket, a
// character that no token starts with, numbers that do not fit) is a token Illegal. Reading goes on
// after it or at the next line, so that all such locations are known; the first 100 of them. What
// is Python but not taken (imaginary numbers, bytes, conversions in f-strings) is a token Refused.
// The parser reports an Illegal wherever it is, and a Refused where it parses it: a file may have
// one outside what is compiled. f"{a:5.2f}" is ("{:5.2f}".format(a)).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/graph.h"

namespace fusillade::front {

enum class Tok : uint8_t {
  Name,
  Int,
  Float,
  Str,
  Op,
  Newline,
  Indent,
  Dedent,
  End,
  FStart,
  FEnd,
  Refused,
  Illegal
};

struct Token {
  Tok kind = Tok::End;
  uint32_t begin = 0;
  uint32_t end = 0;
  std::string text;  // names, keywords and operators as written; strings decoded; Refused, Illegal:
                     // the message
  int64_t integer = 0;
  double real = 0;
};

using SourcePtr = std::shared_ptr<const Source>;

// "file:line:col: message", three lines of context and carets under [begin, end).
std::string message_at(const SourcePtr& source, uint32_t begin, uint32_t end,
                       std::string_view message);
// Throws that as Error.
[[noreturn]] void fail_at(const SourcePtr& source, uint32_t begin, uint32_t end,
                          std::string_view message);

// The last token is End. A byte order mark in front is read over. Throws Error for a text of more
// than a megabyte, with a NUL byte, or that is not UTF-8.
std::vector<Token> lex(const SourcePtr& source);
// The tokens of [begin, end) of the source as if within brackets, and End. Throws Error where it
// ends in the middle.
std::vector<Token> lex_part(const SourcePtr& source, uint32_t begin, uint32_t end);

// Words that cannot be names.
bool is_keyword(std::string_view word);

}  // namespace fusillade::front
