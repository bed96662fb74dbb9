// Tokens to syntax tree: functions, classes, statements. Expressions are expression_parser.h's.
//
// Syntax errors inside a function are kept in Function::errors: the statement is Broken and the
// next one is read. Errors between functions are kept in Module::errors.
#pragma once

#include <optional>

#include "engine/front/expression_parser.h"

namespace fusillade::front {

class Parser : public ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;
  Module module();

 private:
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
  StmtPtr make(StmtKind kind) const;
  using ExpressionParser::finish;
  StmtPtr finish(StmtPtr stmt);

  // Classes, decorators, with (class_parser.cpp).
  std::vector<ExprPtr> decorators();
  void definition(Module& module);
  Class class_definition();
  void class_item(Class& c);
  StmtPtr class_annotation();
  std::optional<Class> named_tuple(const std::string& name, const Expr& rhs);
  StmtPtr with_statement();

  std::vector<std::string>* errors_ =
      nullptr;                        // of the function being read, or of the module around it
  std::vector<ExprPtr> extra_exprs_;  // Module::extra_exprs, while it is read
};

// The whole text. Throws Error with what is wrong outside its functions.
Module parse_module(const SourcePtr& source);

}  // namespace fusillade::front
