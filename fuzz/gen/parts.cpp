// What a loop by hand computes: a tensor part by part, stored or stacked, and a sum of products.
// What the passes whole_stores, stack_of_ops, unbind_selects and sum_products look for, with what
// they must leave alone: a part left out or stored twice, another order, reads and writes between.
// (law: rules name ops)
#include <algorithm>

#include "fuzz/gen/builder.h"

namespace fusillade::fuzz {
namespace {

constexpr int64_t kMostPlaces = 6;  // that are computed one by one

}  // namespace

// What an addend is multiplied by: mostly 1.
Value* Builder::factor() {
  const int64_t n = choices_.chance(0.12) ? 2 : 1;
  return graph_->constant(IValue(n), block_->return_node());
}

// Every place of a dimension of `x` goes through one op and into a fresh tensor or a stack. What
// comes next mostly sees the whole alone.
void Builder::part_by_part(Value* x) {
  for (const char* op : {"aten::add.Tensor", "aten::copy_", "aten::zeros_like", "aten::stack",
                         "aten::select.int", "aten::slice.Tensor"})
    if (!drawable(op)) return;
  const Dims& sizes = x->type().info().sizes;
  std::vector<int> dims;
  for (int d = 0; d < sizes.rank(); ++d)
    if (sizes[d] > 1 && sizes[d] <= kMostPlaces) dims.push_back(d);
  if (dims.empty()) return;
  const size_t known = tensors_.size();
  Value* whole = computed_by_parts(x, choices_.pick(dims));
  if (!whole || choices_.chance(0.2)) return;
  tensors_.resize(known);
  add_result(whole);
}

// Null where a row did not take a part, or too few are left.
Value* Builder::computed_by_parts(Value* x, int d) {
  const Row* add = drawable("aten::add.Tensor");
  const Row* store = drawable("aten::copy_");
  const int64_t size = x->type().info().sizes[d];
  Value* y = newest_like(x, 0);
  const bool stacked = choices_.chance(0.4);
  const int64_t step = stacked || choices_.chance(0.6) ? 0 : 1;
  Value* fresh = stacked ? nullptr : with_defaults(*drawable("aten::zeros_like"), {x});
  std::vector<Value*> items;
  const bool backward = choices_.chance(0.2);
  for (int64_t k = 0; k < size; ++k) {
    const int64_t i = backward ? size - 1 - k : k;
    if (choices_.chance(0.04)) continue;
    Value* a = part(x, d, i, i + 1, step);
    Value* b = y && choices_.chance(0.95) ? part(y, d, i, i + 1, step) : a;
    Value* made = a && b ? with_defaults(*add, {a, b, factor()}) : nullptr;
    if (!made) return nullptr;
    items.push_back(choices_.chance(0.1) ? a : made);
    Value* to = fresh ? part(fresh, d, i, i + 1, step) : nullptr;
    if (to) with_defaults(*store, {to, items.back()});
    if (choices_.chance(0.08)) overwrite(choices_.chance(0.7) ? items.back() : x);
    if (fresh && choices_.chance(0.03)) part(fresh, d, i, i + 1, step);
  }
  if (fresh) return with_defaults(*add, {x, fresh});
  if (items.size() < 2 || items[0]->type().info().sizes.rank() >= kMaxRank) return nullptr;
  Node* list = block_->append(graph_->create(prim::list_construct(), items));
  list->output()->set_type(Type::list(TypeKind::Tensor));
  return append(*drawable("aten::stack"),
                {list->output(), graph_->constant(IValue(int64_t{d}), block_->return_node())});
}

// Products of matrices of few columns, added up; some of their operands are shared or turned.
void Builder::sum_of_products() {
  const Row* add = drawable("aten::add.Tensor");
  const Row* turn = drawable("aten::t");
  if (!add || !turn || closed_) return;
  const int64_t rows = choices_.between(2, 5), columns = choices_.between(2, 5);
  const DType dtype = draw_dtype();
  std::vector<Value*> left, right;
  Value* sum = nullptr;
  const bool turned = choices_.chance(0.4);
  int64_t inner = choices_.between(1, 2);
  for (int64_t times = choices_.between(2, 6); times > 0; --times) {
    if (choices_.chance(0.1)) inner = 3 - inner;
    Value* a = add_input(dtype, turned ? Dims{inner, rows} : Dims{rows, inner});
    Value* b = a ? add_input(dtype, Dims{inner, columns}) : nullptr;
    if (a && turned) a = append(*turn, {a});
    Value* product = a && b ? append(row("aten::mm"), {a, b}) : nullptr;
    if (!product) return;
    if (choices_.chance(0.04)) overwrite(choices_.chance(0.5) ? product : b);
    if (choices_.chance(0.1)) with_defaults(*add, {product, product});
    sum = sum ? with_defaults(*add, {sum, product, factor()}) : product;
    if (!sum) return;
  }
}

}  // namespace fusillade::fuzz
