// See inline_values.h.
#include "engine/run/archive/inline_values.h"

#include <algorithm>
#include <cctype>

namespace fusillade::archive {
namespace {

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

class Inliner {
 public:
  explicit Inliner(const Graph& graph) { block(graph.block()); }
  std::unordered_set<const Node*> found;

 private:
  static const Node* before(const Node* n) {
    do n = n->prev();
    while (n && n->is(prim::constant()));
    return n;
  }

  static bool may_move(const Value* v) {
    const Node* n = v->node();
    if (n->is(prim::tuple_unpack()) || n->is(prim::list_unpack())) return false;  // statements
    if (n->outputs().size() != 1 || v->uses().size() != 1 || !n->blocks().empty()) return false;
    const Use& use = v->uses()[0];
    if (!base_name(v).empty() && !use.user->is(prim::return_())) return false;
    return !(use.user->is(prim::loop()) && use.index >= 2);
  }

  void block(const Block* b) {
    expression(b->return_node());
    std::vector<const Node*> nodes;
    for (const Node* n : b->nodes()) nodes.push_back(n);
    for (size_t i = nodes.size(); i-- > 0;) expression(nodes[i]);
  }

  // Walks the inputs of `n` from the last one; `point` is the node that ran last before what is
  // left of them. Inputs of inputs are on the stack, so the depth of an expression does not matter.
  const Node* expression(const Node* n) {
    if (found.count(n)) return n;
    for (const Block* b : n->blocks()) block(b);
    const Node* point = before(n);
    struct Level {
      const Node* node;
      size_t left;
    };
    std::vector<Level> stack{{n, n->inputs().size()}};
    while (!stack.empty()) {
      Level& level = stack.back();
      if (level.left == 0) {
        stack.pop_back();
        continue;
      }
      const Value* v = level.node->inputs()[--level.left];
      const Node* from = v->node();
      if (from->is(prim::constant())) {
        found.insert(from);
      } else if (from == point && may_move(v)) {
        found.insert(from);
        point = before(from);
        stack.push_back({from, from->inputs().size()});
      }
    }
    return point;
  }
};

}  // namespace

std::unordered_set<const Node*> inline_nodes(const Graph& graph) { return Inliner(graph).found; }

std::string base_name(const Value* value) {
  std::string name = value->name();
  size_t dot = name.rfind('.');
  if (dot != std::string::npos && all_digits(std::string_view(name).substr(dot + 1)))
    name.resize(dot);
  if (all_digits(name)) return "";
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) > 127)
      c = '_';
  if (!name.empty() && std::isdigit(static_cast<unsigned char>(name[0]))) name = "_" + name;
  bool synthetic = name == "_" || (!name.empty() && name[0] == '_' &&
                                   all_digits(std::string_view(name).substr(1)));
  return synthetic ? "" : name;
}

}  // namespace fusillade::archive
