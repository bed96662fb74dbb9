// See ir_text.h.
#include "fuzz/run/foreign/ir_text.h"

namespace fusillade::fuzz {
namespace {

bool is_empty_list(const Node* n) {
  return n->is(prim::constant()) && n->constant().tag() == IValue::Tag::List &&
         n->constant().items().empty();
}

void construct_empty_lists(Block* block) {
  for (Node* n : block->nodes()) {
    for (Block* inner : n->blocks()) construct_empty_lists(inner);
    if (!is_empty_list(n)) continue;
    Node* made = n->graph().create(prim::list_construct(), {}, 1);
    made->output()->set_type(n->output()->type());
    made->insert_before(n);
    n->output()->replace_all_uses_with(made->output());
    n->destroy();
  }
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
  construct_empty_lists(copy->block());
  return_tuple(*copy);
  return print(*copy);
}

}  // namespace fusillade::fuzz
