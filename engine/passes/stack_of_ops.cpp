// A stack of results of one element-wise op is the op on stacks of its operands.
//
//   %a = aten::add(%x, %u, %one)                  %l = prim::ListConstruct(%x, %y)
//   %b = aten::add(%y, %v, %one)                  %r = prim::ListConstruct(%u, %v)
//   %l = prim::ListConstruct(%a, %b)      ==>     %c = aten::stack(%l, %0)
//   %s = aten::stack(%l, %0)                      %d = aten::stack(%r, %0)
//                                                 %s = aten::add(%c, %d, %one)
//
// and a stack of all parts of a tensor along the same dimension is the tensor: selects of each
// index in order, or what an unbind gives, as they are or reshaped alike where they lie behind one
// another. So what a loop computes part by part is computed at once. Each result has no other use;
// operands have the items' sizes, or no dimensions, or are one value of the items' sizes in all of
// them, or equal constants; their dtypes are equal, and so is every other argument. Nothing that is
// read is written. What is computed of an element stays the same, so it is exact.
#include <algorithm>
#include <optional>

#include "engine/aten/named.h"
#include "engine/ir/visit.h"
#include "engine/ops/traits.h"
#include "engine/passes/effects.h"
#include "engine/passes/insert.h"
#include "engine/passes/operands.h"
#include "engine/passes/pass.h"
#include "engine/passes/rule.h"

namespace fusillade {
namespace {

using Items = std::vector<Value*>;

bool alike(const Value* a, const Value* b) {
  const TensorInfo& x = a->type().info();
  const TensorInfo& y = b->type().info();
  return is_whole(a) && is_whole(b) && x.dtype == y.dtype && x.sizes == y.sizes;
}

bool has_no_dims(const Value* v) { return is_whole(v) && v->type().info().sizes.rank() == 0; }

class Lifter {
 public:
  Lifter(Graph& graph, Rewriter& rewriter) : graph_(graph), effects_(graph), rewriter_(rewriter) {}

  // Stacks that a rewrite creates precede the node, and are visited in the next round.
  bool run(Block* block) {
    bool any = false;
    each_node_inside_out(block, [&](Node* node) {
      if (is_op(node, "aten::stack") && !node->output()->is_unused()) any = visit(node) || any;
    });
    return any;
  }

 private:
  bool visit(Node* stack) {
    const Node* list = stack->input()->node();
    if (!list->is(prim::list_construct()) || effects_.is_written(stack->input())) return false;
    const Items items = list->inputs();
    if (items.size() < 2 || !is_whole(stack->output()) || effects_.is_written(stack->output()))
      return false;
    const std::optional<int> dim =
        dim_of(stack->input(1), stack->output()->type().info().sizes.rank());
    if (!dim) return false;
    if (parts(stack, items, *dim)) return true;
    return lift(stack, items, *dim);
  }

  // The tensor whose parts along a dimension these are, in order, reshaped or not.
  bool parts(Node* stack, const Items& items, int dim) {
    Value* source = nullptr;
    int along = 0;
    for (size_t i = 0; i < items.size(); ++i) {
      const Part part = part_of(skip_reshape(items[i]));
      if (!part.of || part.at != static_cast<int64_t>(i)) return false;
      if (source && (part.of != source || part.dim != along)) return false;
      source = part.of;
      along = part.dim;
    }
    const TensorInfo& info = source->type().info();
    if (info.sizes[along] != static_cast<int64_t>(items.size()) || effects_.is_written(source))
      return false;
    const bool as_they_are = along == dim && alike(skip_reshape(items[0]), items[0]);
    if (as_they_are && same_known_type(stack->output(), source)) return take_over(stack, source);
    bool in_front = dim == 0 && is_contiguous(info.sizes, info.strides);
    for (int d = 0; d < along; ++d) in_front = in_front && info.sizes[d] == 1;
    if (!in_front && !as_they_are) return false;
    Value* sizes = graph_.constant(IValue::int_list(stack->output()->type().info().sizes), stack);
    Value* all = insert_op(aten::reshape(), {source, sizes}, stack, effects_);
    if (take_over(stack, all)) return true;
    all->node()->destroy();
    return false;
  }

  // What was reshaped to be the value.
  static const Value* skip_reshape(const Value* v) {
    const Node* n = v->node();
    const bool shaped = has_trait(n->op(), Trait::KeepsOrder);
    return shaped && is_whole(v) && is_whole(n->input()) ? n->input() : v;
  }

  // One index along a dimension of a tensor.
  struct Part {
    Value* of = nullptr;
    int dim = 0;
    int64_t at = 0;
  };

  static Part part_of(const Value* v) {
    const Node* n = v->node();
    const Node* from = n->is(prim::list_unpack()) ? n->input()->node() : n;
    if (!is_op(from, n == from ? "aten::select" : "aten::unbind") || from->inputs().size() < 2)
      return {};
    if (!is_whole(from->input()) || !is_whole(v)) return {};
    const Dims& sizes = from->input()->type().info().sizes;
    const std::optional<int> dim = dim_of(from->input(1), sizes.rank());
    if (!dim) return {};
    if (n != from) return {from->input(), *dim, v->index()};
    const std::optional<int64_t> index = int_of(from->input(2));
    if (!index) return {};
    return {from->input(), *dim, *index < 0 ? *index + sizes[*dim] : *index};
  }

  bool take_over(Node* stack, Value* by) {
    if (!same_known_type(stack->output(), by) || !effects_.may_replace_value(stack->output(), by) ||
        !rewriter_.allow("parts", stack))
      return false;
    replace(stack, by);
    return true;
  }

  // What is left without use goes, so that no item seems to have another user.
  void replace(Node* stack, Value* by) {
    stack->output()->replace_all_uses_with(by);
    effects_.replace_value(stack->output(), by);
    Node* list = stack->input()->node();
    stack->destroy();
    if (!list->output()->is_unused()) return;
    const Items items = list->inputs();
    list->destroy();
    for (Value* v : items)
      if (v->node()->block() && v->node()->kind() == OpKind::Pointwise && v->is_unused())
        v->node()->destroy();
  }

  bool lift(Node* stack, const Items& items, int dim) {
    const Node* model = items[0]->node();
    if (model->kind() != OpKind::Pointwise || writes_memory(model)) return false;
    for (const Value* v : items)
      if (!like(v, items[0])) return false;
    for (int i = 0; i < static_cast<int>(model->inputs().size()); ++i)
      if (!fits(items, i)) return false;
    const Node* before = stack->prev();
    std::vector<Value*> inputs;
    for (int i = 0; i < static_cast<int>(model->inputs().size()); ++i)
      inputs.push_back(operand(items, i, dim, stack));
    Value* lifted = insert_op(model->op(), inputs, stack);
    if (!same_known_type(lifted, stack->output()) || !rewriter_.allow("lift", stack)) {
      take_back(before, stack);
      return false;
    }
    effects_.add_value(lifted, nullptr);
    replace(stack, lifted);
    return true;
  }

  // The result of the same op, which nothing else uses.
  bool like(const Value* v, const Value* first) const {
    const Node* n = v->node();
    const Node* model = first->node();
    return &n->op() == &model->op() && n->outputs().size() == 1 && v->uses().size() == 1 &&
           n->inputs().size() == model->inputs().size() && n->block() == model->block() &&
           alike(v, first) && !effects_.is_written(v);
  }

  // May the operands of that number be one operand?
  bool fits(const Items& items, int i) const {
    const Value* first = items[0]->node()->input(i);
    auto each = [&](auto test) {
      return std::ranges::all_of(items, [&](const Value* v) { return test(v->node()->input(i)); });
    };
    if (!first->type().is_tensor())
      return each([&](const Value* v) { return same_operand(v, first); });
    const bool shaped =
        has_no_dims(first) ||
        (is_whole(first) && first->type().info().sizes == items[0]->type().info().sizes);
    return shaped &&
           each([&](const Value* v) { return alike(v, first) && !effects_.is_written(v); });
  }

  Value* operand(const Items& items, int i, int dim, Node* stack) {
    Items operands;
    for (const Value* v : items) operands.push_back(v->node()->input(i));
    Value* first = operands[0];
    if (!first->type().is_tensor()) return first;
    const int rank = items[0]->type().info().sizes.rank();
    const bool one = std::ranges::all_of(operands, [&](const Value* v) { return v == first; });
    if (one && has_no_dims(first)) return first;
    if (one)
      return insert_op(aten::unsqueeze(), {first, int_constant(dim, stack)}, stack, effects_);
    Value* list = insert_list(operands, stack, effects_);
    const bool scalars = has_no_dims(first) && rank > 0;
    Value* all =
        insert_op(aten::stack(), {list, int_constant(scalars ? 0 : dim, stack)}, stack, effects_);
    if (!scalars || dim == rank) return all;
    Dims sizes(rank + 1 - dim, 1);  // broadcast over the dims after it
    sizes[0] = static_cast<int64_t>(items.size());
    return insert_op(aten::view(), {all, graph_.constant(IValue::int_list(sizes), stack)}, stack,
                     effects_);
  }

  Graph& graph_;
  Effects effects_;
  Rewriter& rewriter_;
};

bool is_stack_or_select(const Node* node) {
  return is_op(node, "aten::stack") || is_op(node, "aten::select");
}

}  // namespace

PASS(stack_of_ops, kExact | kIdempotent | kMerges,
     "turn a stack of results of one element-wise op into the op on stacks; turn a stack of all "
     "parts of a tensor into the tensor",
     is_stack_or_select) {
  while (Lifter(graph, rewriter).run(graph.block())) {
  }
}

}  // namespace fusillade
