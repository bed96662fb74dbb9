// See gradients.h.
#include "engine/run/gradients.h"

#include <algorithm>
#include <unordered_set>

#include "engine/ir/prims.h"

namespace fusillade {
namespace {

// torch.tensor(..., requires_grad=True), x.requires_grad_(), or a flag known only at run time.
bool makes_leaf(const Node* node) {
  const Schema& schema = node->op().schema;
  const int at = schema.requires_grad;
  if (at < 0) return false;
  if (static_cast<size_t>(at) >= node->inputs().size()) {
    const IValue& left_out = schema.args[static_cast<size_t>(at)].default_value;
    return left_out.is_bool() && left_out.as_bool();
  }
  const Node* from = node->input(at)->node();
  const bool known = from->is(prim::constant()) && from->constant().is_bool();
  return !known || from->constant().as_bool();
}

bool asks(const Block* block, std::unordered_set<const Graph*>& seen) {
  for (const Node* node : block->nodes()) {
    if (node->op().asks_gradients || makes_leaf(node)) return true;
    if (std::ranges::any_of(node->blocks(), [&](const Block* b) { return asks(b, seen); }))
      return true;
    if (!node->has_attr("Subgraph") || !seen.insert(&node->subgraph()).second) continue;
    if (asks(node->subgraph().block(), seen)) return true;
  }
  return false;
}

}  // namespace

bool asks_gradients(const Graph& graph) {
  std::unordered_set<const Graph*> seen;
  return asks(graph.block(), seen);
}

}  // namespace fusillade
