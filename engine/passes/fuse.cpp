// fuse(FUSER,BACKEND): collects nodes that a fuser accepts into prim::TensorExprGroup nodes.
//
//   %1 = aten::mul(%a, %b)                 %2 = prim::TensorExprGroup_0(%a, %b)
//   %2 = aten::add(%1, %a, %one)     =>    with prim::TensorExprGroup_0 = graph(%a, %b):
//                                            %1 = aten::mul(%a, %b) ...
//
// Consumer first: each node that may join and returns a fresh value seeds a group at its own place;
// producers are pulled in until nothing fits. A producer fits when it is in the same block, every
// other user comes after the seed, and neither it nor its inputs are ever written. A producer whose
// result may alias its input (a view) fits only when all its users are inside: what leaves a group
// is always fresh. Constants, and lists of constants, are copied into the group. Not done: merging
// siblings that share no edge, crossing control flow.
#include <algorithm>
#include <unordered_set>

#include "engine/fuse/fuser.h"
#include "engine/passes/effects.h"
#include "engine/passes/pass.h"

namespace fusillade {
namespace {

bool is_constant_tree(const Node* n) {
  if (n->is(prim::constant())) return true;
  if (!n->is(prim::list_construct())) return false;
  return std::all_of(n->inputs().begin(), n->inputs().end(),
                     [](const Value* v) { return is_constant_tree(v->node()); });
}

class Grouping {
 public:
  Grouping(Graph& graph, Rewriter& rewriter, const fuse::Fuser& fuser, std::string backend)
      : graph_(graph),
        rewriter_(rewriter),
        fuser_(fuser),
        backend_(std::move(backend)),
        effects_(graph) {}

  void run(Block* block) {
    std::vector<Node*> nodes;
    for (Node* n : block->nodes()) nodes.push_back(n);
    for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
      if (done_.count(*it)) continue;
      if ((*it)->is(prim::fusion_group())) continue;
      for (Block* inner : (*it)->blocks()) run(inner);
      if (fits(*it) && !(*it)->row().schema.aliases()) grow(*it);
    }
  }

 private:
  bool fits(const Node* n) const {
    if (!fuser_.can_join(n)) return false;
    for (const Value* v : n->inputs()) {
      if (v->type().is_tensor() && effects_.written(v)) return false;
    }
    return !effects_.written(n->output());
  }

  bool may_pull(const Node* producer, const Node* seed) const {
    if (done_.count(producer) || producer->block() != seed->block() || !fits(producer))
      return false;
    bool must_stay_inside = producer->row().schema.aliases();
    for (const Use& use : producer->output()->uses()) {
      if (members_.count(use.user)) continue;
      if (must_stay_inside) return false;
      if (use.user != producer->block()->return_node() && !seed->before(use.user)) return false;
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
          if (!rewriter_.allow("merge", producer)) continue;
          members_.insert(producer);
          ordered.push_back(producer);
          grew = true;
        }
      }
    }
    if (static_cast<int>(ordered.size()) < fuser_.min_nodes) return;
    std::sort(ordered.begin(), ordered.end(),
              [](const Node* a, const Node* b) { return a->before(b); });
    build(ordered, seed);
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
    Node* group = graph_.create(prim::fusion_group(), {}, 0);
    group->range = seed->range;
    ValueMap map;
    for (Node* n : ordered) {
      for (Value* v : n->inputs()) {
        if (map.count(v)) continue;
        if (is_constant_tree(v->node())) {
          import_constant(v, *inner, map);
        } else {
          map[v] = inner->add_input(v->type());
          group->add_input(v);
        }
      }
      clone_node(n, *inner, inner->block()->return_node(), map);
    }
    group->insert_before(seed);
    for (Node* n : ordered) {
      Value* v = n->output();
      bool leaves = std::any_of(v->uses().begin(), v->uses().end(),
                                [&](const Use& use) { return !members_.count(use.user); });
      if (!leaves) continue;
      inner->add_output(map.at(v));
      Value* out = group->add_output(v->type());
      std::vector<Use> uses = v->uses();
      for (const Use& use : uses) {
        if (!members_.count(use.user)) use.user->set_input(use.index, out);
      }
    }
    group->set_attr("Subgraph", inner);
    group->set_attr("fuser", IValue::str(fuser_.name));
    group->set_attr("backend", IValue::str(backend_));
    for (auto it = ordered.rbegin(); it != ordered.rend(); ++it) {
      done_.insert(*it);
      (*it)->destroy();
    }
  }

  Graph& graph_;
  Rewriter& rewriter_;
  const fuse::Fuser& fuser_;
  std::string backend_;
  Effects effects_;
  std::unordered_set<const Node*> members_;
  std::unordered_set<const Node*> done_;
};

void check_words(const std::vector<std::string>& args) {
  if (args.size() != 2)
    fail("fuse takes a fuser and a back end, as in fuse(loopnest,llvm); got {} words", args.size());
  fuse::fuser(args[0]);
  kernel::backend(args[1]);
}

}  // namespace

PASS_WITH_WORDS(fuse, kNoPromise, "collect nodes into groups: fuse(FUSER,BACKEND)", check_words) {
  Grouping(graph, rewriter, fuse::fuser(args[0]), args[1]).run(graph.block());
}

}  // namespace fusillade
