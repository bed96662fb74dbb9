// One backward walk over nested blocks; see liveness.h. `live` holds, by value id, what is needed after
// the point reached.
#include "engine/run/liveness.h"

namespace fusillade {
namespace {

const std::vector<const Value*> kNone;

bool is_constant(const Value* v) { return v->node()->is(prim::constant()); }

void index_values(const Block* block, std::vector<const Value*>& by_id) {
  for (const Value* v : block->params()) by_id[v->id()] = v;
  for (const Node* node : block->nodes()) {
    for (const Value* v : node->outputs()) by_id[v->id()] = v;
    for (const Block* inner : node->blocks()) index_values(inner, by_id);
  }
}

void collect_uses(const Block* block, std::vector<const Value*>& out) {
  auto add = [&](const Value* v) {
    if (!is_constant(v)) out.push_back(v);
  };
  for (const Node* node : block->nodes()) {
    for (const Value* v : node->inputs()) add(v);
    for (const Block* inner : node->blocks()) collect_uses(inner, out);
  }
  for (const Value* v : block->results()) add(v);
}

bool within(const Value* v, const Block* block) {
  for (const Block* at = v->node()->block(); at; at = at->owner() ? at->owner()->block() : nullptr)
    if (at == block) return true;
  return false;
}

}  // namespace

Liveness::Liveness(const Graph& graph) : by_id_(graph.id_limit()) {
  index_values(graph.block(), by_id_);
  Live live(graph.id_limit(), false);
  walk(graph.block(), live);
  for (const Value* v : graph.inputs())
    if (!live[v->id()]) at_entry_[graph.block()].push_back(v);
}

bool Liveness::last_use(const Node* node, int i) const {
  auto it = last_.find(node);
  return it != last_.end() && it->second[i];
}

const std::vector<const Value*>& Liveness::drop_at_entry(const Block* block) const {
  auto it = at_entry_.find(block);
  return it == at_entry_.end() ? kNone : it->second;
}

const std::vector<const Value*>& Liveness::drop_after(const Node* loop) const {
  auto it = after_.find(loop);
  return it == after_.end() ? kNone : it->second;
}

void Liveness::use(const Node* node, int i, Live& live) {
  const Value* v = node->input(i);
  if (is_constant(v)) return;
  last_[node][i] = !live[v->id()];
  live[v->id()] = true;
}

void Liveness::use_inputs(const Node* node, Live& live) {
  last_[node].resize(node->inputs().size());
  for (int i = static_cast<int>(node->inputs().size()) - 1; i >= 0; --i) use(node, i, live);
}

void Liveness::walk(const Block* block, Live& live) {
  use_inputs(block->return_node(), live);
  for (const Node* node = block->last(); node; node = node == block->first() ? nullptr : node->prev())
    step(node, live);
}

void Liveness::step(const Node* node, Live& live) {
  if (node->is(prim::constant())) return;
  for (const Value* v : node->outputs()) live[v->id()] = false;
  if (node->is(prim::if_())) return step_if(node, live);
  if (node->is(prim::loop())) return step_loop(node, live);
  use_inputs(node, live);
}

void Liveness::step_if(const Node* node, Live& live) {
  Live branch[2] = {live, live};
  for (int b = 0; b < 2; ++b) walk(node->blocks()[b], branch[b]);
  for (size_t id = 0; id < live.size(); ++id) {
    for (int b = 0; b < 2; ++b)
      if (branch[1 - b][id] && !branch[b][id]) at_entry_[node->blocks()[b]].push_back(by_id_[id]);
    live[id] = branch[0][id] || branch[1][id];
  }
  use_inputs(node, live);
}

void Liveness::step_loop(const Node* node, Live& live) {
  const Block* body = node->blocks()[0];
  std::vector<const Value*> uses;
  collect_uses(body, uses);
  for (const Value* v : uses) {
    if (within(v, body) || live[v->id()]) continue;
    after_[node].push_back(v);
    live[v->id()] = true;
  }
  for (const Value* v : node->outputs())
    if (v->unused()) after_[node].push_back(v);
  Live inside = live;
  walk(body, inside);
  use_inputs(node, live);
}

}  // namespace fusillade
