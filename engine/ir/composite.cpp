// See composite.h.
#include "engine/ir/composite.h"

#include <mutex>

namespace fusillade {

const Graph& composite_body(const Row& row) {
  static std::recursive_mutex mutex;  // parsing a body infers types, by other bodies
  static auto* bodies = new std::unordered_map<const Row*, std::unique_ptr<Graph>>;
  std::lock_guard lock(mutex);
  std::unique_ptr<Graph>& body = (*bodies)[&row];
  if (!body) {
    FUS_CHECK(!row.body.empty(), "{} can neither be run nor taken apart", row.name);
    body = parse_graph(row.body, row.name);
    body->name = row.name;
  }
  return *body;
}

Site site_of(const Node* node) {
  Site site;
  const Attribute* name = node->attr("name");
  if (const IValue* v = name ? std::get_if<IValue>(name) : nullptr) site.name = v->as_str();
  if (!node->outputs().empty()) site.type = node->output()->type();
  return site;
}

namespace {

// One run of a graph; an If runs the block it chooses.
class Run {
 public:
  explicit Run(const Graph& graph) : frame_(static_cast<size_t>(graph.id_limit())) {}

  IValue& at(const Value* v) { return frame_[static_cast<size_t>(v->id())]; }

  void block(const Block* b) {
    for (const Node* node : b->nodes()) {
      if (node->is(prim::constant())) {
        at(node->output()) = node->constant();
      } else if (node->is(prim::if_())) {
        const Block* taken = node->blocks()[at(node->input()).as_bool() ? 0 : 1];
        block(taken);
        for (size_t k = 0; k < node->outputs().size(); ++k) at(node->outputs()[k]) = at(taken->results()[k]);
      } else {
        plain(node);
      }
    }
  }

 private:
  void plain(const Node* node) {
    FUS_CHECK(node->blocks().empty(), "{} in a straight line", node->row().name);
    std::vector<IValue> args;
    for (const Value* v : node->inputs()) args.push_back(at(v));
    const Schema& schema = node->row().schema;
    for (size_t i = args.size(); i < schema.args.size() && !schema.varargs; ++i) {
      args.push_back(schema.args[i].default_value);
    }
    std::vector<IValue> out =
        node->row().body.empty() ? call(node->row(), args) : run_straight_line(composite_body(node->row()), args);
    for (size_t i = 0; i < out.size(); ++i) at(node->output(static_cast<int>(i))) = std::move(out[i]);
  }

  std::vector<IValue> frame_;
};

}  // namespace

std::vector<IValue> run_straight_line(const Graph& graph, std::span<const IValue> inputs) {
  Run run(graph);
  for (size_t i = 0; i < inputs.size(); ++i) run.at(graph.inputs()[i]) = inputs[i];
  run.block(graph.block());
  std::vector<IValue> results;
  for (const Value* v : graph.outputs()) results.push_back(run.at(v));
  return results;
}

}  // namespace fusillade
