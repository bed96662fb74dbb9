// Statements of a function to its graph.
//
// Names that a loop's body assigns are results of the node. Early exits: statements behind an `if`
// whose one branch leaves move into the other branch; where a branch only may leave, the rest is
// guarded by a flag. Flags are variables: "$skip<d>" (the rest of loop level d is skipped),
// "$stop<d>" (loop d ends); level 0 is the function. No value: false.
#pragma once

#include "engine/front/emit.h"

namespace fusillade::front {

// Statement lists are vectors of pointers, so that the rest of a list can move behind a branch.
std::vector<const Stmt*> pointers(const StmtList& list);

class StatementEmitter {
 public:
  StatementEmitter(Unit& unit, const Function& function, const Schema& schema,
                   std::optional<Type> assumed, WideNames wide);
  // The function's graph, and result, weight and height of `compiled`; throws Failed with all
  // errors, ResultType or WiderLoop.
  std::unique_ptr<Graph> run(Compiled& compiled);

 private:
  using List = std::vector<const Stmt*>;
  using Carried = std::vector<std::pair<std::string, Binding>>;  // as they were before the loop

  Flow statements(const List& list);
  Flow guard_rest(const List& rest);
  Flow emit_statement(const Stmt& s);
  Flow if_statement(const Stmt& s, const List& then, const List& otherwise);
  Flow with_statement(const Stmt& s);
  Flow with_manager(const Stmt& s, const std::string& path);
  void assign(const Stmt& s);
  void assign_pairs(const Expr& targets, const Expr& values);
  void assign_annotated(const Stmt& s);
  void augment(const Stmt& s);
  void remove(const Stmt& s);
  Value* whole(const Expr& e, const Type* hint = nullptr);  // emit_reshape.cpp
  Flow return_value(const Stmt& s);
  void note_result(const Type& type, const Expr& at);
  Flow leave(int level, bool stop);
  Value* fall_through(Flow flow);
  Flow raise_unused();

  // Loops (emit_loop.cpp).
  Flow while_loop(const Stmt& s);
  Flow for_loop(const Stmt& s);
  Flow for_items(const Stmt& s, const std::vector<Value*>& items);
  Flow for_items_left(const Stmt& s, const std::vector<Value*>& items);
  Flow loop(const Stmt& s, Value* trips, Value* condition, const std::function<void(Value*)>& start,
            const std::function<Value*()>& condition_after);
  Carried carried_by(const Stmt& s);
  std::vector<std::string> carried_names(const Stmt& s);
  void begin_iteration(Block* body, const Carried& carried);
  // Of what there is no telling what it holds behind the loop.
  std::set<std::string> end_iteration(Block* body, const Stmt& s, const Carried& carried);
  void bind_results(Node* n, const Stmt& s, const Carried& carried,
                    const std::set<std::string>& unknown);
  void keep_known(const Frame& inner, const std::set<std::string>& dropped);

  // Errors, all of them (emit_recover.cpp).
  Flow statement(const Stmt& s);
  Flow all_statements(const Problems& known);
  void look_behind(const List& rest);
  void bind_item(const Stmt& s, const std::function<Value*()>& value);
  void forget(const Expr& target);

  Emitter to_;
  std::optional<Type> declared_;            // the annotated result
  std::optional<Type> assumed_;             // the result's type that loops carry
  std::optional<Type> result_, unreached_;  // of the returns seen, and of one that is never reached
  WideNames wide_;  // what loops carry under a wider type than tests gave it
};

}  // namespace fusillade::front
