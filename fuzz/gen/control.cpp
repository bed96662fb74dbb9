// Branches and bounded loops. Both ends of a branch, and both ends of a carried value, have one
// complete type, so that shapes go on directing what follows.
#include "engine/aten/named.h"
#include "fuzz/gen/graph_state.h"

namespace fusillade::fuzz {
namespace {

bool is_truth(const Operator* op) {
  return op->kind == OpKind::Scalar && op->generate && op->schema.args.size() == 1 &&
         op->schema.args[0].type.is_tensor() && op->schema.results[0].type.is(TypeKind::Bool);
}

// The operator that makes a bool of a tensor.
const Operator* truth_operator() {
  static const Operator* const found = [] {
    for (const Operator* r : OperatorTable::instance().by_name()) {
      if (is_truth(r)) return r;
    }
    return static_cast<const Operator*>(nullptr);
  }();
  return found;
}

bool same_type(const Type& a, const Type& b) { return a == b; }

// A literal of the block under construction; both branches of an If often draw the same.
Value* small_constant(GraphState& g, TypeKind kind) {
  int64_t i = g.choices.between(-1, 2);
  IValue v = kind == TypeKind::Int ? IValue(i) : IValue(static_cast<double>(i) / 2);
  return g.graph->constant(std::move(v), g.block->return_node());
}

void branch(GraphState& g, int depth) {
  Value* decides = draw_condition(g);
  Node* n = g.graph->create(prim::if_(), {decides}, 0);
  g.block->append(n);
  Block* outer = g.block;
  size_t tensors = g.tensors.size();
  size_t scalars = g.scalars.size();
  // What the branches compute anew is handed out as versions of values from before.
  std::vector<Value*> models;
  int results = static_cast<int>(g.choices.between(1, 2));
  for (int i = 0; i < results; ++i) models.push_back(pick_tensor(g));
  TypeKind scalar = g.choices.chance(0.7)   ? TypeKind::None
                    : g.choices.chance(0.5) ? TypeKind::Int
                                            : TypeKind::Float;
  for (int side = 0; side < 2; ++side) {
    g.block = n->add_block();
    make_steps(g, static_cast<int>(g.choices.between(side, 3)), depth + 1);
    for (Value* model : models) {
      Value* v = newest_like(g, model, tensors);
      g.block->add_result(v ? v : model);
    }
    if (scalar != TypeKind::None) g.block->add_result(small_constant(g, scalar));
    g.tensors.resize(tensors);
    g.scalars.resize(scalars);
  }
  g.block = outer;
  for (Value* model : models) add_result(g, n->add_output(model->type()));
  if (scalar != TypeKind::None) g.scalars.push_back(n->add_output(scalar));
}

Value* trip_count(GraphState& g) {
  for (Value* v : g.graph->inputs()) {
    if (v->name() == "trips" && g.choices.chance(0.5)) return v;
  }
  if (g.choices.chance(0.3)) {
    bool taken = false;
    for (Value* v : g.graph->inputs()) taken = taken || v->name() == "trips";
    if (!taken) {
      Value* v = g.graph->add_input(TypeKind::Int);
      v->set_name("trips");
      return v;
    }
  }
  const bool many = g.choices.chance(0.2);  // more than are unrolled as one
  const int64_t iterations = many ? g.choices.between(8, 18) : g.choices.between(0, 4);
  return g.graph->constant(IValue(iterations), g.block->return_node());
}

// An error that the loop raises if it runs any iteration.
void raise_in_iteration(GraphState& g) {
  const Operator* divide = drawable(g, aten::floordiv_int());
  if (!divide) return;
  Value* zero = g.graph->constant(IValue(0), g.block->return_node());
  Value* over = small_constant(g, TypeKind::Int);
  for (Value* v : g.scalars)
    if (v->type().is(TypeKind::Int) && g.choices.chance(0.5)) over = v;
  Node* n = g.block->append(g.graph->create(*divide, {over, zero}));
  n->output()->set_type(TypeKind::Int);
  g.scalars.push_back(n->output());
}

// What every iteration recomputes from a value outside the loop: a tensor that it writes, or one
// that it reads before it overwrites the operand.
void make_anew(GraphState& g, Value* outside, Value* carried) {
  const Operator* add = drawable(g, aten::add());
  const Operator* in_place = drawable(g, aten::add_());
  const Operator* zeros = drawable(g, aten::zeros_like());
  const Operator* negated = drawable(g, aten::neg());
  if (!add || !in_place || !zeros || !negated) return;
  const bool writes = g.choices.chance(0.5);
  Value* result = writes ? with_defaults(g, *zeros, {outside}) : append(g, *negated, {outside});
  if (!result) return;
  if (writes) with_defaults(g, *in_place, {result, carried});
  else overwrite(g, outside);
  with_defaults(g, *add, {carried, result});
}

// A loop that is not known to run all its iterations.
Value* ends_after(GraphState& g, Value* index) {
  const Operator* less = drawable(g, aten::lt_int());
  if (!less) return nullptr;
  Value* last = g.graph->constant(IValue(g.choices.between(0, 3)), g.block->return_node());
  return append(g, *less, {index, last});
}

void loop(GraphState& g, int depth) {
  Value* trips = trip_count(g);
  Value* go_on = g.choices.chance(0.8) ? g.graph->constant(IValue(true), g.block->return_node())
                                       : draw_condition(g);
  std::vector<Value*> inputs{trips, go_on};
  int carried = static_cast<int>(g.choices.between(1, 2));
  // What begins in memory of its own and is only read afterwards is no view of an input: gradients
  // of the whole function flow through it.
  const Operator* over = drawable(g, aten::neg());
  const bool own = over && g.choices.chance(0.5);
  for (int i = 0; i < carried; ++i) {
    Value* first = pick_tensor(g);
    Value* negated = own ? append(g, *over, {first}) : nullptr;
    inputs.push_back(negated ? negated : first);
  }
  Node* n = g.graph->create(prim::loop(), inputs, 0);
  g.block->append(n);
  Block* outer = g.block;
  size_t tensors = g.tensors.size();
  size_t scalars = g.scalars.size();
  g.block = n->add_block();
  Value* index = g.block->add_param(TypeKind::Int);
  g.scalars.push_back(index);
  std::vector<Value*> params;
  for (int i = 0; i < carried; ++i) {
    params.push_back(g.block->add_param(inputs[static_cast<size_t>(i) + 2]->type()));
    g.tensors.push_back(params.back());
  }
  const bool never = trips->node()->is(prim::constant()) && trips->node()->constant().as_int() == 0;
  if (never && g.choices.chance(0.3)) raise_in_iteration(g);
  make_steps(g, static_cast<int>(g.choices.between(1, 3)), depth + 1);
  if (g.policy.in_place > 0 && g.choices.chance(0.35)) make_anew(g, inputs[2], params[0]);
  const Operator* add = drawable(g, aten::add_scalar());
  if (add && g.choices.chance(0.2)) with_defaults(g, *add, {params[0], index});
  Value* next = own && g.choices.chance(0.5) ? ends_after(g, index) : nullptr;
  if (!next && g.choices.chance(0.2)) next = draw_condition(g);
  if (!next) next = g.graph->constant(IValue(true), g.block->return_node());
  g.block->add_result(next);
  for (Value* p : params) {
    Value* v = newest_like(g, p, tensors);
    g.block->add_result(v ? v : p);
  }
  g.tensors.resize(tensors);
  g.scalars.resize(scalars);
  g.block = outer;
  for (Value* p : params) {
    Value* out = n->add_output(p->type());
    if (!own || !append(g, *over, {out})) add_result(g, out);
  }
}

[[maybe_unused]] const bool kRegistered = add_productions(
    Grammar::Step, 8,
    {{"branch", "a branch whose sides return new versions of earlier values", 0, branch, 1},
     {"loop", "a bounded loop with carried values", 0, loop, 1}});

}  // namespace

// The latest value of scalars or tensors (from index `from` on) of the model's type, or null.
Value* newest_like(GraphState& g, const Value* model, size_t from) {
  const std::vector<Value*>& pool = model->type().is_tensor() ? g.tensors : g.scalars;
  for (size_t i = pool.size(); i > from; --i) {
    if (pool[i - 1] != model && same_type(pool[i - 1]->type(), model->type())) return pool[i - 1];
  }
  return nullptr;
}

Value* draw_condition(GraphState& g) {
  std::vector<Value*> bools;
  for (Value* v : g.scalars) {
    if (v->type().is(TypeKind::Bool)) bools.push_back(v);
  }
  if (!bools.empty() && g.choices.chance(0.5)) return g.choices.pick(bools);
  if (truth_operator() && g.choices.chance(0.5)) {
    for (Value* v : g.tensors) {
      if (numel_of(v->type().info().sizes) != 1) continue;
      Node* n = g.graph->create(*truth_operator(), {v}, 1);
      n->output()->set_type(TypeKind::Bool);
      g.block->append(n);
      g.scalars.push_back(n->output());
      return n->output();
    }
  }
  if (!bools.empty()) return g.choices.pick(bools);
  Value* input = g.graph->add_input(TypeKind::Bool);
  g.scalars.push_back(input);
  return input;
}

}  // namespace fusillade::fuzz
