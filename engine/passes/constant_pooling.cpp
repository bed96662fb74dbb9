// Constant pooling: one node per constant, at the top of the graph.
//
//   %a : Tensor = aten::relu(%x)          %1 : int = prim::Constant[value=1]()
//   %1 : int = prim::Constant[value=1]()  %a : Tensor = aten::relu(%x)
//   %b : Tensor = aten::add(%a, %x, %1)   %b : Tensor = aten::add(%a, %x, %1)
//   %2 : int = prim::Constant[value=1]()  %c : Tensor = aten::mul(%b, %1)
//   %c : Tensor = aten::mul(%b, %2)
//
// Equal means the same bits and the same static type. Tensors and lists have identity. Lists merge
// only when no write and no result of the graph could distinguish them. Tensors merge when they are
// one object: what else reaches another tensor of equal elements is unknown, as it may leave by
// another graph of a module. Moving a constant out of a loop or branch changes nothing, since
// evaluating it always gives the same object.
#include <unordered_map>

#include "engine/ir/visit.h"
#include "engine/passes/constants.h"
#include "engine/passes/effects.h"
#include "engine/passes/pass.h"

namespace fusillade {
namespace {

// Equal constants of the same tensors have one; others seldom.
size_t hash_of(const IValue& v) {
  if (v.is_tensor() && v.as_tensor().is_defined())
    return std::hash<const void*>()(v.as_tensor().impl());
  return hash_constant(v);
}

// Of two equal constants: are the tensors in them the same ones?
bool same_tensors(const IValue& a, const IValue& b) {
  if (a.is_tensor()) return a.as_tensor().same(b.as_tensor());
  if (!a.is_sequence()) return !is_mutable(a);
  for (size_t i = 0; i < a.items().size(); ++i)
    if (is_mutable(a.items()[i]) && !same_tensors(a.items()[i], b.items()[i])) return false;
  return true;
}

class Pool {
 public:
  Pool(Graph& graph, Rewriter& rewriter)
      : effects_(graph), top_(graph.block()), rewriter_(rewriter) {}

  void run(Block* block) {
    each_node_inside_out(block, [&](Node* node) {
      if (node->is(prim::constant()) && !merge(node)) move_up(node);
    });
  }

 private:
  bool merge(Node* node) {
    Value* out = node->output();
    const bool list = is_mutable(node->constant()) && !node->constant().is_tensor();
    if (list && (effects_.is_written(out) || effects_.escapes(out))) return false;
    std::vector<Node*>& same_hash = seen_[hash_of(node->constant())];
    for (Node* kept : same_hash) {
      Value* by = kept->output();
      if (!(by->type() == out->type()) || !same_constant(kept->constant(), node->constant()))
        continue;
      if (is_mutable(node->constant()) && !same_tensors(kept->constant(), node->constant()))
        continue;
      if (!rewriter_.allow("merge", node)) return false;
      out->replace_all_uses_with(by);
      effects_.replace_value(out, by);
      node->destroy();
      return true;
    }
    same_hash.push_back(node);
    return false;
  }

  // Constants at the top keep their order, so a second run moves nothing.
  void move_up(Node* node) {
    Node* first = last_ ? last_->next() : top_->first();
    if (first != node) {
      if (!rewriter_.allow("move-to-top", node)) return;
      node->move_before(first);
    }
    last_ = node;
  }

  Effects effects_;
  Block* top_;
  Rewriter& rewriter_;
  Node* last_ = nullptr;
  std::unordered_map<size_t, std::vector<Node*>> seen_;
};

}  // namespace

PASS(constant_pooling, kExact | kIdempotent | kMerges,
     "merge equal constants and move them to the top") {
  Pool(graph, rewriter).run(graph.block());
}

}  // namespace fusillade
