// The graph's invariants, checked in one walk.
#include "engine/ir/verify.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "engine/ir/agree.h"

namespace fusillade {
namespace {

class Verifier {
 public:
  void run(const Graph& g) {
    visible_.resize(static_cast<size_t>(g.id_limit()));
    block(g.block());
  }

 private:
  [[noreturn]] void wrong(const Node* n, const std::string& what) { throw Flaw{what, n}; }

  void block(const Block* b) {
    std::vector<const Value*> mine;
    define(b->param_node(), mine);
    for (Node* n : b->nodes()) {
      inputs(n);
      structure(n);
      for (const Block* inner : n->blocks()) block(inner);
      define(n, mine);
    }
    inputs(b->return_node());
    for (const Value* v : mine) visible_[static_cast<size_t>(v->id())] = nullptr;
  }

  void define(const Node* n, std::vector<const Value*>& mine) {
    for (size_t i = 0; i < n->outputs().size(); ++i) {
      const Value* v = n->outputs()[i];
      if (v->node() != n || v->index() != static_cast<int>(i))
        wrong(n, "a result names another node");
      size_t id = static_cast<size_t>(v->id());
      if (id >= visible_.size()) wrong(n, "a result belongs to another graph");
      visible_[id] = v;
      mine.push_back(v);
    }
  }

  // A value of another graph may have the same id: the entry must be the value itself.
  bool is_visible(const Value* v) const {
    size_t id = static_cast<size_t>(v->id());
    return id < visible_.size() && visible_[id] == v;
  }

  void inputs(const Node* n) {
    for (size_t i = 0; i < n->inputs().size(); ++i) {
      const Value* v = n->inputs()[i];
      if (!is_visible(v)) wrong(n, fmt::format("input {} is not defined before its use", i));
      const auto found = times_used(v, {n, static_cast<int>(i)});
      if (found != 1)
        wrong(n, fmt::format("input {} is {} times in its value's use list", i, found));
    }
  }

  // Long lists of uses, as of pooled constants, are sorted once, lest each use walks all of them.
  using Place = std::pair<const Node*, int>;
  ptrdiff_t times_used(const Value* v, const Place& by) {
    constexpr size_t kFew = 16;
    if (v->uses().size() <= kFew)
      return std::ranges::count_if(v->uses(),
                                   [&](const Use& u) { return Place(u.user, u.index) == by; });
    std::vector<Place>& sorted = sorted_uses_[v];
    if (sorted.empty()) {
      for (const Use& u : v->uses()) sorted.emplace_back(u.user, u.index);
      std::ranges::sort(sorted);
    }
    const auto same = std::ranges::equal_range(sorted, by);
    return std::ranges::distance(same);
  }

  void structure(const Node* n) {
    const Schema& s = n->op().schema;
    if (!s.varargs && n->inputs().size() > s.args.size())
      wrong(n, "more inputs than the schema takes");
    if (!s.varresults && n->outputs().size() != s.results.size()) {
      wrong(n, fmt::format("{} results, the schema has {}", n->outputs().size(), s.results.size()));
    }
    if (n->is(prim::constant()) && n->outputs().size() != 1) wrong(n, "a constant has one result");
    if (n->is(prim::if_())) branches(n);
    if (n->is(prim::loop())) loop(n);
    if (const std::string conflict = input_conflict(n); !conflict.empty()) wrong(n, conflict);
  }

  void branches(const Node* n) {
    if (n->inputs().size() != 1 || n->blocks().size() != 2)
      wrong(n, "prim::If has one input, two blocks");
    for (const Block* b : n->blocks()) {
      if (!b->params().empty()) wrong(n, "a branch takes no parameters");
      if (b->results().size() != n->outputs().size()) {
        wrong(n, fmt::format("a branch returns {} values, the node {}", b->results().size(),
                             n->outputs().size()));
      }
      for (size_t k = 0; k < n->outputs().size(); ++k)
        check_assignment(n, b->results()[k], n->outputs()[k]);
    }
  }

  void loop(const Node* n) {
    size_t carried = n->outputs().size();
    if (n->blocks().size() != 1 || n->inputs().size() != carried + 2) {
      wrong(n, "prim::Loop has a trip count, a condition, its carried values, and one block");
    }
    const Block* b = n->blocks()[0];
    if (b->params().size() != carried + 1 || b->results().size() != carried + 1) {
      wrong(n, "a loop's block takes (index, carried...) and returns (condition, carried...)");
    }
    for (size_t k = 0; k < carried; ++k) {
      check_assignment(n, n->inputs()[k + 2], b->params()[k + 1]);
      check_assignment(n, b->results()[k + 1], b->params()[k + 1]);
      check_assignment(n, b->params()[k + 1], n->outputs()[k]);
    }
  }

  // A value that becomes another is of its type, except for shapes.
  void check_assignment(const Node* n, const Value* from, const Value* to) {
    const Type given = from->type().without_shapes(), wanted = to->type().without_shapes();
    if (!given.subtype_of(wanted) && !given.is(TypeKind::Any))
      wrong(n, fmt::format("%{} of type {} becomes %{} of type {}", from->name(), given.text(),
                           to->name(), wanted.text()));
  }

  std::vector<const Value*> visible_;  // by id; null: not defined here
  std::unordered_map<const Value*, std::vector<Place>> sorted_uses_;
};

}  // namespace

std::optional<Flaw> find_flaw(const Graph& graph) {
  try {
    Verifier().run(graph);
  } catch (Flaw& flaw) {
    return std::move(flaw);
  }
  return std::nullopt;
}

void verify(const Graph& graph) {
  if (std::optional<Flaw> flaw = find_flaw(graph))
    FUS_BUG("invalid graph: {}, at: {}", flaw->what, print(flaw->at));
}

}  // namespace fusillade
