// One large expression: element-wise operators over many operands, nearly every intermediate read
// once, so that a fuser makes one group of it: one to sixty nodes with up to forty arguments, and a
// few results. Steps drawn one by one reuse values all over the program, which cuts groups small.
#include <algorithm>
#include <utility>

#include "fuzz/gen/graph_state.h"

namespace fusillade::fuzz {
namespace {

constexpr int kTries = 8;

bool has_two_operands(const Operator& op) {
  return std::ranges::count(op.roles, Role::Operand) >= 2;
}

void read_once(GraphState& g, bool closes);

// While an expression is built, its nodes find in scope only the values that are still to be read.
void grow_expression(GraphState& g, int) {
  if (g.menu->pointwise.empty() || g.tensors.empty()) return;
  const std::vector<Value*> before = std::exchange(g.tensors, {pick_tensor(g)});
  const size_t ends = g.choices.chance(0.6) ? 1 : 1 + g.choices.below(4);
  const double grows = g.choices.unit() * 0.8;  // how much of the expression is operands
  const int count = static_cast<int>(g.choices.between(0, g.budget)) + 1;
  for (int i = 0; i < count; ++i) {
    if (g.tensors.size() < 2 || g.choices.chance(grows)) {
      Value* more = g.choices.chance(0.2) ? g.choices.pick(before) : fresh_input(g);
      if (more) g.tensors.push_back(more);
    }
    const bool closes = g.tensors.size() > ends && i + static_cast<int>(g.tensors.size()) >= count;
    read_once(g, closes);
  }
  for (size_t left = g.tensors.size(); left > ends; --left) read_once(g, true);
  g.budget -= count - 1;
  g.tensors.insert(g.tensors.begin(), before.begin(), before.end());
}

// One more node, of two operands where the expression closes; what it read is gone from scope, but
// for a few.
void read_once(GraphState& g, bool closes) {
  for (int i = 0; i < kTries; ++i) {
    const Operator& op = *g.choices.pick(g.menu->pointwise);
    if ((closes && !has_two_operands(op)) || !draw_node(g, op)) continue;
    std::erase_if(g.tensors, [&](Value* v) {
      return !v->is_unused() && v != g.latest->output() && g.choices.chance(0.97);
    });
    return;
  }
}

[[maybe_unused]] const bool kRegistered = add_productions(
    Grammar::Step, 15,
    {{"expression", "one large element-wise expression over many operands", 0, grow_expression}});

}  // namespace
}  // namespace fusillade::fuzz
