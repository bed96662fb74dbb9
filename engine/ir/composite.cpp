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

std::vector<IValue> run_straight_line(const Graph& graph, std::span<const IValue> inputs) {
  std::vector<IValue> frame(static_cast<size_t>(graph.id_limit()));
  auto at = [&](const Value* v) -> IValue& { return frame[static_cast<size_t>(v->id())]; };
  for (size_t i = 0; i < inputs.size(); ++i) at(graph.inputs()[i]) = inputs[i];
  for (const Node* node : graph.block()->nodes()) {
    if (node->is(prim::constant())) {
      at(node->output()) = node->constant();
      continue;
    }
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
  std::vector<IValue> results;
  for (const Value* v : graph.outputs()) results.push_back(at(v));
  return results;
}

}  // namespace fusillade
