// Steps that give passes work to do: the same computation twice, products that share an operand and
// what writes between them, an operator on its own result, a number spread to the sizes of a tensor
// that it meets, values that pass through a tuple, and calls of a function (may_fuse.cpp: cats).
#include <algorithm>

#include "engine/aten/named.h"
#include "engine/ops/infer.h"
#include "fuzz/gen/graph_state.h"

namespace fusillade::fuzz {
namespace {

bool repeatable(const Node* n) {
  const Operator& op = n->op();
  return op.kind != OpKind::Prim && !op.in_place && !op.schema.writes() && n->blocks().empty() &&
         n->outputs().size() == 1 && !n->inputs().empty() &&
         !n->output()->type().is(TypeKind::List);
}

void flatten_product(GraphState& g, Value* product);
void repeat_node(GraphState& g, const Node* like);
void spread_number(GraphState& g);

bool in_scope(const GraphState& g, const Value* v) {
  for (const Block* b = g.block; b; b = b->owner() ? b->owner()->block() : nullptr) {
    if (v->node()->block() == b) return true;
  }
  return false;
}

// The nodes of this block, those around it, and those of the other branch whose operands are in
// scope.
std::vector<Node*> repeatable_nodes(const GraphState& g) {
  std::vector<Node*> out;
  auto add = [&](const Block* b) {
    for (Node* n : b->nodes()) {
      bool within = repeatable(n);
      for (const Value* v : n->inputs())
        within = within && (v->node()->is(prim::constant()) || in_scope(g, v));
      if (within) out.push_back(n);
    }
  };
  for (const Block* b = g.block; b; b = b->owner() ? b->owner()->block() : nullptr) {
    add(b);
    if (b->owner() && b->owner()->is(prim::if_()) && b != b->owner()->blocks()[0])
      add(b->owner()->blocks()[0]);
  }
  return out;
}

// Of a product repeated: one operand, or one and what is added to the product, becomes another of
// its type, so that two products share the other.
void share(GraphState& g, std::vector<Value*>& operands) {
  const size_t at = static_cast<size_t>(g.choices.between(0, operands.size() > 2 ? 2 : 1));
  auto vary = [&](size_t i) {
    if (i >= operands.size() || !operands[i]->type().is_tensor()) return;
    if (Value* other = newest_like(g, operands[i], 0)) operands[i] = other;
    else if (!g.closed) operands[i] = g.graph->add_input(operands[i]->type());
  };
  if (at < 2) vary(at);
  if (operands.size() > 2 && g.choices.chance(0.5)) vary(2);
}

void repeat_step(GraphState& g, int) {
  if (g.choices.chance(0.1)) return spread_number(g);
  if (g.choices.chance(0.15)) return join_and_cut(g);
  if (g.choices.chance(0.15)) return sum_of_products(g);
  std::vector<Node*> nodes = repeatable_nodes(g);
  if (nodes.empty()) return;
  std::vector<Node*> products;
  for (Node* n : nodes)
    if (n->kind() == OpKind::Contract) products.push_back(n);
  const Node* like = g.choices.pick(!products.empty() && g.choices.chance(0.5) ? products : nodes);
  const bool product = like->kind() == OpKind::Contract;
  for (int64_t times = product ? g.choices.between(1, 3) : 1; times > 0; --times)
    repeat_node(g, like);
  if (product && g.choices.chance(0.6)) flatten_product(g, like->output());
}

// An element-wise operator over a product's elements as one line, which is a view only of what lies
// as products do.
void flatten_product(GraphState& g, Value* product) {
  const Operator* view = drawable(g, aten::view());
  const Operator* over = drawable(g, aten::neg());
  if (!view || !over || !in_scope(g, product) || !product->type().is_tensor()) return;
  Value* line = g.graph->constant(IValue::int_list({-1}), g.block->return_node());
  if (Value* flat = append(g, *view, {product, line})) append(g, *over, {flat});
}

void repeat_node(GraphState& g, const Node* like) {
  std::vector<Value*> inputs = like->inputs();
  for (Value*& v : inputs) {
    if (!in_scope(g, v)) v = g.graph->constant(v->node()->constant(), g.block->return_node());
  }
  // A smaller operand may lack the indices that the first has, and no result is sure to lie in a
  // range that an input was given (meet in arg_requests.cpp).
  const std::vector<Role>& roles = like->op().roles;
  bool picks = std::find(roles.begin(), roles.end(), Role::Indices) != roles.end();
  bool has_range = std::any_of(inputs.begin(), inputs.end(),
                               [](const Value* v) { return is_range_name(v->name()); });
  const bool product = like->kind() == OpKind::Contract && !has_range;
  const bool written = product && g.choices.chance(0.15);
  if (written) overwrite(g, inputs[0]);
  // A product of what the write left cannot be computed before it.
  const Operator* over = drawable(g, aten::neg());
  Value* later = written && over && g.choices.chance(0.5) ? append(g, *over, {inputs[0]}) : nullptr;
  if (later) inputs[0] = later;
  else if (product) share(g, inputs);
  bool nest = !picks && !has_range && in_scope(g, like->output()) &&
              like->output()->type().is_tensor() && inputs[0]->type().is_tensor() &&
              g.choices.chance(product ? 0.1 : 0.5);
  if (nest) inputs[0] = like->output();
  Value* result = append(g, like->op(), inputs);
  if (result && product && g.choices.chance(0.2)) overwrite(g, result);
}

void spread_number(GraphState& g) {
  const Operator* expand = drawable(g, aten::expand());
  std::vector<const Operator*> meeting;  // of two tensors, and what the schema says
  for (const Operator* r : g.menu->pointwise) {
    const std::vector<SchemaArg>& args = r->schema.args;
    const bool two = args.size() >= 2 && args[0].type.is_tensor() && args[1].type.is_tensor();
    const bool divides = r->roles.size() > 1 && (r->roles[1] == Role::Divisor || is_divisor(*r, 1));
    if (two && !divides &&
        std::all_of(args.begin() + 2, args.end(), [](const SchemaArg& a) { return a.has_default; }))
      meeting.push_back(r);
  }
  if (!expand || meeting.empty() || g.tensors.empty()) return;
  Value* x = pick_tensor(g);
  Value* number = add_input(g, draw_dtype(g), Dims());
  if (!number) return;
  Node* end = g.block->return_node();
  Value* sizes = g.graph->constant(IValue::int_list(x->type().info().sizes), end);
  Value* wide = append(g, *expand, {number, sizes, g.graph->constant(IValue(false), end)});
  if (!wide) return;
  with_defaults(g, *g.choices.pick(meeting), {x, wide});
}

void pass_through_tuple(GraphState& g, int) {
  std::vector<Value*> parts{pick_tensor(g), pick_tensor(g)};
  Type type = Type::tuple({parts[0]->type(), parts[1]->type()});
  auto construct = [&](const std::vector<Value*>& items) {
    Node* n = g.graph->create(prim::tuple_construct(), items);
    n->output()->set_type(type);
    return g.block->append(n)->output();
  };
  Value* packed = nullptr;
  if (g.choices.chance(0.5)) {
    packed = construct(parts);
  } else {
    Node* n = g.graph->create(prim::if_(), {draw_condition(g)}, 0);
    g.block->append(n);
    Block* outer = g.block;
    bool swap = parts[0]->type() == parts[1]->type();
    for (int side = 0; side < 2; ++side) {
      g.block = n->add_block();
      bool other = swap && side == 1;
      g.block->add_result(construct({parts[other ? 1 : 0], parts[other ? 0 : 1]}));
    }
    g.block = outer;
    packed = n->add_output(type);
  }
  Node* n = g.graph->create(prim::tuple_unpack(), {packed}, 2);
  g.block->append(n);
  for (size_t i = 0; i < 2; ++i) {
    n->outputs()[i]->set_type(parts[i]->type());
    add_result(g, n->outputs()[i]);
  }
}

// A value for a parameter of this type: one in scope, or a fresh input.
Value* argument_of(GraphState& g, const Value* parameter) {
  const Type& type = parameter->type();
  if (parameter->name() == "trips")
    return g.graph->constant(IValue(g.choices.between(0, 4)), g.block->return_node());
  if (is_range_name(parameter->name())) {
    Value* input = g.graph->add_input(type);
    input->set_name(parameter->name() + "_" + std::to_string(g.graph->inputs().size()));
    return input;
  }
  std::vector<Value*> fitting;
  for (Value* v : type.is_tensor() ? g.tensors : g.scalars) {
    if (v->type() == type) fitting.push_back(v);
  }
  if (!fitting.empty()) return g.choices.pick(fitting);
  Value* input = g.graph->add_input(type);
  (type.is_tensor() ? g.tensors : g.scalars).push_back(input);
  return input;
}

// Functions call none themselves.
void call_function(GraphState& g, int) {
  if (g.nested) return;
  GraphState inner(g.choices, g.policy, static_cast<int>(g.choices.between(1, 3)));
  inner.nested = true;
  std::shared_ptr<Graph> callee = build_graph(inner, Sizes::Small);
  std::vector<Value*> inputs;
  for (const Value* p : callee->inputs()) inputs.push_back(argument_of(g, p));
  Node* n =
      g.graph->create(prim::call_function(), inputs, static_cast<int>(callee->outputs().size()));
  n->set_attr("name", IValue::str(fmt::format("f{}", g.calls++)));
  g.block->append(n);
  for (size_t i = 0; i < n->outputs().size(); ++i) {
    n->outputs()[i]->set_type(callee->outputs()[i]->type());
    add_result(g, n->outputs()[i]);
  }
  n->set_attr("Subgraph", callee);
}

[[maybe_unused]] const bool kRegistered = add_productions(
    Grammar::Step, 10,
    {{"repeat", "an earlier computation again, or applied to its own result", 1, repeat_step},
     {"tuple", "two values through a tuple", 0, pass_through_tuple},
     {"call", "a call of a function of its own", 0, call_function}});

}  // namespace

// Of those that may be drawn; null where it may not.
const Operator* drawable(const GraphState& g, const Operator& op) {
  for (const auto* operators :
       {&g.menu->view, &g.menu->in_place, &g.menu->pointwise, &g.menu->create, &g.menu->movement,
        &g.menu->scalar, &g.menu->for_steps}) {
    if (std::ranges::count(*operators, &op)) return &op;
  }
  return nullptr;
}

// A node at the end of the block; its result joins what is in scope. Null where the operator does
// not take the inputs.
Value* append(GraphState& g, const Operator& op, const std::vector<Value*>& inputs) {
  Node* n = g.graph->create(op, inputs);
  g.block->append(n);
  std::vector<Type> types;
  try {
    infer_results(n->op(), arg_infos(n), types);
  } catch (const Error&) {
    types.clear();
  } catch (const Unsupported&) {
    types.clear();
  }
  bool known = types.size() == 1 && (!types[0].is_tensor() || types[0].info().complete());
  if (!known) {
    n->destroy();
    return nullptr;
  }
  n->output()->set_type(types[0]);
  add_result(g, n->output());
  return n->output();
}

// Writes over a tensor of floats what it holds times -1.
void overwrite(GraphState& g, Value* v) {
  const Operator* op = drawable(g, aten::neg_());
  const bool is_tensor = v->type().is_tensor() && v->type().info().complete();
  if (!op || !is_tensor || !is_float(v->type().info().dtype) || overlaps(v->type().info()) ||
      is_range_name(v->name()))
    return;
  append(g, *op, {v});
}

}  // namespace fusillade::fuzz
