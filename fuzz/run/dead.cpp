// See dead.h. Mark and sweep over values: a value is needed when a needed value is computed from it or chosen by it.
#include "fuzz/run/dead.h"

#include <unordered_set>

namespace fusillade::fuzz {
namespace {

bool writes_or_acts(const Block* block) {
  for (const Node* n : block->nodes()) {
    bool raise = n->is(prim::raise());
    if (!raise && (n->row().side_effect || n->row().schema.writes())) return true;
    for (const Block* inner : n->blocks()) {
      if (writes_or_acts(inner)) return true;
    }
  }
  return false;
}

class Needed {
 public:
  explicit Needed(const Graph& graph) {
    for (const Value* v : graph.outputs()) need(v);
    need_raises(graph.block());
    while (!work_.empty()) {
      const Value* v = work_.back();
      work_.pop_back();
      follow(v);
    }
  }

  bool holds(const Value* v) const { return values_.count(v) > 0; }
  bool holds(const Node* n) const { return nodes_.count(n) > 0; }

 private:
  void need_raises(const Block* block) {
    for (const Node* n : block->nodes()) {
      if (n->is(prim::raise())) need(n);
      for (const Block* inner : n->blocks()) need_raises(inner);
    }
  }

  void need(const Value* v) {
    if (values_.insert(v).second) work_.push_back(v);
  }

  // The node runs: what decides whether and how often, and its operands, apart from what a Loop carries.
  void need(const Node* n) {
    if (!nodes_.insert(n).second) return;
    size_t own = n->is(prim::loop()) ? 2 : n->inputs().size();
    for (size_t i = 0; i < own; ++i) need(n->input(static_cast<int>(i)));
    if (n->is(prim::loop())) need(n->blocks()[0]->results()[0]);
    if (n->block()->owner()) need(n->block()->owner());
  }

  void need_slot(const Node* loop, int k) {
    need(loop->input(k + 2));
    need(loop->blocks()[0]->params()[k + 1]);
    need(loop->blocks()[0]->results()[k + 1]);
    need(loop->output(k));
  }

  void follow(const Value* v) {
    const Node* n = v->node();
    const Node* owner = n->block()->owner();
    if (n == n->block()->param_node()) {
      if (!owner) return;
      need(owner);
      if (v->index() > 0) need_slot(owner, v->index() - 1);
      return;
    }
    need(n);
    if (n->is(prim::loop())) return need_slot(n, v->index());
    for (const Block* b : n->blocks()) need(b->results()[v->index()]);
  }

  std::unordered_set<const Value*> values_;
  std::unordered_set<const Node*> nodes_;
  std::vector<const Value*> work_;
};

// Dead slots and results are unhooked on the way down, so that every dead value is unused on the way up.
void unhook(const Needed& needed, Block* block) {
  for (Node* n : block->nodes()) {
    if (!needed.holds(n)) continue;
    for (int k = static_cast<int>(n->outputs().size()); k-- > 0;) {
      if (n->blocks().empty() || needed.holds(n->output(k))) continue;
      for (Block* b : n->blocks()) {
        if (n->is(prim::loop())) b->set_result(k + 1, b->params()[k + 1]);
        else b->remove_result(k);
      }
      if (!n->is(prim::loop())) {
        n->output(k)->replace_all_uses_with(n->input(0));  // dead uses only; they go below
        n->remove_output(k);
      }
    }
    for (Block* b : n->blocks()) unhook(needed, b);
  }
}

void sweep(const Needed& needed, Block* block) {
  std::vector<Node*> all;
  for (Node* n : block->nodes()) all.push_back(n);
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    Node* n = *it;
    if (!needed.holds(n)) {
      n->destroy();
      continue;
    }
    for (Block* b : n->blocks()) sweep(needed, b);
    if (!n->is(prim::loop())) continue;
    Block* body = n->blocks()[0];
    for (int k = static_cast<int>(n->outputs().size()); k-- > 0;) {
      if (needed.holds(n->output(k))) continue;
      n->remove_output(k);
      body->remove_result(k + 1);
      body->remove_param(k + 1);
      n->remove_input(k + 2);
    }
  }
}

}  // namespace

void drop_dead_code(Graph& graph) {
  Needed needed(graph);
  unhook(needed, graph.block());
  sweep(needed, graph.block());
}

void judge_missing_error(const Graph& program, const Call& call, const Outcome& observed, Verdict& verdict) {
  if (!verdict.raises || observed.kind != Outcome::Kind::Values || writes_or_acts(program.block())) return;
  std::unique_ptr<Graph> live = program.clone();
  drop_dead_code(*live);
  Outcome outcome = Prepared(*live, "eager").run(call);
  if (outcome.kind != Outcome::Kind::Error) return;
  verdict.kind = VerdictKind::Mismatch;
  verdict.raises = false;
  verdict.reason = "missing error: " + stable_phrase(outcome.message);
  verdict.detail = "eager raises: " + outcome.message;
}

}  // namespace fusillade::fuzz
