// See grouping.h.
#include "engine/passes/grouping.h"

#include <algorithm>
#include <unordered_map>

#include "engine/ir/constant_tree.h"
#include "engine/passes/raises.h"

namespace fusillade {
namespace {

using MayFuse = GroupKind::MayFuse;

class Grouping {
 public:
  Grouping(Graph& graph, Rewriter& rewriter, const GroupKind& kind)
      : graph_(graph), rewriter_(rewriter), kind_(kind), effects_(graph) {
    for (const Node* writer : effects_.writers()) {
      const std::vector<int> written = effects_.written_classes(writer);
      const bool visible = std::any_of(written.begin(), written.end(),
                                       [&](int c) { return effects_.class_outside(c); });
      for (const Node* at = writer; visible && at; at = at->block()->owner())
        visible_writers_.insert(at);
    }
  }

  void run(Block* block) {
    std::vector<Node*> nodes;
    int span = 0;
    for (Node* n : block->nodes()) {
      nodes.push_back(n);
      if (visible_writers_.count(n) || has_side_effect(n)) ++span;
      span_[n] = span;
      if (draws_numbers(n)) draws_.insert(n);
    }
    for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
      if (done_.count(*it)) continue;
      if ((*it)->is(kind_.op)) continue;
      for (Block* inner : (*it)->blocks()) run(inner);
      if (kind_.may_fuse(*it) == MayFuse::Member && fits(*it) && parts_come(*it, *it) &&
          !kind_.stays_inside(*it))
        grow(*it);
    }
  }

 private:
  bool fits(const Node* n) const {
    if (kind_.may_fuse(n) == MayFuse::Outside) return false;
    for (const Value* v : n->inputs()) {
      if (kind_.written(effects_, v)) return false;
    }
    return std::none_of(n->outputs().begin(), n->outputs().end(),
                        [&](const Value* v) { return kind_.written(effects_, v); });
  }

  bool may_move(const Node* n, const Node* seed) const {
    if (kind_.stretch(n) != kind_.stretch(seed)) return false;
    return span_.at(n) == span_.at(seed) || !may_raise(n);
  }

  bool keeps_draw_order(const Node* n, const Node* seed) const {
    if (!draws_.count(n)) return true;
    for (const Node* at = n->next(); at != seed; at = at->next())
      if (draws_.count(at) && !members_.count(at)) return false;
    return true;
  }

  bool is_part(const Node* n) const { return kind_.may_fuse(n) == MayFuse::Part; }

  // The lists that belong to a node.
  bool parts_come(const Node* reader, const Node* seed) const {
    return std::all_of(reader->inputs().begin(), reader->inputs().end(), [&](const Value* v) {
      const Node* list = v->node();
      return !is_part(list) || (!done_.count(list) && fits(list) && may_move(list, seed));
    });
  }

  bool may_pull(const Node* producer, const Node* seed) const {
    if (done_.count(producer) || producer->block() != seed->block() || !fits(producer))
      return false;
    if (!may_move(producer, seed) || !parts_come(producer, seed)) return false;
    if (!keeps_draw_order(producer, seed)) return false;
    bool must_stay_inside = kind_.stays_inside(producer);
    for (const Value* v : producer->outputs()) {
      for (const Use& use : v->uses()) {
        if (members_.count(use.user)) continue;
        if (must_stay_inside) return false;
        if (use.user != producer->block()->return_node() && !seed->before(use.user)) return false;
      }
    }
    return true;
  }

  void grow(Node* seed) {
    members_ = {seed};
    std::vector<Node*> ordered{seed};
    for (bool grew = true; grew;) {
      grew = false;
      for (size_t i = 0; i < ordered.size(); ++i) {
        for (Value* v : ordered[i]->inputs()) {
          Node* producer = v->node();
          if (members_.count(producer) || !may_pull(producer, seed)) continue;
          if (kind_.may_fuse_with && !kind_.may_fuse_with(producer, ordered)) continue;
          if (!is_part(producer) && !rewriter_.allow("merge", producer)) continue;
          members_.insert(producer);
          ordered.push_back(producer);
          grew = true;
        }
      }
      if (!grew && kind_.fuses_horizontally) grew = pull_sibling(seed, ordered);
    }
    std::vector<Node*> counted;
    std::ranges::copy_if(ordered, std::back_inserter(counted),
                         [&](const Node* n) { return kind_.may_fuse(n) == MayFuse::Member; });
    if (!kind_.pays(counted)) return;
    std::sort(ordered.begin(), ordered.end(),
              [](const Node* a, const Node* b) { return a->before(b); });
    build(ordered, seed);
  }

  // Pulls in the last node before the seed that fuses horizontally with it.
  bool pull_sibling(Node* seed, std::vector<Node*>& ordered) {
    for (Node* n = seed->prev(); n != seed->block()->param_node(); n = n->prev()) {
      if (members_.count(n) || kind_.may_fuse(n) != MayFuse::Member ||
          !kind_.fuses_horizontally(n, ordered))
        continue;
      if (!may_pull(n, seed) || (kind_.may_fuse_with && !kind_.may_fuse_with(n, ordered))) continue;
      if (!rewriter_.allow("horizontal", n)) continue;
      members_.insert(n);
      ordered.push_back(n);
      return true;
    }
    return false;
  }

  // Copies a constant (tree) into the group.
  Value* import_constant(Value* v, Graph& into, ValueMap& map) {
    auto it = map.find(v);
    if (it != map.end()) return it->second;
    for (Value* in : v->node()->inputs()) import_constant(in, into, map);
    clone_node(v->node(), into, into.block()->return_node(), map);
    return map.at(v);
  }

  void build(const std::vector<Node*>& ordered, Node* seed) {
    auto inner = std::make_shared<Graph>();
    Node* group = graph_.create(kind_.op, {}, 0);
    group->range = seed->range;
    ValueMap map;
    for (Node* n : ordered) {
      for (Value* v : n->inputs()) {
        if (map.count(v)) continue;
        if (is_constant_tree(v)) {
          import_constant(v, *inner, map);
        } else {
          map[v] = inner->add_input(v->type());
          group->add_input(v);
        }
      }
      clone_node(n, *inner, inner->block()->return_node(), map);
    }
    group->insert_before(seed);
    for (Node* n : ordered)
      for (Value* v : n->outputs()) hand_out(v, *inner, *group, map);
    group->set_attr("Subgraph", inner);
    for (const auto& [name, value] : kind_.attributes) group->set_attr(name, value);
    for (auto it = ordered.rbegin(); it != ordered.rend(); ++it) {
      done_.insert(*it);
      (*it)->destroy();
    }
  }

  // What is used outside becomes a result of the group.
  void hand_out(Value* v, Graph& inner, Node& group, const ValueMap& map) const {
    bool leaves = std::any_of(v->uses().begin(), v->uses().end(),
                              [&](const Use& use) { return !members_.count(use.user); });
    if (!leaves) return;
    inner.add_output(map.at(v));
    Value* out = group.add_output(v->type());
    std::vector<Use> uses = v->uses();
    for (const Use& use : uses) {
      if (!members_.count(use.user)) use.user->set_input(use.index, out);
    }
  }

  Graph& graph_;
  Rewriter& rewriter_;
  const GroupKind& kind_;
  Effects effects_;
  std::unordered_set<const Node*> members_;
  std::unordered_set<const Node*> done_;
  std::unordered_set<const Node*> visible_writers_;  // the caller may see memory that it writes
  std::unordered_set<const Node*> draws_;            // random numbers
  // How many nodes with effects that the caller may see precede it in its block.
  std::unordered_map<const Node*, int> span_;
};

}  // namespace

void make_groups(Graph& graph, Rewriter& rewriter, const GroupKind& kind) {
  Grouping(graph, rewriter, kind).run(graph.block());
}

}  // namespace fusillade
