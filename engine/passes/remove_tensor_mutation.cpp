// Removal of tensor mutation: an in-place op on a tensor that nothing else reaches computes a new
// one.
//
//   %a = aten::exp(%x)                %a = aten::exp(%x)
//   %b = aten::add_(%a, %y)    ==>    %b = aten::add(%a, %y)
//   %c = aten::mul(%a, %b)            %c = aten::mul(%b, %b)
//
// The tensor is fresh: created in the same block by an op whose result shares no memory. Every use
// before the write reads its elements and keeps nothing of it: no view, no list, no branch. Uses
// after the write become uses of the new tensor. The new one must be what was written: its dtype,
// sizes and strides, all known, are those of the tensor, else the equivalent rounds or lays out
// otherwise.
#include <algorithm>

#include "engine/ir/visit.h"
#include "engine/ops/infer.h"
#include "engine/passes/effects.h"
#include "engine/passes/pass.h"
#include "engine/passes/rule.h"

namespace fusillade {
namespace {

bool computes(const Node* node) {
  switch (node->kind()) {
    case OpKind::Pointwise:
    case OpKind::Reduce:
    case OpKind::Contract:
    case OpKind::Create:
    case OpKind::Opaque:
      return !node->op().schema.aliases() && !writes_memory(node) && !has_side_effect(node);
    default:
      return false;
  }
}

// The node of `block` that is the user or holds it.
const Node* in_block(const Node* user, const Block* block) {
  while (user->block() != block) user = user->block()->owner();
  return user;
}

class Remover {
 public:
  explicit Remover(Rewriter& rewriter) : rewriter_(rewriter) {}

  void run(Block* block) {
    each_node_inside_out(block, [&](Node* node) {
      if (node->op().in_place && node->op().functional && may_go(node)) replace(node);
    });
  }

 private:
  static bool may_go(const Node* node) {
    const Value* self = node->input();
    const Node* producer = self->node();
    if (producer->block() != node->block() || !computes(producer) || node->outputs().size() != 1)
      return false;
    const List<Use>& uses = self->uses();
    return std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
      return use.user == node || node->before(in_block(use.user, node->block())) ||
             computes(use.user);
    });
  }

  void replace(Node* node) {
    Value* self = node->input();
    Node* fresh = node->graph().create(*node->op().functional, node->inputs());
    fresh->range = node->range;
    fresh->insert_before(node);
    if (!same_result(fresh, self) || !rewriter_.allow("in-place", node)) {
      fresh->destroy();
      return;
    }
    std::vector<Use> uses = self->uses();
    for (const Use& use : uses)
      if (use.user != node && node->before(use.user))
        use.user->set_input(use.index, fresh->output());
    node->output()->replace_all_uses_with(fresh->output());
    node->destroy();
  }

  static bool same_result(Node* fresh, const Value* self) {
    try {
      infer_types(fresh);
    } catch (const Error&) {
      return false;
    }
    return same_known_type(fresh->output(), self);
  }

  Rewriter& rewriter_;
};

}  // namespace

PASS(remove_tensor_mutation, kExact | kIdempotent,
     "replace in-place ops on tensors without aliases by ops that make new ones", writes_tensor) {
  Remover(rewriter).run(graph.block());
}

}  // namespace fusillade
