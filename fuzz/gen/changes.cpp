// Steps that mutate what they have created: slices of a fresh tensor, updated one after the other,
// and a list of tensors that grows and shrinks. What such a step draws never raises.
#include <algorithm>

#include "engine/aten/named.h"
#include "fuzz/gen/graph_state.h"

namespace fusillade::fuzz {
namespace {

// Updates of parts of a fresh tensor: of the same part again, of others, some of them read between.
void store_parts(GraphState& g, int) {
  const Operator* views[] = {drawable(g, aten::select()), drawable(g, aten::slice())};
  const Operator* zeros = &aten::zeros_like();
  const Operator* factory =
      drawable(g, *g.choices.pick(std::vector<const Operator*>{zeros, zeros, &aten::ones_like()}));
  if (!views[0] || !views[1] || !factory || g.tensors.empty()) return;
  Value* x = pick_tensor(g);
  const Dims sizes = x->type().info().sizes;
  if (sizes.rank() == 0 || numel_of(sizes) == 0 || is_range_name(x->name())) return;
  if (g.choices.chance(0.5)) return part_by_part(g, x);
  const int d = static_cast<int>(g.choices.between(0, sizes.rank() - 1));
  Value* fresh = with_defaults(g, *factory, {x});
  if (!fresh) return;
  // What is written may have another dtype than what it is written to.
  const DType dtype = x->type().info().dtype;
  const Operator& wide = dtype == DType::F64 ? aten::cast_float() : aten::cast_double();
  const Operator* cast = drawable(g, is_float(dtype) ? wide : aten::cast_long());
  const bool casts = cast && dtype != DType::Bool && g.choices.chance(0.25);
  Value* other = casts ? with_defaults(g, *cast, {x}) : nullptr;
  int64_t first = 0, last = 0, step = 0;
  for (int64_t times = g.choices.between(2, 5), i = 0; i < times; ++i) {
    if (i == 0 || g.choices.chance(0.5)) {
      first = g.choices.between(0, sizes[d] - 1);
      step = g.choices.between(0, 2);
      last = g.choices.between(first + 1, sizes[d]);
    }
    Value* to = take_part(g, fresh, d, first, last, step);
    Value* from = take_part(g, other && g.choices.chance(0.7) ? other : x, d, first, last, step);
    const Operator* write =
        drawable(g, *g.choices.pick(std::vector<const Operator*>{&aten::add_(), &aten::add_(),
                                                                 &aten::mul_(), &aten::copy_()}));
    if (!to || !from || !write) return;
    with_defaults(g, *write, {to, from});
    if (g.choices.chance(0.2)) take_part(g, fresh, d, g.choices.between(0, sizes[d] - 1), 0, 0);
  }
  // What comes next reads the whole of it.
  const Operator* add = drawable(g, aten::add());
  if (add && g.choices.chance(0.5)) with_defaults(g, *add, {x, fresh});
}

// A list of tensors of one type, changed some times, read between and at the end.
class ChangedList {
 public:
  ChangedList(GraphState& g, const Operator& stack)
      : g_(g), stack_(stack), x_(pick_tensor(g)), count_(g.choices.between(1, 3)) {
    if (count_ == 1 && g_.graph->node_count() % 2) fill();
    else list_ = list_of(count_);
    if (!g_.choices.chance(0.3)) return;
    holder_ = g_.graph->create(prim::tuple_construct(), {list_, x_});
    holder_->output()->set_type(Type::tuple({type_, x_->type()}));
    g_.block->append(holder_);
  }

  void change() {
    switch (g_.choices.between(0, 5)) {
      case 0:
        act(aten::append(), {list_, item()})->set_type(type_);
        ++count_;
        break;
      case 1:
        act(aten::insert(), {list_, number(g_.choices.between(0, count_)), item()});
        ++count_;
        break;
      case 2:
        extend();
        break;
      case 3:
        if (count_ == 1) break;
        add_result(g_, take(g_.choices.between(0, count_-- - 1)));
        break;
      case 4:
        act(aten::reverse(), {list_});
        break;
      default:
        act(aten::set_item(), {list_, number(g_.choices.between(0, count_ - 1)), item()})
            ->set_type(type_);
    }
    if (g_.choices.chance(0.3)) read();
  }

  void end() {
    if (holder_) {
      Node* out = g_.block->append(g_.graph->create(prim::tuple_unpack(), {holder_->output()}, 2));
      out->outputs()[0]->set_type(type_);
      out->outputs()[1]->set_type(x_->type());
      list_ = out->outputs()[0];
    }
    read();
  }

 private:
  Value* item() {
    Value* like = g_.choices.chance(0.6) ? newest_like(g_, x_, 0) : nullptr;
    return like ? like : x_;
  }
  Value* list_of(int64_t n) {
    std::vector<Value*> items;
    while (static_cast<int64_t>(items.size()) < n) items.push_back(item());
    Node* node = g_.graph->create(prim::list_construct(), items);
    node->output()->set_type(type_);
    return g_.block->append(node)->output();
  }
  Value* act(const Operator& changed, const std::vector<Value*>& inputs) {
    const int results = static_cast<int>(changed.schema.results.size());
    Node* n = g_.block->append(g_.graph->create(changed, inputs, results));
    return results ? n->output() : nullptr;
  }
  Value* number(int64_t n) { return g_.graph->constant(IValue(n), g_.block->return_node()); }
  Value* take(int64_t at) {
    Value* taken = act(aten::pop(), {list_, number(at)});
    taken->set_type(x_->type());
    return taken;
  }
  // Empty at first, and filled out of the sight of what looks at one block.
  void fill() {
    list_ = list_of(0);
    Node* either = g_.block->append(g_.graph->create(prim::if_(), {draw_condition(g_)}, 0));
    Block* outer = g_.block;
    for (int side = 0; side < 2; ++side) {
      g_.block = either->add_block();
      act(aten::append(), {list_, x_})->set_type(type_);
    }
    g_.block = outer;
  }
  // By another list, which may grow before, and be turned around out of the sight of what looks at
  // one block.
  void extend() {
    const int64_t more = g_.choices.between(1, 2);
    Value* other = list_of(more);
    const bool grows = g_.choices.chance(0.3);
    if (grows) act(aten::append(), {other, item()})->set_type(type_);
    if (g_.choices.chance(0.3)) {
      Node* perhaps = g_.block->append(g_.graph->create(prim::if_(), {draw_condition(g_)}, 0));
      Block* outer = g_.block;
      for (int side = 0; side < 2; ++side) {
        g_.block = perhaps->add_block();
        if (side == 0) act(aten::reverse(), {other});
      }
      g_.block = outer;
    }
    act(aten::extend(), {list_, other});
    count_ += more + grows;
  }
  void read() {
    const TensorInfo& info = x_->type().info();
    if (info.sizes.rank() >= kMaxRank) return;
    Dims sizes{count_};
    for (int64_t s : info.sizes) sizes.push_back(s);
    Node* n = g_.block->append(g_.graph->create(stack_, {list_, number(0)}));
    n->output()->set_type(Type::tensor(info.dtype, sizes));
    add_result(g_, n->output());
  }

  GraphState& g_;
  const Operator& stack_;
  Value* x_;
  const Type type_ = Type::list(TypeKind::Tensor);
  int64_t count_;  // of its items
  Value* list_ = nullptr;
  Node* holder_ = nullptr;  // a tuple that has the list, too
};

void change_list(GraphState& g, int) {
  const Operator* stack = drawable(g, aten::stack());
  if (!stack || g.tensors.empty()) return;
  ChangedList list(g, *stack);
  for (int64_t times = g.choices.between(1, 4); times > 0; --times) list.change();
  list.end();
}

[[maybe_unused]] const bool kRegistered = add_productions(
    Grammar::Step, 13,
    {{"stores", "parts of a fresh tensor, written one after the other", 0, store_parts},
     {"items", "a list of tensors that grows and shrinks", 0, change_list}});

}  // namespace

// A node of the operator, further arguments as the schema has them.
Value* with_defaults(GraphState& g, const Operator& op, std::vector<Value*> inputs) {
  for (size_t i = inputs.size(); i < op.schema.args.size(); ++i)
    inputs.push_back(g.graph->constant(op.schema.args[i].default_value, g.block->return_node()));
  return append(g, op, inputs);
}

// One index of dimension d, or every `step`-th of a range.
Value* take_part(GraphState& g, Value* of, int d, int64_t first, int64_t last, int64_t step) {
  Node* end = g.block->return_node();
  auto number = [&](int64_t n) { return g.graph->constant(IValue(n), end); };
  if (step == 0) return append(g, *drawable(g, aten::select()), {of, number(d), number(first)});
  return append(g, *drawable(g, aten::slice()),
                {of, number(d), number(first), number(last), number(step)});
}

}  // namespace fusillade::fuzz
