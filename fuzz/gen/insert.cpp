// Steps within a program that is already there.
#include <algorithm>

#include "fuzz/gen/graph_state.h"

namespace fusillade::fuzz {
namespace {

// Constants are no candidates: an operator may write to its operand.
void gather(GraphState& g, Node* before) {
  g.tensors.clear();
  g.scalars.clear();
  auto add = [&](Value* v) {
    if (is_range_name(v->name()) || v->node()->is(prim::constant())) return;
    if (!v->type().is_tensor() || v->type().info().complete()) add_result(g, v);
  };
  for (const Node* n = before; n; n = n->block()->owner()) {
    for (Value* v : n->block()->params()) add(v);
    for (Node* m : n->block()->nodes()) {
      if (m == n) break;
      for (Value* v : m->outputs()) add(v);
    }
  }
}

}  // namespace

std::vector<Value*> insert_steps(GraphState& g, int ops, Node* before) {
  g.block = before->block();
  gather(g, before);
  if (!g.tensors.empty()) g.base = g.choices.pick(g.tensors)->type().info().sizes;
  if (g.tensors.empty()) {
    Value* fresh = fresh_input(g);
    if (!fresh) return {};
    g.tensors.push_back(fresh);
  }
  int depth = 0;
  for (const Node* owner = g.block->owner(); owner; owner = owner->block()->owner()) ++depth;
  const Node* last = g.block->return_node()->prev();
  const size_t known = g.tensors.size();
  g.budget = ops;
  make_steps(g, ops, depth);
  std::vector<Node*> new_nodes;
  for (Node* n = g.block->return_node()->prev(); n != last; n = n->prev()) new_nodes.push_back(n);
  for (auto it = new_nodes.rbegin(); it != new_nodes.rend() && before != g.block->return_node();
       ++it)
    (*it)->move_before(before);
  std::vector<Value*> out;
  for (size_t i = known; i < g.tensors.size(); ++i)
    if (g.tensors[i]->node()->block() == g.block && g.tensors[i]->node() != g.block->param_node())
      out.push_back(g.tensors[i]);
  return out;
}

}  // namespace fusillade::fuzz
