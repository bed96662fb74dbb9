// See decided.h.
#include "fuzz/given/decided.h"

#include "engine/ir/visit.h"
#include "engine/ops/operator.h"

namespace fusillade::fuzz {
namespace {

class Slice {
 public:
  void add(const Node* n) { nodes_.insert(n); }
  // What computes it, through branches and loops.
  void add(const Value* v) {
    if (!values_.insert(v).second) return;
    const Node* node = v->node();
    const Node* owner = node->block()->owner();
    const auto at = static_cast<size_t>(v->index());
    if (node == node->block()->param_node()) {
      if (!owner || at == 0) return;  // an input of the program; the number of the iteration
      add(owner->input(static_cast<int>(at) + 1));
      add_result(owner->blocks()[0], at);
      return;
    }
    nodes_.insert(node);
    if (node->is(prim::if_())) {
      add(node->input());
      for (const Block* b : node->blocks()) add_result(b, at);
    } else if (node->is(prim::loop())) {
      for (int i : {0, 1, v->index() + 2}) add(node->input(i));
      for (size_t i : {size_t{0}, at + 1}) add_result(node->blocks()[0], i);
    } else {
      for (const Value* from : node->inputs()) add(from);
    }
  }
  std::set<const Node*> take() { return std::move(nodes_); }

 private:
  void add_result(const Block* block, size_t at) {
    nodes_.insert(block->return_node());
    add(block->results()[at]);
  }

  std::set<const Node*> nodes_;
  std::set<const Value*> values_;
};

}  // namespace

std::set<const Node*> deciding_nodes(const Graph& graph) {
  static const Operator& cast = operator_named("prim::unchecked_cast");
  static const Operator& unset = operator_named("prim::Uninitialized");
  bool sure = false;
  each_node(graph.block(), [&](const Node* n) { sure = sure || n->is(cast) || n->is(unset); });
  Slice slice;
  if (sure)
    each_node(graph.block(), [&](const Node* n) {
      if (n->is(cast)) slice.add(n);
      if (!n->is(prim::if_()) && !n->is(prim::loop())) return;
      slice.add(n);
      slice.add(n->input(n->is(prim::loop()) ? 1 : 0));
      if (n->is(prim::loop())) slice.add(n->blocks()[0]->results()[0]);
    });
  return slice.take();
}

}  // namespace fusillade::fuzz
