// Expressions of a function to nodes of its graph.
//
// Emitter walks expressions. What else there is to know of them are its parts' responsibilities:
// operators and the methods of classes that stand for them (Operators), conditions and what they
// show of types (Conditions), calls (CallEmitter), objects and classes (ClassEmitter), subscripts
// (Subscripts), what is assigned to (Targets). Statements are StatementEmitter's (emit_stmt.h).
// Families of expressions that need no state are functions, each with a header of its own
// (emit_text.h).
#pragma once

#include "engine/front/block_builder.h"
#include "engine/front/emit_parts.h"
#include "engine/front/text_unit.h"

namespace fusillade::front {

class CallEmitter;
class ClassEmitter;
class Conditions;
class Operators;
class Subscripts;
class Targets;
struct Form;

// An annotation as a type; `source` is its text (null: the unit's). Throws Error naming what is
// supported.
Type annotated_type(Unit& unit, const Expr& annotation, const SourcePtr& source = nullptr);
// Of how many items one item makes a list: 2 for BroadcastingList2[int] and Optional of it; else 0.
int broadcast_size(const Expr& annotation);
std::optional<IValue> literal_value(const Expr& expr);  // nothing when the expression is no literal

class Emitter : public BlockBuilder {
 public:
  Emitter(Unit& unit, const Function& function, const Schema& schema);
  ~Emitter();
  // The graph of one expression over these values, with parameters in their order.
  std::unique_ptr<Graph> run_expression(const Expr& e,
                                        const std::vector<std::pair<std::string, Type>>& values);

  Unit& unit() { return *unit_; }
  Program& program() { return unit_->program(); }
  const Schema& schema() const { return schema_; }
  const Expr& keep(ExprPtr expr);  // an expression that replaces another

  Value* emit(const Expr& e, const Type* hint = nullptr);
  // Null when it fails: once all parts are looked at, throw Unknown.
  Value* part(const Expr& e, const Type* hint, bool* fine);
  Value* name(const Expr& e);
  Value* attribute(const Expr& e);
  // `use`: what becomes of each that is written, at its place.
  std::vector<Argument> arguments(const Expr& e, const Type* container = nullptr,
                                  const std::function<Value*(Value*, const Expr&)>& use = {});
  std::string module_path(const Expr& e) const;  // "torch.nn.functional"; empty for values
  Type annotation_type(const Expr& annotation) const;
  const Form* form_of_call(const Expr& e) const;
  Iterable iterable(const Expr& over);

  Operators& operators() { return *operators_; }
  Conditions& conditions() { return *conditions_; }
  CallEmitter& calls() { return *calls_; }
  ClassEmitter& classes() { return *classes_; }
  Subscripts& subscripts() { return *subscripts_; }
  Targets& targets() { return *targets_; }

  class Inside;  // while a function of the library is written out (emit_library.cpp)

 private:
  Value* list(const Expr& e, const Type* hint);
  Value* tuple(const Expr& e, const Type* hint);
  Value* dict(const Expr& e, const Type* hint);
  Value* comprehension(const Expr& e, const Type* hint);
  Value* unary(const Expr& e);
  Value* binary(const Expr& e);
  Value* boolean(const Expr& e);
  Value* compare(const Expr& e);
  Value* ternary(const Expr& e, const Type* hint);
  Value* walrus(const Expr& e, const Type* hint);

  Unit* unit_;  // the library's within its functions
  const Schema& schema_;
  std::vector<ExprPtr> kept_exprs_;  // expressions that replace others
  std::unique_ptr<Operators> operators_;
  std::unique_ptr<Conditions> conditions_;
  std::unique_ptr<CallEmitter> calls_;
  std::unique_ptr<ClassEmitter> classes_;
  std::unique_ptr<Subscripts> subscripts_;
  std::unique_ptr<Targets> targets_;
};

}  // namespace fusillade::front
