// Running a program with the meaning of every op left open: the shadow and the legal-variant
// interpreter are walks. What containers, attributes and control flow do is eager's.
#pragma once

#include <functional>

#include "engine/ir/interpret.h"

namespace fusillade::fuzz {

class Walk : public ValueDomain {
 public:
  virtual ~Walk() = default;
  // Throws what the ops throw.
  std::vector<IValue> run(const Graph& graph, std::span<const IValue> inputs) {
    return Interpreter(*this).run(graph, {inputs.begin(), inputs.end()});
  }
  // What the interpreter asks. Operators are decomposed where their bodies say what they compute.
  const Graph* callee(const Node* node) {
    const NativeBody* native = native_of(node->op());
    if (native && native->likeness == Likeness::Other) return nullptr;
    return callee_of(node);
  }
  void apply(Interpreter<Walk>& in, const Node* node, std::vector<IValue>& args,
             std::vector<IValue>& results) {
    const Operator& op = node->op();
    bool as_written = op.run_at || op.schema.varargs || op.schema.varresults;
    if (op.kind == OpKind::Prim && as_written) ValueDomain::apply(in, node, args, results);
    else run_op(op, args, results);
  }
  template <class In>
  void enter(In& in, const Node* node, const Graph& body, std::vector<IValue>& args,
             std::vector<IValue>& results) {
    const std::vector<IValue> given = args;
    const std::vector<IValue> neighbour_args = neighbours(node->op(), given);
    const bool twice = !neighbour_args.empty();
    before_decomposing(node->op());
    ValueDomain::enter(in, node, body, args, results);
    after_decomposing(node->op(), given, results);
    if (twice) again(in, node, body, neighbour_args, results);
  }
  template <class In>
  void again(In& in, const Node* node, const Graph& body, const std::vector<IValue>& neighbour_args,
             const std::vector<IValue>& results) {
    std::vector<IValue> args = neighbour_args, others;
    const bool ran = goes_on([&] {
      before_decomposing(node->op());
      ValueDomain::enter(in, node, body, args, others);
      after_decomposing(node->op(), neighbour_args, others);
    });
    neighbours_ran(results, ran ? &others : nullptr);
  }
  // Every value, whenever it is computed.
  virtual void on_value(const Value* value, const IValue& v) { (void)value, (void)v; }

 protected:
  // Appends the results of an operator on complete arguments.
  virtual void run_op(const Operator& op, std::span<const IValue> args,
                      std::vector<IValue>& results) {
    call(op, Site{}, args, results);
  }
  // A function or an operator with a body is going to run, and has run, in the operators of its
  // body.
  virtual void before_decomposing(const Operator& op) { (void)op; }
  virtual void after_decomposing(const Operator& op, std::span<const IValue> args,
                                 const std::vector<IValue>& results) {
    (void)op, (void)args, (void)results;
  }
  // Arguments for which an operator's body runs once more behind its own run; none: it does not.
  virtual std::vector<IValue> neighbours(const Operator& op, std::span<const IValue> args) {
    (void)op, (void)args;
    return {};
  }
  // Runs that; false where it cannot decide how to go on.
  virtual bool goes_on(const std::function<void()>& run) {
    run();
    return true;
  }
  // What the two runs gave; null where the second did not go on.
  virtual void neighbours_ran(const std::vector<IValue>& results,
                              const std::vector<IValue>* others) {
    (void)results, (void)others;
  }
};

}  // namespace fusillade::fuzz
