// Steps within a program that is already there.
#include <algorithm>

#include "fuzz/gen/builder.h"

namespace fusillade::fuzz {

Builder::Builder(Choices& choices, const Policy& policy, std::unique_ptr<Graph> graph,
                 const std::function<bool(const Row&)>& rows)
    : Builder(choices, policy, 0, rows) {
  graph_ = std::move(graph);
  block_ = graph_->block();
  nested_ = true;  // names of functions stay those of the program
}

// Constants are no candidates: a row may write to its operand.
void Builder::gather(Node* before) {
  tensors_.clear();
  scalars_.clear();
  auto add = [&](Value* v) {
    if (is_granted(v->name()) || v->node()->is(prim::constant())) return;
    if (!v->type().is_tensor() || v->type().info().complete()) add_result(v);
  };
  for (const Node* n = before; n; n = n->block()->owner()) {
    for (Value* v : n->block()->params()) add(v);
    for (Node* m : n->block()->nodes()) {
      if (m == n) break;
      for (Value* v : m->outputs()) add(v);
    }
  }
}

std::vector<Value*> Builder::insert(int ops, Node* before) {
  block_ = before->block();
  gather(before);
  if (!tensors_.empty()) base_ = choices_.pick(tensors_)->type().info().sizes;
  if (tensors_.empty()) {
    Value* fresh = fresh_input();
    if (!fresh) return {};
    tensors_.push_back(fresh);
  }
  int depth = 0;
  for (const Node* owner = block_->owner(); owner; owner = owner->block()->owner()) ++depth;
  const Node* last = block_->return_node()->prev();
  const size_t known = tensors_.size();
  budget_ = ops;
  steps(ops, depth);
  std::vector<Node*> made;
  for (Node* n = block_->return_node()->prev(); n != last; n = n->prev()) made.push_back(n);
  for (auto it = made.rbegin(); it != made.rend() && before != block_->return_node(); ++it)
    (*it)->move_before(before);
  std::vector<Value*> out;
  for (size_t i = known; i < tensors_.size(); ++i)
    if (tensors_[i]->node()->block() == block_ && tensors_[i]->node() != block_->param_node())
      out.push_back(tensors_[i]);
  return out;
}

}  // namespace fusillade::fuzz
