// Tokens to expressions: recursive descent with Python's precedences.
//
//   lambda is refused, := is taken in brackets and conditions; then, low to high: if-else, or, and,
//   not, comparisons, |, ^, &, shifts,
//   + -, * / // % @, unary + - ~, **, postfix. ** binds tighter than a unary operator on its left.
#pragma once

#include "engine/front/token_cursor.h"

namespace fusillade::front {

class ExpressionParser : public TokenCursor {
 public:
  using TokenCursor::TokenCursor;
  // The tokens as one expression: a type in quotes.
  ExprPtr annotation();

 protected:
  struct Deeper {
    explicit Deeper(ExpressionParser& parser);
    ~Deeper() { --parser_.depth_; }
    ExpressionParser& parser_;
  };

  ExprPtr expression();        // one expression, no tuple without brackets
  ExprPtr named_expression();  // the same, or name := expression
  ExprPtr expression_list();   // a, b is a tuple
  ExprPtr disjunction();
  ExprPtr conjunction();
  ExprPtr inversion();
  ExprPtr comparison();
  ExprPtr binary(int level);
  ExprPtr unary();
  ExprPtr power();
  ExprPtr postfix();
  ExprPtr call(ExprPtr callee);
  ExprPtr unpacked_dict();
  ExprPtr subscript(ExprPtr of);
  ExprPtr index();
  ExprPtr atom();
  ExprPtr bracketed_atom();
  ExprPtr items(ExprPtr into, std::string_view close);
  ExprPtr item();            // an expression or *expression
  ExprPtr bracketed_item();  // the same, or name := expression
  ExprPtr dict(uint32_t begin);
  ExprPtr comprehension(ExprPtr into);  // from `for` on
  ExprPtr format();
  ExprPtr loop_target();
  void refuse_word();
  Sign comparison_sign();  // None: there is none
  ExprPtr leaf(ExprKind kind);
  ExprPtr node(ExprKind kind, uint32_t begin) const;
  ExprPtr with_kids(ExprPtr expr, ExprPtr a, ExprPtr b = nullptr, ExprPtr c = nullptr);
  ExprPtr finish(ExprPtr expr);  // sets end and depth; refuses trees that are too deep
  void check_target(const Expr& target);

  int depth_ = 0;
};

}  // namespace fusillade::front
