// The eager engine: walks the graph node by node and calls the rows. It defines what a program
// means, so it is kept plain: no compilation, no early release inside a block beyond dropping the
// frame at its end.
//
// Values live in a frame indexed by value id. Groups and composites run as nested graphs, node by
// node. Loops follow TorchScript: a trip count and a condition, both tested before every turn.
#include "engine/run/frame.h"
#include "engine/run/plan.h"

namespace fusillade {
namespace {

using Frame = std::vector<IValue>;

std::vector<IValue> run_graph(const Graph& graph, std::span<const IValue> inputs, int depth);

class Walker {
 public:
  Walker(const Graph& graph, int depth) : frame_(graph.id_limit()), depth_(depth) {
    if (depth > max_call_depth())
      fail("calls nest more than {} deep (FUSILLADE_MAX_CALL_DEPTH)", max_call_depth());
  }

  IValue& at(const Value* v) { return frame_[static_cast<size_t>(v->id())]; }

  // Errors are told where the innermost node with a place in the source stands.
  void run_all(const Block* block) {
    try {
      run(block);
    } catch (const Error& e) {
      const Node* place = at_work_;
      while (place && !place->range.valid()) place = place->block()->owner();
      rethrow_at(e, place);
    }
  }

 private:
  void run(const Block* block) {
    for (const Node* node : block->nodes()) {
      at_work_ = node;
      step(node);
    }
  }

  void step(const Node* node) {
    if (node->is(prim::constant())) {
      at(node->output()) = node->constant();
    } else if (node->is(prim::if_())) {
      run_if(node);
    } else if (node->is(prim::loop())) {
      run_loop(node);
    } else {
      run_plain(node);
    }
  }

  void run_if(const Node* node) {
    const Block* taken = node->blocks()[at(node->input()).as_bool() ? 0 : 1];
    run(taken);
    for (size_t k = 0; k < node->outputs().size(); ++k)
      at(node->outputs()[k]) = at(taken->results()[k]);
  }

  void run_loop(const Node* node) {
    const Block* body = node->blocks()[0];
    int64_t trips = at(node->input(0)).as_int();
    bool go_on = at(node->input(1)).as_bool();
    std::vector<IValue> carried;
    for (size_t k = 2; k < node->inputs().size(); ++k) carried.push_back(at(node->inputs()[k]));
    for (int64_t i = 0; i < trips && go_on; ++i) {
      at(body->params()[0]) = IValue(i);
      for (size_t k = 0; k < carried.size(); ++k) at(body->params()[k + 1]) = carried[k];
      run(body);
      go_on = at(body->results()[0]).as_bool();
      for (size_t k = 0; k < carried.size(); ++k) carried[k] = at(body->results()[k + 1]);
    }
    for (size_t k = 0; k < carried.size(); ++k) at(node->outputs()[k]) = carried[k];
  }

  void run_plain(const Node* node) {
    std::vector<IValue> args;
    args.reserve(node->inputs().size());
    for (const Value* in : node->inputs()) args.push_back(at(in));
    std::vector<IValue> results = call_node(node, args);
    FUS_CHECK(results.size() == node->outputs().size(), "{} gave {} results, its node has {}",
              node->row().name, results.size(), node->outputs().size());
    for (size_t k = 0; k < results.size(); ++k) at(node->outputs()[k]) = std::move(results[k]);
  }

  std::vector<IValue> call_node(const Node* node, std::vector<IValue>& args) {
    if (node->is(prim::call_function()) || node->is(prim::fusion_group()))
      return run_graph(node->subgraph(), args, depth_ + 1);
    if (node->is(prim::list_construct()))
      return {IValue::list(std::move(args), node->output()->type().element())};
    if (node->is(prim::tuple_construct())) return {IValue::tuple(std::move(args))};
    if (node->is(prim::list_unpack()) || node->is(prim::tuple_unpack()))
      return unpack(node, args[0]);
    if (node->is(prim::raise())) fail("{}", args[0].as_str());
    if (node->row().run_at) {
      std::vector<IValue> results;
      node->row().run_at(node->row(), site_of(node), args, results);
      return results;
    }
    if (!node->row().run) {
      for (IValue& v : missing_arguments(node)) args.push_back(std::move(v));
      return run_graph(composite_body(node->row()), args, depth_ + 1);
    }
    return call(node->row(), args);
  }

  static std::vector<IValue> unpack(const Node* node, const IValue& packed) {
    if (packed.items().size() != node->outputs().size())
      fail("ValueError: {} values to unpack, {} wanted", packed.items().size(),
           node->outputs().size());
    return packed.items();
  }

  Frame frame_;
  int depth_;
  const Node* at_work_ = nullptr;
};

std::vector<IValue> run_graph(const Graph& graph, std::span<const IValue> inputs, int depth) {
  Walker walker(graph, depth);
  for (size_t i = 0; i < inputs.size(); ++i) walker.at(graph.inputs()[i]) = inputs[i];
  walker.run_all(graph.block());
  std::vector<IValue> results;
  for (const Value* v : graph.outputs()) results.push_back(walker.at(v));
  return results;
}

class Eager : public Executable {
 public:
  explicit Eager(std::unique_ptr<Graph> graph) : graph_(std::move(graph)) {}
  std::vector<IValue> run(const std::vector<IValue>& inputs) const override {
    check_inputs(*graph_, inputs);
    return run_graph(*graph_, inputs, 0);
  }
  const Graph* graph() const override { return graph_.get(); }

 private:
  std::unique_ptr<Graph> graph_;
};

std::unique_ptr<Executable> prepare_eager(const ProgramView&, const Plan&,
                                          std::unique_ptr<Graph> optimised) {
  return std::make_unique<Eager>(std::move(optimised));
}

const Engine& kEager =
    Table<Engine>::instance().add({.name = "eager",
                                   .summary = "walk the graph, call the rows: reference semantics",
                                   .prepare = &prepare_eager,
                                   .reference = true});

}  // namespace
}  // namespace fusillade
