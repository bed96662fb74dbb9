// One backward walk over nested blocks; see liveness.h. `live` holds, by value id, what is needed
// after the point reached.
#include "engine/run/liveness.h"

#include <bit>

#include "engine/ir/visit.h"

namespace fusillade {
namespace {

const std::vector<const Value*> kNone;

bool is_constant(const Value* v) { return v->node()->is(prim::constant()); }

// Returns how many nodes there are, return nodes among them.
size_t index_values(const Block* block, std::vector<const Value*>& by_id) {
  each_value(block, [&](const Value* v) { by_id[v->id()] = v; });
  size_t nodes = 1;
  each_node(block, [&](const Node* node) { nodes += 1 + node->blocks().size(); });
  return nodes;
}

void collect_uses(const Block* block, std::vector<const Value*>& out) {
  each_read(block, [&](const Value* v) {
    if (!is_constant(v)) out.push_back(v);
  });
}

bool within(const Value* v, const Block* block) {
  for (const Block* at = v->node()->block(); at; at = at->owner() ? at->owner()->block() : nullptr)
    if (at == block) return true;
  return false;
}

}  // namespace

Liveness::Liveness(const Graph& graph) : by_id_(graph.id_limit()) {
  table_.resize(std::bit_ceil(2 * index_values(graph.block(), by_id_)));
  Live live(by_id_.size() / 64 + 1, 0);
  walk(graph.block(), live);
  for (const Value* v : graph.inputs())
    if (!has(live, v)) at_entry_[graph.block()].push_back(v);
}

// Where the node is, or where it would be.
size_t Liveness::slot_of(const Node* node) const {
  size_t mask = table_.size() - 1;
  size_t at = (reinterpret_cast<uintptr_t>(node) * 0x9E3779B97F4A7C15u >> 20) & mask;
  while (table_[at].node && table_[at].node != node) at = (at + 1) & mask;
  return at;
}

bool Liveness::last_use(const Node* node, int i) const {
  const Entry& entry = table_[slot_of(node)];
  return entry.node && last_[entry.first + static_cast<size_t>(i)];
}

const std::vector<const Value*>& Liveness::drop_at_entry(const Block* block) const {
  auto it = at_entry_.find(block);
  return it == at_entry_.end() ? kNone : it->second;
}

const std::vector<const Value*>& Liveness::drop_after(const Node* loop) const {
  auto it = after_.find(loop);
  return it == after_.end() ? kNone : it->second;
}

void Liveness::use_inputs(const Node* node, Live& live) {
  size_t first = last_.size();
  table_[slot_of(node)] = {node, first};
  last_.resize(first + node->inputs().size());
  for (size_t i = node->inputs().size(); i-- > 0;) {
    const Value* v = node->inputs()[i];
    if (is_constant(v)) continue;
    last_[first + i] = !has(live, v);
    set(live, v, true);
  }
}

void Liveness::walk(const Block* block, Live& live) {
  use_inputs(block->return_node(), live);
  for (const Node* node = block->last(); node;
       node = node == block->first() ? nullptr : node->prev())
    step(node, live);
}

void Liveness::step(const Node* node, Live& live) {
  if (node->is(prim::constant())) return;
  for (const Value* v : node->outputs()) set(live, v, false);
  if (node->is(prim::if_())) return step_if(node, live);
  if (node->is(prim::loop())) return step_loop(node, live);
  use_inputs(node, live);
}

void Liveness::step_if(const Node* node, Live& live) {
  Live branch[2] = {live, live};
  for (int b = 0; b < 2; ++b) walk(node->blocks()[b], branch[b]);
  for (size_t word = 0; word < live.size(); ++word) {
    for (int b = 0; b < 2; ++b) {
      uint64_t other = branch[1 - b][word] & ~branch[b][word];
      for (; other; other &= other - 1) {
        size_t id = 64 * word + static_cast<size_t>(std::countr_zero(other));
        at_entry_[node->blocks()[b]].push_back(by_id_[id]);
      }
    }
    live[word] = branch[0][word] | branch[1][word];
  }
  use_inputs(node, live);
}

void Liveness::step_loop(const Node* node, Live& live) {
  const Block* body = node->blocks()[0];
  std::vector<const Value*> uses;
  collect_uses(body, uses);
  for (const Value* v : uses) {
    if (has(live, v) || within(v, body)) continue;
    after_[node].push_back(v);
    set(live, v, true);
  }
  for (const Value* v : node->outputs())
    if (v->is_unused()) after_[node].push_back(v);
  Live inside = live;
  walk(body, inside);
  use_inputs(node, live);
}

}  // namespace fusillade
