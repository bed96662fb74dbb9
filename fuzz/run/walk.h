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
  // What the interpreter asks. Rows are taken apart where their bodies say what they compute.
  const Graph* callee(const Node* node) {
    const NativeRow* native = native_of(node->row());
    if (native && native->likeness == Likeness::Other) return nullptr;
    return callee_of(node);
  }
  void apply(Interpreter<Walk>& in, const Node* node, std::vector<IValue>& args,
             std::vector<IValue>& results) {
    const Row& row = node->row();
    bool as_written = row.run_at || row.schema.varargs || row.schema.varresults;
    if (row.kind == OpKind::Prim && as_written) ValueDomain::apply(in, node, args, results);
    else op(row, args, results);
  }
  template <class In>
  void enter(In& in, const Node* node, const Graph& body, std::vector<IValue>& args,
             std::vector<IValue>& results) {
    const std::vector<IValue> given = args;
    const std::vector<IValue> near = neighbours(node->row(), given);
    const bool twice = !near.empty();
    takes_apart(node->row());
    ValueDomain::enter(in, node, body, args, results);
    taken_apart(node->row(), given, results);
    if (twice) again(in, node, body, near, results);
  }
  template <class In>
  void again(In& in, const Node* node, const Graph& body, const std::vector<IValue>& near,
             const std::vector<IValue>& results) {
    std::vector<IValue> args = near, others;
    const bool ran = goes_on([&] {
      takes_apart(node->row());
      ValueDomain::enter(in, node, body, args, others);
      taken_apart(node->row(), near, others);
    });
    neighbours_ran(results, ran ? &others : nullptr);
  }
  // Every value, whenever it is computed.
  virtual void produced(const Value* value, const IValue& v) { (void)value, (void)v; }

 protected:
  // Appends the results of a row on complete arguments.
  virtual void op(const Row& row, std::span<const IValue> args, std::vector<IValue>& results) {
    call(row, Site{}, args, results);
  }
  // A function or a row with a body is going to run, and has run, in the rows of its body.
  virtual void takes_apart(const Row& row) { (void)row; }
  virtual void taken_apart(const Row& row, std::span<const IValue> args,
                           const std::vector<IValue>& results) {
    (void)row, (void)args, (void)results;
  }
  // Arguments for which a row's body runs once more behind its own run; none: it does not.
  virtual std::vector<IValue> neighbours(const Row& row, std::span<const IValue> args) {
    (void)row, (void)args;
    return {};
  }
  // Runs that; false where it cannot be told how it goes on.
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
