// See recompute.h.
#include "engine/passes/recompute.h"

#include <algorithm>
#include <unordered_set>

#include "engine/passes/effects.h"

namespace fusillade {
namespace {

constexpr size_t kMostOperators = 4;  // that are computed again
constexpr int64_t kSmallShare = 16;   // values kept longer are this much smaller than those saved

// -1: not known.
int64_t elements_of(const Value* v) {
  if (!v->type().is_tensor() || !v->type().info().rank_known) return -1;
  int64_t n = 1;
  for (int64_t size : v->type().info().sizes) {
    if (size < 0) return -1;
    n *= size;
  }
  return n;
}

struct Formula {
  std::vector<const Node*> nodes;  // in order, constants among them
  std::vector<int> reads;          // inputs of the group
};

// How a value within a group follows from the group's inputs; false: by more than such operators.
bool formula_of(const Graph& group, const Value* result, Formula& out) {
  std::unordered_set<const Node*> needed;
  std::vector<const Value*> work{result};
  size_t count = 0;
  while (!work.empty()) {
    const Node* n = work.back()->node();
    const Value* v = work.back();
    work.pop_back();
    if (n == group.block()->param_node()) {
      if (std::ranges::find(out.reads, v->index()) == out.reads.end())
        out.reads.push_back(v->index());
      continue;
    }
    if (!needed.insert(n).second) continue;
    const bool constant = n->is(prim::constant()) || n->is(prim::list_construct());
    if (!constant && (n->kind() != OpKind::Pointwise || ++count > kMostOperators)) return false;
    for (const Value* read : n->inputs()) work.push_back(read);
  }
  for (const Node* n : group.block()->nodes())
    if (needed.count(n)) out.nodes.push_back(n);
  return count > 0;
}

class Recomputing {
 public:
  Recomputing(Graph& graph, Rewriter& rewriter, const Operator& op)
      : graph_(graph), rewriter_(rewriter), op_(op) {}

  void run() {
    // What is computed again is computed later: past nothing that could observe it.
    for (const Node* n : graph_.block()->nodes())
      if (has_side_effect(n) || writes_memory(n)) return;
    for (Node* n : graph_.block()->nodes()) {
      if (!n->is(op_)) continue;
      for (int i = static_cast<int>(n->outputs().size()); i-- > 0;) visit(n, i);
      if (n->outputs().size() == 0 && !draws_numbers(n)) n->destroy();
    }
  }

 private:
  void visit(Node* producer, int at) {
    Value* v = producer->output(at);
    std::vector<Node*> readers;
    for (const Use& use : v->uses()) {
      if (!use.user->is(op_)) return;
      if (std::ranges::find(readers, use.user) == readers.end()) readers.push_back(use.user);
    }
    Graph& group = producer->subgraph();
    Formula formula;
    if (readers.empty() || !formula_of(group, group.outputs()[at], formula)) return;
    for (const Node* reader : readers)
      for (int i : formula.reads)
        if (!at_hand(producer->input(i), reader, v)) return;
    if (!rewriter_.allow("recompute", producer)) return;
    for (Node* reader : readers) move_into(reader, producer, v, formula, group.outputs()[at]);
    group.block()->remove_result(at);
    producer->remove_output(at);
    drop_unused(group);
  }

  // Is it in memory at the reader without being kept longer, or so small that it may be kept?
  bool at_hand(const Value* read, const Node* reader, const Value* instead) const {
    if (!read->type().is_tensor() || read->node() == graph_.block()->param_node()) return true;
    if (std::ranges::find(reader->inputs(), read) != reader->inputs().end()) return true;
    const int64_t size = elements_of(read), saved = elements_of(instead);
    return size >= 0 && saved >= 0 && size * kSmallShare <= saved;
  }

  static int input_of(Node* reader, Value* v) {
    const auto& inputs = reader->inputs();
    const auto found = std::ranges::find(inputs, v);
    if (found != inputs.end()) return static_cast<int>(found - inputs.begin());
    reader->add_input(v);
    reader->subgraph().add_input(v->type());
    return static_cast<int>(inputs.size()) - 1;
  }

  void move_into(Node* reader, const Node* producer, Value* v, const Formula& formula,
                 const Value* result) {
    Graph& into = reader->subgraph();
    ValueMap map;
    for (int i : formula.reads) {
      const int at = input_of(reader, producer->input(i));
      map[producer->subgraph().inputs()[i]] = into.inputs()[at];
    }
    Node* first = into.block()->first();
    for (const Node* n : formula.nodes) clone_node(n, into, first, map);
    for (int i = static_cast<int>(reader->inputs().size()); i-- > 0;) {
      if (reader->input(i) != v) continue;
      into.inputs()[i]->replace_all_uses_with(map.at(result));
      into.block()->remove_param(i);
      reader->remove_input(i);
    }
  }

  static void drop_unused(Graph& group) {
    std::vector<Node*> nodes;
    for (Node* n : group.block()->nodes()) nodes.push_back(n);
    for (auto it = nodes.rbegin(); it != nodes.rend(); ++it)
      if (!draws_numbers(*it) &&
          std::ranges::all_of((*it)->outputs(), [](const Value* v) { return v->is_unused(); }))
        (*it)->destroy();
  }

  Graph& graph_;
  Rewriter& rewriter_;
  const Operator& op_;
};

}  // namespace

void recompute_between(Graph& graph, Rewriter& rewriter, const Operator& op) {
  Recomputing(graph, rewriter, op).run();
}

}  // namespace fusillade
