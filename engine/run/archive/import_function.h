// Serialised Python of one function to a graph: the inverse of print_python.h, and what PyTorch's
// own printer writes.
//
// The dialect is smaller than the scripts that users write: every operator is a call, a function
// returns at its end only, loops are `for i in range(n)` and `while c`, types never narrow by
// themselves. Statements become nodes in order, names become debug names; nothing is folded or
// simplified, so that writing the graph gives the text again.
//
// Where a call names an operator that this engine lacks, a raise replaces the statement and the
// rest of its block: the archive loads, and what never gets there runs.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>

#include "engine/front/ast.h"
#include "engine/front/match.h"
#include "engine/front/out_form.h"
#include "engine/run/archive/import_unit.h"

namespace fusillade::archive {

// Throws Error at the location in the archive's code.
ImportedFunction import_function(ImportUnit& unit, const DefinitionText& definition);

class FunctionImporter {
 public:
  FunctionImporter(ImportUnit& unit, front::SourcePtr source, const front::Function& function)
      : unit_(unit), source_(std::move(source)), function_(function) {}
  ImportedFunction run();

 private:
  using Expr = front::Expr;
  using Stmt = front::Stmt;
  struct Binding {
    Value* value = nullptr;
    std::optional<Type> declared;
    std::string function;  // the name means this function; no value then
    Type type() const { return declared ? *declared : value->type().without_shapes(); }
  };
  struct Scope {
    std::unordered_map<std::string, Binding> names;
    std::vector<std::string> order;  // of first assignment
  };

  // An operator that this engine lacks; caught where the statement ends.
  struct Missing {
    const Expr* at;
    std::string message;
  };

  [[noreturn]] void wrong(const Expr& at, std::string_view message) const;
  [[noreturn]] void wrong(const Stmt& at, std::string_view message) const;
  Type type_of(const Expr& annotation);

  // Statements (import_function.cpp).
  void signature();
  std::optional<IValue> default_value(const Expr& e, const Type& type) const;
  // These return whether the code after them can be reached.
  bool statements(const front::StmtList& list, bool top);
  bool statement(const Stmt& s);
  bool emit_or_raise(const std::function<bool()>& emits);
  void end_function();
  Value* uninitialized_value(const Type& type, const Expr& at);
  void assign(const Stmt& s);
  bool assign_function(const Expr& target, const Expr& value);
  void bind(const Expr& target, Value* value, bool fresh, std::optional<Type> declared);
  void set(const std::string& name, Binding binding);
  const Binding* find(const std::string& name) const;
  void result(const Stmt& s);
  bool if_(const Stmt& s);
  void merge(Node* n, Scope sides[2], const bool ended[2], const Stmt& s);
  void loop(const Stmt& s);
  bool with(const Stmt& s);
  bool task(const Stmt& s);
  void start_loop(Node* n, const std::vector<std::string>& carried);
  void end_loop(Node* n, const std::vector<std::string>& carried, const Stmt& s);
  void drop_idle_conditions();

  // Expressions (import_expression.cpp).
  std::vector<Value*> several(const Expr& e, const Type* hint);
  Value* emit(const Expr& e, const Type* hint = nullptr);
  std::optional<IValue> literal(const Expr& e) const;
  std::optional<IValue> named_device(const Expr& e) const;
  std::optional<IValue> member(const std::string& path) const;  // "__torch__.Color.RED"
  Value* list(const Expr& e, const Type* hint);
  Value* tuple(const Expr& e, const Type* hint);
  Value* dict(const Expr& e, const Type* hint);
  Value* attribute(const Expr& e);
  Value* get_attribute(Value* object, const std::string& field, const Expr& at);
  Value* subscript(const Expr& e);

  // Calls (import_call.cpp).
  std::vector<Value*> call(const Expr& e, const Type* hint);
  std::optional<std::vector<Value*>> special(const std::string& name, const Expr& e);
  Value* tolist(const Expr& call, const Type& type);
  Value* annotate(const Expr& e);
  Value* as_number(Value* value, const Expr& e);
  void unpack_last(std::vector<front::Argument>& args, const Expr& e);
  Value* is_instance(const Expr& e);
  std::vector<Value*> torch_call(const std::string& path, const Expr& e);
  std::vector<Value*> archive_call(const std::string& path, const Expr& e);
  Value* function_call(const std::string& name, std::vector<front::Argument> args, const Expr& e);
  std::vector<front::Argument> arguments(const Expr& e);
  std::vector<Value*> op(const std::string& base, const std::vector<front::Argument>& args,
                         const Expr& e);
  std::vector<Value*> out_call(const std::string& base, const front::OutForm& form, const Expr& e);
  std::vector<Value*> build(const Operator& op, const front::Fit& fit, const Expr& e);
  Value* realise(const front::Step& step, const SchemaArg& formal, const Expr& e);
  void check_version(const std::string& base, const std::vector<front::Argument>& args,
                     const Expr& e);

  // Nodes.
  Node* node(const Operator& op, const std::vector<Value*>& inputs, const Expr& at, int results);
  Node* typed_node(const Operator& op, const std::vector<Value*>& inputs, const Type& type,
                   const Expr& at);
  Value* constant(IValue value, const Expr& at);
  void place(Node* n, const Expr& at);
  void count(size_t nodes, const Expr& at);

  ImportUnit& unit_;
  front::SourcePtr source_;
  const front::Function& function_;
  ImportedFunction out_;
  Graph* graph_ = nullptr;
  Block* block_ = nullptr;
  std::vector<Scope> scopes_;
  std::vector<std::pair<Node*, int>> idle_;  // a while's condition that is carried by its name
  std::unordered_map<std::string, Value*> tasks_;  // forked, by the name of what they run
  bool returned_ = false;
};

// "torch.nn" of an attribute chain of names; empty for other expressions.
std::string dotted_path(const front::Expr& e);

}  // namespace fusillade::archive
