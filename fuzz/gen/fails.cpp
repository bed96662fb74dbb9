// A step that raises in some calls, between writes to tensors of the caller: a statement that
// raises, a place out of range, sizes that do not meet, a division of numbers by 0. What a plan
// leaves behind in the caller's memory is then to be what eager leaves.
#include "engine/aten/named.h"
#include "fuzz/case/failing.h"
#include "fuzz/gen/graph_state.h"
#include "fuzz/gen/way.h"

namespace fusillade::fuzz {
namespace {

Value* named_input(GraphState& g, const char* name, TypeKind kind) {
  for (Value* v : g.graph->inputs())
    if (v->name() == name) return v;
  Value* input = g.graph->add_input(kind);
  input->set_name(name);
  return input;
}

// An input that may be written; null: none.
Value* writable_input(GraphState& g) {
  std::vector<Value*> found;
  for (Value* v : g.graph->inputs()) {
    const bool tensor = v->type().is_tensor() && v->type().info().complete();
    if (tensor && is_float(v->type().info().dtype) && !overlaps(v->type().info()) &&
        !is_range_name(v->name()))
      found.push_back(v);
  }
  return found.empty() ? nullptr : g.choices.pick(found);
}

Value* number(GraphState& g, int64_t n) {
  return g.graph->constant(IValue(n), g.block->return_node());
}

void raise_statement(GraphState& g, Value*) {
  static constexpr const char* kClasses[] = {"ValueError", "AssertionError", "RuntimeError"};
  const char* name = kClasses[g.choices.below(3)];
  Node* end = g.block->return_node();
  Value* why =
      g.graph->constant(IValue::str(fmt::format("{}: stop {}", name, g.choices.below(9))), end);
  g.block->append(g.graph->create(prim::raise(), {why, g.graph->constant(IValue(), end)}, 0));
}

// A place out of range.
void raise_by_place(GraphState& g, Value* written) {
  const Operator* place = drawable(g, aten::select());
  const Operator* negate = drawable(g, aten::neg_());
  const Dims& sizes = written->type().info().sizes;
  if (!place || !negate || sizes.rank() == 0) return raise_statement(g, written);
  Node* none = g.graph->create(*place, {written, number(g, 0), number(g, sizes[0] + 1)});
  g.block->append(none);
  none->output()->set_type(TypeKind::Tensor);
  g.block->append(g.graph->create(*negate, {none->output()}))->output()->set_type(TypeKind::Tensor);
}

constexpr int64_t kMostUnlike = 4096;  // elements of a constant, which a case writes out

// Sizes that do not meet.
void raise_by_sizes(GraphState& g, Value* written) {
  const Operator* add = drawable(g, aten::add_());
  const Dims& sizes = written->type().info().sizes;
  const int64_t last = sizes.rank() ? sizes[sizes.rank() - 1] : kMostUnlike + 1;
  if (!add || last > kMostUnlike) return raise_statement(g, written);
  const Tensor other =
      Tensor::zeros(sizes.rank() > 1 ? Dims{last + 2} : Dims{2, last + 2}, DType::F32);
  Value* unlike = g.graph->constant(IValue(other), g.block->return_node());
  Node* n = g.graph->create(*add, {written, unlike, number(g, 1)});
  g.block->append(n)->output()->set_type(written->type());
}

// What raises, in a branch that is taken where `fails` is true.
void raise_in_branch(GraphState& g, Value* written) {
  static constexpr Way<void (*)(GraphState&, Value*)> kWays[] = {
      {1, &raise_by_place}, {1, &raise_by_sizes}, {1, &raise_statement}};
  Node* branch = g.graph->create(prim::if_(), {named_input(g, kFails, TypeKind::Bool)}, 0);
  g.block->append(branch);
  Block* outer = g.block;
  branch->add_block();
  branch->add_block();
  g.block = branch->blocks()[0];
  draw_way(g.choices, kWays)(g, written);
  g.block = outer;
}

// An element-wise chain whose operands may not meet, a write in its midst. Its operands are fresh:
// none of them lies in what the write writes.
void raise_in_chain(GraphState& g, Value* written) {
  const Operator* sine = drawable(g, aten::sin());
  const Operator* multiply = drawable(g, aten::mul());
  const Operator* after[] = {drawable(g, aten::relu()), drawable(g, aten::neg()),
                             drawable(g, aten::abs())};
  const Operator* last = after[g.choices.below(3)];
  if (!sine || !multiply || !last) return;
  auto make = [&](const Operator& op, const std::vector<Value*>& inputs) {
    Node* n = g.block->append(g.graph->create(op, inputs));
    n->output()->set_type(TypeKind::Tensor);
    return n->output();
  };
  Value* unlike = make(*sine, {named_input(g, kUnlike, TypeKind::Tensor)});
  Value* product = make(*multiply, {make(*sine, {written}), unlike});
  if (g.choices.chance(0.3)) product = make(*sine, {product});
  overwrite(g, written);
  Value* out = make(*last, {product});
  if (g.choices.chance(0.7)) g.graph->add_output(out);
}

void raise_between_writes(GraphState& g, int) {
  Value* written = g.nested || g.closed ? nullptr : writable_input(g);
  if (!written) return;
  if (g.choices.chance(0.3)) return raise_in_chain(g, written);
  if (g.choices.chance(0.7)) overwrite(g, written);
  const Operator* divide = drawable(g, aten::floordiv_int());
  if (divide && g.choices.chance(0.3)) {
    Value* over = g.graph->constant(IValue(g.choices.between(-9, 9)), g.block->return_node());
    append(g, *divide, {over, named_input(g, kDivisor, TypeKind::Int)});
  } else {
    raise_in_branch(g, written);
  }
  if (!g.choices.chance(0.5)) return;
  if (Value* again = writable_input(g)) overwrite(g, again);
}

[[maybe_unused]] const bool kRegistered =
    add_productions(Grammar::Step, 0,
                    {{"fail", "what raises in some calls, between writes", 0.004,
                      raise_between_writes, 0, kAskedFirst}});

}  // namespace
}  // namespace fusillade::fuzz
