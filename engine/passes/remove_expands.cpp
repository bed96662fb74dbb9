// Removal of expands: an op that broadcasts its operands needs none that is expanded before.
//
//   %e : Float(2, 3, ...) = aten::expand(%b, %s, %f)
//   %c : Float(2, 3, ...) = aten::mul(%a, %e)           ==>    %c = aten::mul(%a, %b)
//
// Only where the op's type is known in whole and stays: an operand without dimensions counts less
// in promotion, and a result is laid out as its operands are. An expand that nothing uses is dce's.
#include <algorithm>

#include "engine/ir/visit.h"
#include "engine/ops/infer.h"
#include "engine/ops/traits.h"
#include "engine/passes/effects.h"
#include "engine/passes/pass.h"
#include "engine/passes/rule.h"

namespace fusillade {
namespace {

bool expands(const Node* node) { return has_trait(node->op(), Trait::Expands); }

// Does `by` count in promotion as the operand does? One without dimensions does if all dtypes are
// the same: a predicate's own dtype does not say in which dtype it compares.
bool counts_the_same(const Node* node, int at, const Value* by) {
  const TensorInfo& now = by->type().info();
  const TensorInfo& was = node->input(at)->type().info();
  if (!now.has_dtype || !now.rank_known || !was.rank_known) return false;
  if (now.sizes.rank() != 0 || was.sizes.rank() == 0) return true;
  return std::ranges::all_of(node->inputs(), [&](const Value* v) {
    return !v->type().is_tensor() ||
           (v->type().info().has_dtype && v->type().info().dtype == now.dtype);
  });
}

// Would the node give the same type with `by` for its operand?
bool same_with(Node* node, int at, const Value* by) {
  std::vector<ArgInfo> args = arg_infos(node);
  args[static_cast<size_t>(at)] = {by->type(), {}, false, {}};
  std::vector<Type> types;
  try {
    infer_results(node->op(), args, types);
  } catch (const Exception&) {
    return false;
  }
  const Type& was = node->output()->type();
  if (types.size() != 1 || !types[0].is_tensor() || !was.is_tensor()) return false;
  const TensorInfo& x = types[0].info();
  const TensorInfo& y = was.info();
  return x.complete() && y.complete() && counts_the_same(node, at, by) && x.dtype == y.dtype &&
         x.sizes == y.sizes && x.strides == y.strides;
}

void remove(Block* block, Rewriter& rewriter) {
  each_node_inside_out(block, [&](Node* node) {
    if (!expands(node) || !node->input()->type().is_tensor()) return;
    std::vector<Use> uses = node->output()->uses();
    for (const Use& use : uses) {
      const bool broadcasts = use.user->kind() == OpKind::Pointwise && !use.user->op().in_place &&
                              use.user->outputs().size() == 1;
      if (broadcasts && same_with(use.user, use.index, node->input()) &&
          rewriter.allow("operand", use.user))
        use.user->set_input(use.index, node->input());
    }
  });
}

}  // namespace

PASS(remove_expands, kExact | kIdempotent, "remove expands before operators that broadcast",
     expands) {
  remove(graph.block(), rewriter);
}

}  // namespace fusillade
