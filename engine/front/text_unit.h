// One text of a program: its syntax tree, and what of it is compiled so far.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/front/ast.h"
#include "engine/front/problem.h"
#include "engine/ops/schema.h"

namespace fusillade::front {

class Program;

struct Compiled {
  Schema schema;  // parameters with defaults
  std::shared_ptr<Graph> graph;
  Type result;
  size_t weight = 0;  // nodes when all calls are inlined
  int height = 0;     // of the calls below
  enum class State : uint8_t { Fresh, Busy, Done, Failed } state = State::Fresh;
  Problems errors;
};

// A text and its syntax tree. Any number of programs may share one.
struct ParsedText {
  SourcePtr source;
  Module module;
};
std::shared_ptr<ParsedText> parse_text(const std::string& text, const std::string& file);

// One text: its syntax tree and what of it is compiled. Belongs to a Program (class.h).
class Unit {
 public:
  Unit(Program& program, std::shared_ptr<const ParsedText> text);
  // Every function; those with errors keep them.
  void compile_all();

  // Compiles on demand. Throws Error at `at` for recursion, and when the callee has errors.
  const Compiled& callee(const std::string& name, const SourcePtr& from, const Expr& at);
  // The same for any function of this text; `self` is the type of a method's first parameter,
  // `from` the text of `at`.
  const Compiled& ready(Compiled& compiled, const Function& function, const Type* self,
                        const SourcePtr& from, const Expr& at);
  // Of a function of this text, which need not be compiled.
  const Schema& schema_of(const Function& function);
  bool has_function(const std::string& name) const { return index_.count(name) != 0; }
  const Function* function(const std::string& name) const;  // null when absent
  const SourcePtr& source() const { return text_->source; }
  const Module& module() const { return text_->module; }
  Program& program() const { return program_; }
  const std::vector<std::unique_ptr<Compiled>>& compiled_functions() const { return compiled_; }
  std::vector<std::string> function_names() const;
  // What constant_value() (class.h) found of an expression: a value, or why there is none.
  struct Computed {
    IValue value;
    std::string problem;
  };
  std::map<const Expr*, Computed> computed;
  // The dotted path of a name that denotes a module or a member of one; empty otherwise.
  std::string path(const Expr& e) const;

 private:
  void compile(Compiled& compiled, const Function& function, const Type* self);
  void signature(Compiled& compiled, const Function& function, const Type* self);
  std::map<const Function*, Compiled> signatures_;  // of functions that were asked for these alone
  SchemaArg argument(const Parameter& parameter, const SourcePtr& source);
  Program& program_;
  std::shared_ptr<const ParsedText> text_;
  std::map<std::string, size_t> index_;
  std::vector<std::unique_ptr<Compiled>> compiled_;  // one per function
};

}  // namespace fusillade::front
