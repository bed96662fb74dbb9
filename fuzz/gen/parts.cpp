// What a loop by hand computes: a tensor part by part, stored or stacked, and a sum of products.
// What the passes whole_stores, stack_of_ops, unbind_selects and sum_products look for, with what
// they must leave alone: a part left out or stored twice, another order, reads and writes between.
#include <algorithm>

#include "engine/aten/named.h"
#include "fuzz/gen/graph_state.h"

namespace fusillade::fuzz {
namespace {

constexpr int64_t kMostIndices = 6;  // that are computed one by one

// What an addend is multiplied by: mostly 1.
Value* draw_factor(GraphState& g) {
  const int64_t n = g.choices.chance(0.12) ? 2 : 1;
  return g.graph->constant(IValue(n), g.block->return_node());
}

// Null where an operator did not take a part, or too few are left.
Value* computed_by_parts(GraphState& g, Value* x, int d) {
  const Operator* add = drawable(g, aten::add());
  const Operator* store = drawable(g, aten::copy_());
  const int64_t size = x->type().info().sizes[d];
  Value* y = newest_like(g, x, 0);
  const bool stacked = g.choices.chance(0.4);
  const int64_t step = stacked || g.choices.chance(0.6) ? 0 : 1;
  Value* fresh = stacked ? nullptr : with_defaults(g, *drawable(g, aten::zeros_like()), {x});
  std::vector<Value*> items;
  const bool backward = g.choices.chance(0.2);
  for (int64_t k = 0; k < size; ++k) {
    const int64_t i = backward ? size - 1 - k : k;
    if (g.choices.chance(0.04)) continue;
    Value* a = take_part(g, x, d, i, i + 1, step);
    Value* b = y && g.choices.chance(0.95) ? take_part(g, y, d, i, i + 1, step) : a;
    Value* sum = a && b ? with_defaults(g, *add, {a, b, draw_factor(g)}) : nullptr;
    if (!sum) return nullptr;
    items.push_back(g.choices.chance(0.1) ? a : sum);
    Value* to = fresh ? take_part(g, fresh, d, i, i + 1, step) : nullptr;
    if (to) with_defaults(g, *store, {to, items.back()});
    if (g.choices.chance(0.08)) overwrite(g, g.choices.chance(0.7) ? items.back() : x);
    if (fresh && g.choices.chance(0.03)) take_part(g, fresh, d, i, i + 1, step);
  }
  if (fresh) return with_defaults(g, *add, {x, fresh});
  if (items.size() < 2 || items[0]->type().info().sizes.rank() >= kMaxRank) return nullptr;
  Node* list = g.block->append(g.graph->create(prim::list_construct(), items));
  list->output()->set_type(Type::list(TypeKind::Tensor));
  return append(g, *drawable(g, aten::stack()),
                {list->output(), g.graph->constant(IValue(int64_t{d}), g.block->return_node())});
}

}  // namespace

// Every place of a dimension of `x` goes through one op and into a fresh tensor or a stack. What
// comes next mostly sees the whole alone.
void part_by_part(GraphState& g, Value* x) {
  for (const Operator* op : {&aten::add(), &aten::copy_(), &aten::zeros_like(), &aten::stack(),
                             &aten::select(), &aten::slice()})
    if (!drawable(g, *op)) return;
  const Dims& sizes = x->type().info().sizes;
  std::vector<int> dims;
  for (int d = 0; d < sizes.rank(); ++d)
    if (sizes[d] > 1 && sizes[d] <= kMostIndices) dims.push_back(d);
  if (dims.empty()) return;
  const size_t known = g.tensors.size();
  Value* whole = computed_by_parts(g, x, g.choices.pick(dims));
  if (!whole || g.choices.chance(0.2)) return;
  g.tensors.resize(known);
  add_result(g, whole);
}

// Products of matrices of few columns, added up; some of their operands are shared or turned.
void sum_of_products(GraphState& g) {
  const Operator* add = drawable(g, aten::add());
  const Operator* transpose = drawable(g, aten::t());
  if (!add || !transpose || g.closed) return;
  const int64_t rows = g.choices.between(2, 5), columns = g.choices.between(2, 5);
  const DType dtype = draw_dtype(g);
  std::vector<Value*> left, right;
  Value* sum = nullptr;
  const bool turned = g.choices.chance(0.4);
  int64_t inner = g.choices.between(1, 2);
  for (int64_t times = g.choices.between(2, 6); times > 0; --times) {
    if (g.choices.chance(0.1)) inner = 3 - inner;
    Value* a = add_input(g, dtype, turned ? Dims{inner, rows} : Dims{rows, inner});
    Value* b = a ? add_input(g, dtype, Dims{inner, columns}) : nullptr;
    if (a && turned) a = append(g, *transpose, {a});
    Value* product = a && b ? append(g, aten::mm(), {a, b}) : nullptr;
    if (!product) return;
    if (g.choices.chance(0.04)) overwrite(g, g.choices.chance(0.5) ? product : b);
    if (g.choices.chance(0.1)) with_defaults(g, *add, {product, product});
    sum = sum ? with_defaults(g, *add, {sum, product, draw_factor(g)}) : product;
    if (!sum) return;
  }
}

}  // namespace fusillade::fuzz
