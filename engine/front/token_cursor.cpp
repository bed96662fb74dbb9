// See token_cursor.h.
#include "engine/front/token_cursor.h"

#include <algorithm>

namespace fusillade::front {

void TokenCursor::wrong(const Token& token, std::string_view message) const {
  fail_at(source_, token.begin, std::max(token.end, token.begin + 1), message);
}

void TokenCursor::fail_expecting(std::string_view wanted) const {
  if (at(Tok::Refused) || at(Tok::Illegal)) wrong(now(), now().text);
  if (at_op(":="))
    wrong(now(),
          "':=' stands in brackets or in the condition of 'if' and 'while': (name := value)");
  std::string found = now().kind == Tok::End       ? "the end of the file"
                      : now().kind == Tok::Newline ? "the end of the line"
                      : now().kind == Tok::Indent  ? "an indented line"
                      : now().kind == Tok::Dedent  ? "the end of the block"
                      : now().kind == Tok::Str     ? "a string"
                                                   : "'" + now().text + "'";
  wrong(now(), fmt::format("expected {}, found {}", wanted, found));
}

bool TokenCursor::eat_op(std::string_view text) {
  if (!at_op(text)) return false;
  next();
  return true;
}

bool TokenCursor::eat_word(std::string_view text) {
  if (!at_word(text)) return false;
  next();
  return true;
}

void TokenCursor::need_op(std::string_view text, std::string_view where) {
  if (!eat_op(text)) fail_expecting(fmt::format("'{}' {}", text, where));
}

std::string TokenCursor::need_name(std::string_view what) {
  if (!at(Tok::Name) || is_keyword(now().text)) fail_expecting(what);
  return next().text;
}

}  // namespace fusillade::front
