// A step that draws random numbers: like a tensor, of a size, or a dropout; now and then two, so
// that each has numbers of its own.
#include "engine/aten/named.h"
#include "fuzz/gen/graph_state.h"

namespace fusillade::fuzz {
namespace {

constexpr int64_t kDTypes[] = {5, 6, 7, 15};  // f16, f32, f64, bf16, by ATen's numbers

bool in_order(const Value& v) {
  const TensorInfo& info = v.type().info();
  return !info.complete() || info.strides == contiguous_strides(info.sizes);
}

void draw_random_numbers(GraphState& g, int) {
  --g.budget;
  if (!g.all_operators || g.tensors.empty()) return;
  const auto constant = [&](IValue v) {
    return g.graph->constant(std::move(v), g.block->return_node());
  };
  Value* none = constant(IValue());
  for (int64_t left = g.choices.between(1, 2); left > 0; --left) {
    Value* x = pick_tensor(g);
    constexpr int kTries = 3;  // for one whose elements do not lie in their order
    for (int i = 0; i < kTries && in_order(*x); ++i) x = pick_tensor(g);
    if (!x->type().info().complete()) return;
    const bool as_it_is = is_float(x->type().info().dtype) && g.choices.chance(0.5);
    Value* dtype = as_it_is ? none : constant(IValue(kDTypes[g.choices.below(4)]));
    switch (g.choices.below(4)) {
      case 0:
        append(g, aten::rand(),
               {constant(IValue::int_list(x->type().info().sizes)), dtype, none, none, none});
        break;
      case 1:
        append(g, aten::rand_like(), {x, dtype, none, none, none, none});
        break;
      default: {
        constexpr double kOften[] = {0.1, 0.25, 0.5, 0.5, 0.75, 0.9, 0.0, 1.0};
        Value* p = constant(IValue(kOften[g.choices.below(std::size(kOften))]));
        append(g, aten::dropout(), {x, p, constant(IValue(g.choices.chance(0.85)))});
      }
    }
  }
}

[[maybe_unused]] const bool kRegistered = add_productions(
    Grammar::Step, 1,
    {{"random", "random numbers", 0.008, draw_random_numbers, kAnyDepth, kAskedFirst}});

}  // namespace
}  // namespace fusillade::fuzz
