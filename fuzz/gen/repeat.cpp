// Steps that give passes work to do: the same computation twice, products that share an operand and
// what writes between them, an operator on its own result, a number spread to the sizes of a tensor
// that it meets, values that pass through a tuple, and calls of a function (joins.cpp: cats).
#include <algorithm>

#include "engine/ops/infer.h"
#include "fuzz/gen/builder.h"

namespace fusillade::fuzz {
namespace {

bool repeatable(const Node* n) {
  const Row& row = n->row();
  return row.kind != OpKind::Prim && !row.in_place && !row.schema.writes() && n->blocks().empty() &&
         n->outputs().size() == 1 && !n->inputs().empty() &&
         !n->output()->type().is(TypeKind::List);
}

}  // namespace

bool Builder::in_scope(const Value* v) const {
  for (const Block* b = block_; b; b = b->owner() ? b->owner()->block() : nullptr) {
    if (v->node()->block() == b) return true;
  }
  return false;
}

// The nodes of this block, those around it, and those of the other branch whose operands are in
// scope.
std::vector<Node*> Builder::repeatable_nodes() const {
  std::vector<Node*> out;
  auto add = [&](const Block* b) {
    for (Node* n : b->nodes()) {
      bool within = repeatable(n);
      for (const Value* v : n->inputs())
        within = within && (v->node()->is(prim::constant()) || in_scope(v));
      if (within) out.push_back(n);
    }
  };
  for (const Block* b = block_; b; b = b->owner() ? b->owner()->block() : nullptr) {
    add(b);
    if (b->owner() && b->owner()->is(prim::if_()) && b != b->owner()->blocks()[0])
      add(b->owner()->blocks()[0]);
  }
  return out;
}

// Of a product repeated: one operand, or one and what is added to the product, becomes another of
// its type, so that two products share the other.
void Builder::share(std::vector<Value*>& operands) {
  const size_t at = static_cast<size_t>(choices_.between(0, operands.size() > 2 ? 2 : 1));
  auto vary = [&](size_t i) {
    if (i >= operands.size() || !operands[i]->type().is_tensor()) return;
    if (Value* other = newest_like(operands[i], 0)) operands[i] = other;
    else if (!closed_) operands[i] = graph_->add_input(operands[i]->type());
  };
  if (at < 2) vary(at);
  if (operands.size() > 2 && choices_.chance(0.5)) vary(2);
}

// Of those that may be drawn; null where it may not.
const Row* Builder::drawable(const char* name) const {
  for (const auto* rows : {&menu_->view, &menu_->in_place, &menu_->pointwise, &menu_->create,
                           &menu_->movement, &menu_->scalar, &menu_->for_steps}) {
    for (const Row* r : *rows)
      if (r->name == name) return r;
  }
  return nullptr;
}

// A node at the end of the block; its result joins what is in scope. Null where the row does not
// take the inputs.
Value* Builder::append(const Row& row, const std::vector<Value*>& inputs) {
  Node* n = graph_->create(row, inputs);
  block_->append(n);
  std::vector<Type> types;
  try {
    infer_results(n->row(), arg_infos(n), types);
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
  add_result(n->output());
  return n->output();
}

// Writes over a tensor of floats what it holds times -1.
void Builder::overwrite(Value* v) {
  const Row* row = drawable("aten::neg_");
  const bool is_tensor = v->type().is_tensor() && v->type().info().complete();
  if (!row || !is_tensor || !is_float(v->type().info().dtype) || overlaps(v->type().info()) ||
      is_granted(v->name()))
    return;
  append(*row, {v});
}

void Builder::repeat() {
  if (choices_.chance(0.1)) return spread();
  if (choices_.chance(0.15)) return join();
  if (choices_.chance(0.15)) return sum_of_products();
  std::vector<Node*> nodes = repeatable_nodes();
  if (nodes.empty()) return;
  std::vector<Node*> products;
  for (Node* n : nodes)
    if (n->kind() == OpKind::Contract) products.push_back(n);
  const Node* like = choices_.pick(!products.empty() && choices_.chance(0.5) ? products : nodes);
  const bool product = like->kind() == OpKind::Contract;
  for (int64_t times = product ? choices_.between(1, 3) : 1; times > 0; --times) repeat(like);
  if (product && choices_.chance(0.6)) flattened(like->output());
}

// An element-wise row over a product's elements as one line, which is a view only of what lies as
// products do.
void Builder::flattened(Value* product) {
  const Row* view = drawable("aten::view");
  const Row* over = drawable("aten::neg");
  if (!view || !over || !in_scope(product) || !product->type().is_tensor()) return;
  Value* line = graph_->constant(IValue::int_list({-1}), block_->return_node());
  if (Value* made = append(*view, {product, line})) append(*over, {made});
}

void Builder::repeat(const Node* like) {
  std::vector<Value*> inputs = like->inputs();
  for (Value*& v : inputs) {
    if (!in_scope(v)) v = graph_->constant(v->node()->constant(), block_->return_node());
  }
  // A smaller operand may not have the places that the first has, and no result is sure to lie in a
  // range granted to an input (Builder::grant).
  const std::vector<Role>& roles = like->row().roles;
  bool picks = std::find(roles.begin(), roles.end(), Role::Places) != roles.end();
  bool granted = std::any_of(inputs.begin(), inputs.end(),
                             [](const Value* v) { return is_granted(v->name()); });
  const bool product = like->kind() == OpKind::Contract && !granted;
  const bool written = product && choices_.chance(0.15);
  if (written) overwrite(inputs[0]);
  // A product of what the write left cannot be computed before it.
  const Row* over = drawable("aten::neg");
  Value* later = written && over && choices_.chance(0.5) ? append(*over, {inputs[0]}) : nullptr;
  if (later) inputs[0] = later;
  else if (product) share(inputs);
  bool nest = !picks && !granted && in_scope(like->output()) &&
              like->output()->type().is_tensor() && inputs[0]->type().is_tensor() &&
              choices_.chance(product ? 0.1 : 0.5);
  if (nest) inputs[0] = like->output();
  Value* made = append(like->row(), inputs);
  if (made && product && choices_.chance(0.2)) overwrite(made);
}

void Builder::spread() {
  const Row* expand = drawable("aten::expand");
  std::vector<const Row*> meeting;  // of two tensors, and what the schema says
  for (const Row* r : menu_->pointwise) {
    const std::vector<SchemaArg>& args = r->schema.args;
    const bool two = args.size() >= 2 && args[0].type.is_tensor() && args[1].type.is_tensor();
    const bool divides = r->roles.size() > 1 && (r->roles[1] == Role::Divisor || is_divisor(*r, 1));
    if (two && !divides &&
        std::all_of(args.begin() + 2, args.end(), [](const SchemaArg& a) { return a.has_default; }))
      meeting.push_back(r);
  }
  if (!expand || meeting.empty() || tensors_.empty()) return;
  Value* x = pick_tensor();
  Value* number = add_input(draw_dtype(), Dims());
  if (!number) return;
  Node* end = block_->return_node();
  Value* sizes = graph_->constant(IValue::int_list(x->type().info().sizes), end);
  Value* wide = append(*expand, {number, sizes, graph_->constant(IValue(false), end)});
  if (!wide) return;
  with_defaults(*choices_.pick(meeting), {x, wide});
}

void Builder::tuple() {
  std::vector<Value*> parts{pick_tensor(), pick_tensor()};
  Type type = Type::tuple({parts[0]->type(), parts[1]->type()});
  auto construct = [&](const std::vector<Value*>& items) {
    Node* n = graph_->create(prim::tuple_construct(), items);
    n->output()->set_type(type);
    return block_->append(n)->output();
  };
  Value* packed = nullptr;
  if (choices_.chance(0.5)) {
    packed = construct(parts);
  } else {
    Node* n = graph_->create(prim::if_(), {condition()}, 0);
    block_->append(n);
    Block* outer = block_;
    bool swap = parts[0]->type() == parts[1]->type();
    for (int side = 0; side < 2; ++side) {
      block_ = n->add_block();
      bool other = swap && side == 1;
      block_->add_result(construct({parts[other ? 1 : 0], parts[other ? 0 : 1]}));
    }
    block_ = outer;
    packed = n->add_output(type);
  }
  Node* n = graph_->create(prim::tuple_unpack(), {packed}, 2);
  block_->append(n);
  for (size_t i = 0; i < 2; ++i) {
    n->outputs()[i]->set_type(parts[i]->type());
    add_result(n->outputs()[i]);
  }
}

// A value for a parameter of this type: one in scope, or a fresh input.
Value* Builder::argument_of(const Value* parameter) {
  const Type& type = parameter->type();
  if (parameter->name() == "trips")
    return graph_->constant(IValue(choices_.between(0, 4)), block_->return_node());
  if (is_granted(parameter->name())) {
    Value* made = graph_->add_input(type);
    made->set_name(parameter->name() + "_" + std::to_string(graph_->inputs().size()));
    return made;
  }
  std::vector<Value*> fitting;
  for (Value* v : type.is_tensor() ? tensors_ : scalars_) {
    if (v->type() == type) fitting.push_back(v);
  }
  if (!fitting.empty()) return choices_.pick(fitting);
  Value* made = graph_->add_input(type);
  (type.is_tensor() ? tensors_ : scalars_).push_back(made);
  return made;
}

// Functions call none themselves.
void Builder::call() {
  if (nested_) return;
  Builder inner(choices_, policy_, static_cast<int>(choices_.between(1, 3)));
  inner.nested_ = true;
  std::shared_ptr<Graph> callee = inner.build();
  std::vector<Value*> inputs;
  for (const Value* p : callee->inputs()) inputs.push_back(argument_of(p));
  Node* n =
      graph_->create(prim::call_function(), inputs, static_cast<int>(callee->outputs().size()));
  n->set_attr("name", IValue::str(fmt::format("f{}", calls_++)));
  block_->append(n);
  for (size_t i = 0; i < n->outputs().size(); ++i) {
    n->outputs()[i]->set_type(callee->outputs()[i]->type());
    add_result(n->outputs()[i]);
  }
  n->set_attr("Subgraph", callee);
}

}  // namespace fusillade::fuzz
