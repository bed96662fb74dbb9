// Tokens to syntax tree: recursive descent with Python's precedences.
//
//   lambda is refused, := is taken in brackets and conditions; then, low to high: if-else, or, and,
//   not, comparisons, |, ^, &, shifts,
//   + -, * / // % @, unary + - ~, **, postfix. ** binds tighter than a unary operator on its left.
//
// Syntax errors inside a function are kept in Function::errors: the statement is Broken and the
// next one is read. Errors between functions are kept in Module::errors.
#pragma once

#include <optional>

#include "engine/front/ast.h"

namespace fusillade::front {

class Parser {
 public:
  Parser(SourcePtr source, std::vector<Token> tokens)
      : source_(std::move(source)), tokens_(std::move(tokens)) {}
  Module module();
  // The tokens as one expression: a type in quotes.
  ExprPtr annotation();

 private:
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
  [[noreturn]] void wrong(const Token& token, std::string_view message);
  [[noreturn]] void fail_expecting(std::string_view wanted);

  // Statements (parser.cpp).
  void top_level(Module& module);
  void import_line(Module& module);
  void from_line(Module& module);
  std::string dotted_name();
  void skip_line();
  void module_line(Module& module);
  void unread_block(Module& module, size_t start);
  void skip_block(size_t start);  // reports what is Illegal in it
  void skip_definition(size_t start);
  void keep(std::string error);
  void function(Function& f);  // keeps what was read before an error
  Function read_function();    // keeps a syntax error within the function
  void parameters(Function& f);
  StmtList block();
  void statement_or_broken(StmtList& out);
  StmtPtr broken_statement(size_t start) const;
  void statement(StmtList& out);
  StmtPtr compound();
  StmtPtr if_statement();
  StmtPtr for_statement();
  StmtPtr while_statement();
  void loop_else(StmtList& out, StmtPtr loop);
  StmtPtr simple();
  StmtPtr return_or_raise();
  StmtPtr assert_statement();
  StmtPtr assignment();
  StmtPtr delete_statement();
  ExprPtr type_comment(uint32_t begin, uint32_t end);  // null when there is none
  void function_comment(Function& f, uint32_t begin, uint32_t end);
  void refuse_statement();
  void check_target(const Expr& target);
  StmtPtr make(StmtKind kind) const;
  StmtPtr finish(StmtPtr stmt);

  // Classes, decorators, with (class_parser.cpp).
  std::vector<ExprPtr> decorators();
  void definition(Module& module);
  Class class_definition();
  void class_item(Class& c);
  StmtPtr class_annotation();
  std::optional<Class> named_tuple(const std::string& name, const Expr& rhs);
  StmtPtr with_statement();

  // Expressions (parser_expr.cpp).
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
  std::string comparison_operator();
  ExprPtr leaf(ExprKind kind);
  ExprPtr node(ExprKind kind, uint32_t begin) const;
  ExprPtr with_kids(ExprPtr expr, ExprPtr a, ExprPtr b = nullptr, ExprPtr c = nullptr);
  ExprPtr finish(ExprPtr expr);  // sets end and depth; refuses trees that are too deep

  struct Deeper {
    explicit Deeper(Parser& parser);
    ~Deeper() { --parser_.depth_; }
    Parser& parser_;
  };

  SourcePtr source_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  std::vector<std::string>* errors_ =
      nullptr;                        // of the function being read, or of the module around it
  std::vector<ExprPtr> extra_exprs_;  // Module::extra_exprs, while it is read
};

// The whole text. Throws Error with what is wrong outside its functions.
Module parse_module(const SourcePtr& source);

}  // namespace fusillade::front
