// See ir_text.h.
#include "fuzz/run/foreign/ir_text.h"

#include <cmath>

#include "engine/aten/named.h"
#include "engine/ir/visit.h"

namespace fusillade::fuzz {
namespace {

bool is_empty_list(const Node* n) {
  return n->is(prim::constant()) && n->constant().tag() == IValue::Tag::List &&
         n->constant().items().empty();
}

bool is_no_number(const Node* n) {
  return n->is(prim::constant()) && n->constant().is_float() &&
         !std::isfinite(n->constant().as_double());
}

// 1 / 0, -1 / 0 or 0 / 0, which its constants are folded to.
Node* quotient(Node* n) {
  double v = n->constant().as_double();
  Value* a = n->graph().constant(std::isnan(v) ? 0.0 : v > 0 ? 1.0 : -1.0, n);
  Value* b = n->graph().constant(0.0, n);
  return n->graph().create(aten::div_float(), {a, b}, 1);
}

void compute_constants(Block* block) {
  each_node_inside_out(block, [&](Node* n) {
    bool list = is_empty_list(n);
    if (!list && !is_no_number(n)) return;
    Node* replacement = list ? n->graph().create(prim::list_construct(), {}, 1) : quotient(n);
    replacement->output()->set_type(n->output()->type());
    replacement->insert_before(n);
    n->output()->replace_all_uses_with(replacement->output());
    n->destroy();
  });
}

void return_tuple(Graph& graph) {
  std::vector<Value*> results(graph.outputs().begin(), graph.outputs().end());
  Node* tuple = graph.create(prim::tuple_construct(), results, 1);
  std::vector<Type> types;
  for (const Value* v : results) types.push_back(v->type());
  tuple->output()->set_type(Type::tuple(std::move(types)));
  graph.block()->append(tuple);
  while (!graph.outputs().empty())
    graph.block()->remove_result(static_cast<int>(graph.outputs().size()) - 1);
  graph.add_output(tuple->output());
}

}  // namespace

std::string ir_text(const Graph& graph) {
  std::unique_ptr<Graph> copy = graph.clone();
  compute_constants(copy->block());
  return_tuple(*copy);
  return print(*copy);
}

}  // namespace fusillade::fuzz
