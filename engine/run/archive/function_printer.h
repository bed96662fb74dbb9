// One function's text while it is written; see print_python.h.
#pragma once

#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "engine/run/archive/print_python.h"

namespace fusillade::archive {

class FunctionPrinter {
 public:
  FunctionPrinter(const Graph& graph, int level, ConstantTable& constants, References& references);
  std::string print(const std::string& name, const Schema& schema);

 private:
  using Values = std::vector<const Value*>;
  struct Assignment {
    const Value* to;
    const Value* from;
  };

  // Statements (print_python.cpp).
  std::string head(const std::string& name, const Schema& schema);
  void body(const Block* block);
  void node(const Node* n);
  void plain(const Node* n);
  void pair_managers(const Block* block);
  void enter(const Node* n);
  void leave(const Node* n);
  void unpack(const Node* n);
  void set_attribute(const Node* n);
  void if_(const Node* n);
  void branch(const Node* n, const Block* block, bool one_per_line);
  void loop(const Node* n);
  void assign(const std::vector<Assignment>& list, bool one_per_line);
  void long_constants(const Block* block, std::unordered_set<const Node*>& seen);
  void split_long(const Node* n);
  void flush(size_t count);
  void consume(const Node* n);
  void line(const std::string& text);
  std::string results(const Node* n);

  // Names.
  std::string fresh_name(const std::string& wanted);
  const std::string& name_of(const Value* v);
  void name_as(const Value* v, const Value* like);

  // Expressions (print_expression.cpp).
  std::string use(const Value* v) const;
  std::string receiver(const Value* v) const;
  std::string expression(const Node* n);
  std::string constant(const Node* n);
  static bool implies_type(const Value* v, const Type& type);
  std::string list(const Node* n);
  std::string tuple(const Node* n);
  std::string dict(const Node* n);
  std::string item(const Value* v);
  std::string call(const Node* n);
  std::string get_attribute(const Node* n);
  std::string cast(const Node* n, const char* function);
  std::string is_instance(const Node* n);
  std::string op(const Node* n);
  size_t written_arguments(const Node* n);
  std::string type_text(const Type& type);

  const Graph& graph_;
  int level_;
  ConstantTable& constants_;
  References& references_;
  std::unordered_set<const Node*> inlined_;
  std::unordered_map<const Value*, std::string>
      text_;  // a name, or an expression that is safe to write here
  std::vector<const Value*>
      pending_;  // expressions that no line has yet, in the order in which they must run
  std::unordered_set<const Node*> entered_,
      left_;                    // calls of __enter__ and __exit__ that are a `with`
  std::vector<size_t> bodies_;  // where the texts of the open ones begin
  std::set<std::string> taken_;
  std::map<std::string, int> next_;
  std::string out_;
};

}  // namespace fusillade::archive
