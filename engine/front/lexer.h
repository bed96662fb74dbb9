// Script text to tokens: Python's lexical rules, with indentation as Indent and Dedent tokens.
//
// Offsets are bytes of the source, so a token is also a SourceRange. Inside brackets newlines and
// indentation mean nothing. f"a{b}" is FStart, Str "a", Op "(", the tokens of b, Op ")", FEnd.
// Errors (Error, with a caret): inconsistent indentation, an unterminated
// string, an unbalanced bracket, a character that no token starts with, numbers that do not fit,
// and the like. What is Python but not taken (imaginary numbers, bytes, conversions in f-strings) is a token Refused, which
// the parser reports where it meets it: a file may hold it outside what is compiled. f"{a:5.2f}" is ("{:5.2f}".format(a)).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/graph.h"

namespace fusillade::front {

enum class Tok : uint8_t { Name, Int, Float, Str, Op, Newline, Indent, Dedent, End, FStart, FEnd, Refused };

struct Token {
  Tok kind = Tok::End;
  uint32_t begin = 0;
  uint32_t end = 0;
  std::string text;  // names, keywords and operators as written; strings decoded; Refused: the message
  int64_t integer = 0;
  double real = 0;
};

using SourcePtr = std::shared_ptr<const Source>;

// Throws Error: "file:line:col: message", three lines of context and carets under [begin, end).
[[noreturn]] void fail_at(const SourcePtr& source, uint32_t begin, uint32_t end,
                          std::string_view message);

// The last token is End. Throws Error at the first illegal place.
std::vector<Token> lex(const SourcePtr& source);
// The tokens of [begin, end) of the source as if within brackets, and End.
std::vector<Token> lex_part(const SourcePtr& source, uint32_t begin, uint32_t end);

// Words that cannot be names.
bool is_keyword(std::string_view word);

}  // namespace fusillade::front
