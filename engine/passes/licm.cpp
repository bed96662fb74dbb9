// Loop-invariant code motion: what every iteration computes anew alike is computed once, before the
// loop.
//
//   %y = prim::Loop(%n, %true, %x)              %e = aten::exp(%w)
//     block0(%i, %p):                           %y = prim::Loop(%n, %true, %x)
//       %e = aten::exp(%w)               ==>      block0(%i, %p):
//       %q = aten::mul(%p, %e)                      %q = aten::mul(%p, %e)
//       -> (%true, %q)                              -> (%true, %q)
//
// A node leaves the loop when its operands are defined outside, nothing in the loop writes what it
// reads, nothing writes its result or hands it out of the function (each iteration gave another
// tensor; a view is the same memory anyway), and running it earlier raises no error that was not
// raised first: either it cannot raise, or the loop surely runs and no node that stays before it
// raises, writes or prints. Inner loops first, so that a node may leave several. Nodes in a branch
// stay.
#include <algorithm>
#include <set>

#include "engine/ir/visit.h"
#include "engine/passes/constants.h"
#include "engine/passes/effects.h"
#include "engine/passes/loops.h"
#include "engine/passes/pass.h"
#include "engine/passes/raises.h"

namespace fusillade {
namespace {

class Motion {
 public:
  Motion(Graph& graph, Rewriter& rewriter)
      : effects_(graph), rewriter_(rewriter), written_within_(effects_.written_within()) {}

  void run(Block* block) {
    each_node_inside_out(block, [&](Node* node) {
      if (node->is(prim::loop())) lighten(node);
    });
  }

 private:
  void lighten(Node* loop) {
    std::set<int> written;
    if (const auto at = written_within_.find(loop); at != written_within_.end())
      written.insert(at->second.begin(), at->second.end());
    bool quiet = surely_runs(loop);  // and nothing has stayed that could be seen
    for (Node* node : loop->blocks()[0]->nodes()) {
      if (node->is(prim::constant())) continue;
      const bool raises = may_raise(node);
      if (invariant(node, loop, written) && (quiet || !raises) && rewriter_.allow("hoist", node)) {
        hoist(node, loop);
        continue;
      }
      quiet = quiet && !raises && !has_side_effect(node) && !writes_memory(node);
    }
  }

  bool invariant(const Node* node, const Node* loop, const std::set<int>& written) const {
    if (!node->blocks().empty() || !node->attrs().empty() || node->outputs().empty()) return false;
    if (has_side_effect(node) || is_nondeterministic(node) || writes_memory(node)) return false;
    for (const Value* in : node->inputs()) {
      if (within(in->node(), loop) && !constant_of(in)) return false;
      if (written.count(effects_.class_of(in))) return false;
    }
    if (shares_operand(node)) return true;
    return std::none_of(node->outputs().begin(), node->outputs().end(), [&](const Value* out) {
      return effects_.is_written(out) || effects_.escapes(out);
    });
  }

  static void hoist(Node* node, Node* loop) {
    for (const Value* in : node->inputs())
      if (within(in->node(), loop)) in->node()->move_before(loop);
    node->move_before(loop);
  }

  Effects effects_;
  Rewriter& rewriter_;
  std::unordered_map<const Node*, std::vector<int>> written_within_;
};

}  // namespace

PASS(licm, kExact | kIdempotent | kMerges, "move loop-invariant code before the loop", is_loop) {
  Motion(graph, rewriter).run(graph.block());
}

}  // namespace fusillade
