// See loops.h.
#include "engine/passes/loops.h"

#include <algorithm>

#include "engine/aten/named.h"
#include "engine/ir/visit.h"
#include "engine/passes/constants.h"
#include "engine/passes/insert.h"

namespace fusillade {
namespace {

bool is_true(const Value* v) {
  const IValue* constant = constant_of(v);
  return constant && constant->is_bool() && constant->as_bool();
}

// In a copy, values from outside map to themselves.
void keep_outer(const Block* block, const Node* loop, ValueMap& map) {
  each_read(block, [&](Value* v) {
    if (!within(v->node(), loop)) map[v] = v;
  });
}

}  // namespace

bool only_counts(const Node* loop) {
  return is_true(loop->input(1)) && is_true(loop->blocks()[0]->results()[0]);
}

std::optional<int64_t> iterations_of(const Node* loop) {
  const IValue* trips = constant_of(loop->input(0));
  if (!trips || !only_counts(loop)) return std::nullopt;
  return std::max<int64_t>(trips->as_int(), 0);
}

bool surely_runs(const Node* loop) {
  const IValue* trips = constant_of(loop->input(0));
  return trips && trips->as_int() > 0 && is_true(loop->input(1));
}

size_t size_of_iteration(const Node* loop) {
  return count_nodes(loop->blocks()[0], [](const Node* n) { return !n->is(prim::constant()); });
}

bool within(const Node* node, const Node* loop) {
  for (const Node* at = node; at; at = at->block() ? at->block()->owner() : nullptr)
    if (at->block() == loop->blocks()[0]) return true;
  return false;
}

std::vector<Value*> first_carried(const Node* loop) {
  return {loop->inputs().begin() + 2, loop->inputs().end()};
}

Value* copy_iteration(const Node* loop, Value* index, std::vector<Value*>& carried, Node* before) {
  const Block* body = loop->blocks()[0];
  ValueMap map;
  keep_outer(body, loop, map);
  map[body->params()[0]] = index;
  for (size_t k = 0; k < carried.size(); ++k) map[body->params()[k + 1]] = carried[k];
  for (const Node* node : body->nodes()) clone_node(node, before->graph(), before, map);
  for (size_t k = 0; k < carried.size(); ++k) carried[k] = map.at(body->results()[k + 1]);
  return map.at(body->results()[0]);
}

void replace_loop(Node* loop, std::span<Value* const> by) {
  for (size_t k = 0; k < by.size(); ++k)
    loop->output(static_cast<int>(k))->replace_all_uses_with(by[k]);
  loop->destroy();
}

void shift_index(Node* loop, Value* by) {
  const Block* body = loop->blocks()[0];
  Value* index = body->params()[0];
  if (index->is_unused()) return;
  std::vector<Use> uses = index->uses();
  Value* shifted = insert_op(aten::add_int(), {index, by}, body->param_node()->next());
  for (const Use& use : uses) use.user->set_input(use.index, shifted);
}

}  // namespace fusillade
