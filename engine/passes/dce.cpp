// Dead code elimination.
//
//   %a : Tensor = aten::exp(%x)                  (gone: nothing uses it)
//   %b : Tensor, %c : Tensor = prim::If(%cond)   %c : Tensor = prim::If(%cond)
//     block0(): -> (%p, %q)                        block0(): -> (%q)
//     block1(): -> (%x, %x)              ==>       block1(): -> (%x)
//   return (%c)                                  return (%c)
//
// Mark and sweep. Roots: the graph's results, side effects, random numbers that are drawn (those
// after them would be others), and writes to memory that is live or that the caller can see. A
// loop-carried slot is live when its output is, or when the body needs its parameter for something
// live: a variable that only feeds itself goes. An infinite loop without effects may go as well.
//
// Every single step leaves a valid graph, so fuel may run out anywhere: a value is removed only
// once nothing uses it.
#include <unordered_set>

#include "engine/ir/visit.h"
#include "engine/passes/effects.h"
#include "engine/passes/pass.h"

namespace fusillade {
namespace {

class Marker {
 public:
  explicit Marker(Graph& graph) : effects_(graph) {
    collect_roots(graph.block());
    for (const Value* v : graph.outputs()) mark(v);
    drain();
    while (mark_writers()) drain();
  }

  bool live(const Node* node) const { return nodes_.count(node) > 0; }
  bool live(const Value* v) const { return has(values_, v->id()); }

 private:
  static bool has(const std::vector<bool>& set, int id) {
    return static_cast<size_t>(id) < set.size() && set[id];
  }

  void collect_roots(const Block* block) {
    each_node_inside_out(block, [&](const Node* node) {
      if (node->blocks().empty() && has_side_effect(node)) mark(node);
      if (node->blocks().empty() && draws_numbers(node)) mark(node);
    });
  }

  void mark(const Value* v) {
    if (live(v)) return;
    if (values_.size() <= static_cast<size_t>(v->id())) values_.resize(v->id() + 64);
    values_[v->id()] = true;
    if (int c = effects_.class_of(v); c >= 0) live_classes_.insert(c);
    work_.push_back(v);
  }

  void drain() {
    while (!work_.empty()) {
      const Value* v = work_.back();
      work_.pop_back();
      follow(v);
    }
  }

  void follow(const Value* v) {
    const Node* node = v->node();
    const Node* owner = node->block()->owner();
    if (node == node->block()->param_node()) {
      if (!owner) return;
      mark(owner);
      if (v->index() > 0) mark_slot(owner, v->index() - 1);
      return;
    }
    mark(node);
    if (node->is(prim::loop())) return mark_slot(node, v->index());
    for (const Block* block : node->blocks()) mark(block->results()[v->index()]);
  }

  void mark_slot(const Node* loop, int k) {
    mark(loop->input(k + 2));
    mark(loop->blocks()[0]->params()[k + 1]);
    mark(loop->blocks()[0]->results()[k + 1]);
    mark(loop->output(k));
  }

  void mark(const Node* node) {
    if (!nodes_.insert(node).second) return;
    bool loop = node->is(prim::loop());
    size_t own = loop ? 2 : node->inputs().size();  // a loop's carried inputs live by slot
    for (size_t i = 0; i < own; ++i) mark(node->input(static_cast<int>(i)));
    if (loop) mark(node->blocks()[0]->results()[0]);
    if (const Node* owner = node->block()->owner()) mark(owner);
  }

  bool mark_writers() {
    bool changed = false;
    for (const Node* writer : effects_.writers()) {
      if (live(writer)) continue;
      bool seen = false;
      for (int c : effects_.written_classes(writer))
        seen = seen || effects_.class_outside(c) || live_classes_.count(c) > 0;
      if (!seen) continue;
      mark(writer);
      changed = true;
    }
    return changed;
  }

  Effects effects_;
  std::unordered_set<const Node*> nodes_;
  std::vector<bool> values_;
  std::unordered_set<int> live_classes_;
  std::vector<const Value*> work_;
};

class Sweeper {
 public:
  Sweeper(const Marker& marker, Rewriter& rewriter) : marker_(marker), rewriter_(rewriter) {}

  void sweep(Block* block) {
    for (Node* node = block->last(); node;) {
      Node* previous = node == block->first() ? nullptr : node->prev();
      sweep(node);
      node = previous;
    }
  }

 private:
  void sweep(Node* node) {
    if (!marker_.live(node)) {
      bool used = false;
      for (const Value* v : node->outputs()) used = used || !v->is_unused();
      if (!used && rewriter_.allow("dead-node", node)) node->destroy();
      return;
    }
    if (node->is(prim::if_())) remove_if_results(node);
    if (node->is(prim::loop())) cut_loop_slots(node);
    for (Block* block : node->blocks()) sweep(block);
    if (node->is(prim::loop())) remove_loop_slots(node);
  }

  void remove_if_results(Node* node) {
    for (int k = static_cast<int>(node->outputs().size()) - 1; k >= 0; --k) {
      if (marker_.live(node->output(k)) || !node->output(k)->is_unused()) continue;
      if (!rewriter_.allow("dead-if-result", node)) return;
      node->remove_output(k);
      for (Block* block : node->blocks()) block->remove_result(k);
    }
  }

  // A dead slot's result becomes its own parameter, which frees what computed it.
  void cut_loop_slots(Node* node) {
    Block* body = node->blocks()[0];
    for (size_t k = 0; k < node->outputs().size(); ++k) {
      Value* out = node->output(static_cast<int>(k));
      Value* param = body->params()[k + 1];
      if (marker_.live(out) || !out->is_unused() || body->results()[k + 1] == param) continue;
      if (!rewriter_.allow("cut-loop-slot", node)) return;
      body->set_result(static_cast<int>(k) + 1, param);
    }
  }

  void remove_loop_slots(Node* node) {
    Block* body = node->blocks()[0];
    for (int k = static_cast<int>(node->outputs().size()) - 1; k >= 0; --k) {
      Value* param = body->params()[k + 1];
      bool alone = param->uses().size() == 1 && body->results()[k + 1] == param;
      if (marker_.live(node->output(k)) || !node->output(k)->is_unused() || !alone) continue;
      if (!rewriter_.allow("dead-loop-slot", node)) return;
      node->remove_output(k);
      body->remove_result(k + 1);
      body->remove_param(k + 1);
      node->remove_input(k + 2);
    }
  }

  const Marker& marker_;
  Rewriter& rewriter_;
};

}  // namespace

PASS(dce, kExact | kIdempotent | kKeepsTape, "remove what nothing needs") {
  Marker marker(graph);
  Sweeper(marker, rewriter).sweep(graph.block());
}

}  // namespace fusillade
