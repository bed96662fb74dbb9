// Tokens, read one after the other.
#pragma once

#include "engine/front/ast.h"

namespace fusillade::front {

class TokenCursor {
 public:
  TokenCursor(SourcePtr source, std::vector<Token> tokens)
      : source_(std::move(source)), tokens_(std::move(tokens)) {}

 protected:
  const Token& now() const { return tokens_[at_]; }
  const Token& next() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool at_op(std::string_view text) const { return now().kind == Tok::Op && now().text == text; }
  bool at_word(std::string_view text) const {
    return now().kind == Tok::Name && now().text == text;
  }
  bool at(Tok kind) const { return now().kind == kind; }
  bool eat_op(std::string_view text);
  bool eat_word(std::string_view text);
  void need_op(std::string_view text, std::string_view where);
  std::string need_name(std::string_view what);
  uint32_t last_end() const { return at_ ? tokens_[at_ - 1].end : 0; }
  [[noreturn]] void wrong(const Token& token, std::string_view message) const;
  [[noreturn]] void fail_expecting(std::string_view wanted) const;

  SourcePtr source_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
};

}  // namespace fusillade::front
