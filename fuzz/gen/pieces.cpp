// A function in pieces, as where() writes one: a ladder of conditions on one tensor, each with a
// value of its own. Kernels compute a side where it is taken, eager mode both. A condition comes
// twice now and then, so that one side is never taken.
#include <utility>

#include "engine/aten/named.h"
#include "fuzz/gen/graph_state.h"

namespace fusillade::fuzz {
namespace {

// Something element-wise of the tensor and what the ladder gives so far; null: nothing fits.
Value* draw_side(GraphState& g, Value* x, Value* so_far) {
  const std::vector<Value*> scope = std::exchange(g.tensors, {x, so_far});
  const bool drawn = draw_of(g, g.menu->pointwise);
  g.tensors = scope;
  return drawn ? g.latest->output() : nullptr;
}

void in_pieces(GraphState& g, int) {
  const Operator* where = drawable(g, aten::where());
  const Operator* below = drawable(g, aten::lt());
  if (!where || !below || g.menu->pointwise.empty() || g.tensors.empty()) return;
  Value* x = pick_tensor(g);
  Value* ladder = x;
  Value* condition = nullptr;
  for (int64_t rung = g.choices.between(1, 3); rung > 0; --rung) {
    if (!condition || g.choices.chance(0.8)) {
      Value* limit = pick_tensor(g);
      condition = append(g, *below, {x, limit});
    }
    Value* side = draw_side(g, x, ladder);
    if (!condition || !side || !side->type().is_tensor()) return;
    const bool first = g.choices.chance(0.5);
    Value* selected = append(g, *where, {condition, first ? side : ladder, first ? ladder : side});
    if (selected) ladder = selected;
  }
}

[[maybe_unused]] const bool kRegistered =
    add_productions(Grammar::Step, 20, {{"pieces", "a ladder of where()", 1, in_pieces}});

}  // namespace
}  // namespace fusillade::fuzz
