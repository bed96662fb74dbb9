// Nodes of one function's graph, placed where the cursor is: operators by overload resolution,
// constants, containers, conversions from type to type. It knows no names of variables, and of
// syntax only where in the text a node, or an error, belongs.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/front/ast.h"
#include "engine/front/match.h"
#include "engine/front/problem.h"
#include "engine/front/spelling.h"
#include "engine/ir/graph.h"

namespace fusillade::front {

inline bool is_constant(const Value* v) { return v->node()->is(prim::constant()); }

class GraphBuilder {
 public:
  explicit GraphBuilder(const Function& function);
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;

  [[noreturn]] void wrong(const Expr& at, std::string_view message) const;
  [[noreturn]] void wrong(const Stmt& at, std::string_view message) const;
  const Function& function() const { return function_; }
  const SourcePtr& source() const { return function_.source; }
  Expr whole_function() const { return range_of(function_); }  // as a place
  const Expr* site() const { return site_; }
  const Expr& site(const Expr& at) const { return site_ ? *site_ : at; }

  Graph& graph() { return *graph_; }
  std::unique_ptr<Graph> take_graph() { return std::move(graph_); }
  Block* block() const { return block_; }
  Block* move_to(Block* block) { return std::exchange(block_, block); }  // from where it was
  size_t weight() const { return weight_; }
  int height() const { return height_; }
  bool too_large() const;
  // A call of a function that weighs this much, and calls this deep.
  void count_call(size_t weight, int height);

  // A node whose results have the types that are inferred.
  Node* node(const Operator& op, const std::vector<Value*>& inputs, const Expr& at,
             int results = -1);
  // One with a result of this type, and one without a result.
  Node* node(const Operator& op, const std::vector<Value*>& inputs, const Type& result,
             const Expr& at);
  Node* bare_node(const Operator& op, const std::vector<Value*>& inputs, const Expr& at);
  Value* constant(IValue value, const Expr& at);
  // As nodes that print: tuples and lists consist of literals.
  Value* object_constant(const IValue& value, const Expr& at);
  Value* flag(bool value);
  Value* dummy_value(const Type& type);  // a value of this type that is never looked at

  // Of the overload of `base` that takes these.
  Value* call_operator(const std::string& base, const std::vector<Argument>& args, const Expr& at);
  Value* apply(const std::string& base, const std::vector<Value*>& values, const Expr& at);
  // Null where none takes them. `bools`: may a bool be a Scalar where nothing else fits? Operators
  // (+) promote it in their way.
  Value* try_overloads(const std::string& base, const std::vector<Argument>& args, const Expr& at,
                       std::string* why, bool bools = true);
  Value* numeric(const std::string& base, const std::vector<Value*>& values, const Expr& at);
  // The operator of exactly this name.
  Value* exactly(const std::string& name, const std::vector<Value*>& values, const Expr& at);
  Value* negation(Value* value, const Expr& at);
  // What the arguments of a call become for its parameters. `bools`: as with try_overloads.
  std::vector<Value*> fit_arguments(const Schema& schema, const std::vector<Argument>& args,
                                    const Expr& at, bool bools = false);

  Value* list_of(const std::vector<Value*>& items, const Type& element, const Expr& at);
  Value* tuple_of(const std::vector<Value*>& items, const Expr& at);
  Value* named_tuple(const std::vector<Value*>& items, const Type& type, const Expr& at);
  Value* dict_of(const std::vector<Value*>& items, const std::optional<Type>& type, const Expr& at);
  Type dict_type(const Type& key, const Type& mapped, const Expr& at);
  std::vector<Value*> items_of(Value* tuple, const Expr& at);

  Value* convert_to(Value* value, const Type& type, const Expr& at);  // null: it does not convert
  Value* known_as(Value* value, const Type& type, const Expr& at);
  Value* as_int(Value* value, const Expr& at);
  Value* as_floats(Value* value, const Type& wanted, const Expr& at);
  Value* bool_tensor(Value* value, const Expr& at);

 protected:
  // The call of a function of the library that is being written out: what is emitted lies there.
  const Expr* site_ = nullptr;
  size_t weight_ = 0;

 private:
  void mark(Node* node, const Expr& at);
  Value* build(const Operator& op, const Fit& fit, const Expr& at);
  bool with_floats(const std::vector<const Operator*>& candidates, std::vector<Argument>& args,
                   const Expr& at);
  Value* with_ints(const std::vector<const Operator*>& candidates, std::vector<Argument> args,
                   const Expr& at);
  std::vector<Value*> realise(const Schema& schema, const Fit& fit, const Expr& at);
  Value* realise(const Step& step, const SchemaArg& formal, const Expr& at);

  const Function& function_;
  std::unique_ptr<Graph> graph_;
  Block* block_;
  int height_ = 0;
};

}  // namespace fusillade::front
