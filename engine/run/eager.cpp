// The eager engine: interprets the graph on values, node by node. It defines what a program means,
// so it is kept plain: no compilation, no early release inside a block beyond dropping the frame at
// its end. Groups and composites run as nested graphs.

#include "engine/ir/interpret.h"
#include "engine/run/call_scope.h"
#include "engine/run/frame.h"
#include "engine/run/plan.h"

namespace fusillade {
namespace {

// Errors are reported at the innermost node with a source location.
struct EagerDomain : ValueDomain {
  [[noreturn]] void on_error(const Error& e, const Node* place) {
    while (place && !place->range.valid()) place = place->block()->owner();
    rethrow_at(e, place);
  }
};

class Eager : public Executable {
 public:
  explicit Eager(std::unique_ptr<Graph> graph) : graph_(std::move(graph)), needs_(*graph_) {}
  std::vector<IValue> run(const std::vector<IValue>& inputs) const override {
    check_inputs(*graph_, inputs);
    const CallScope scope(needs_, false);
    EagerDomain values;
    return scope.end(Interpreter(values).run(*graph_, inputs));
  }
  const Graph* graph() const override { return graph_.get(); }

 private:
  std::unique_ptr<Graph> graph_;
  CallNeeds needs_;
};

std::unique_ptr<Executable> prepare_eager(const ProgramView&, const Plan&,
                                          std::unique_ptr<Graph> optimised) {
  return std::make_unique<Eager>(std::move(optimised));
}

const Engine& kEager = Table<Engine>::instance().add(
    {.name = "eager",
     .summary = "walk the graph, call the operators: reference semantics",
     .prepare = &prepare_eager,
     .devices = {"cpu", "cuda"},
     .reference = true});

}  // namespace
}  // namespace fusillade
