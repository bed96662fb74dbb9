// A sum of products is the product of the concatenated operands.
//
//   %a = aten::mm(%x, %u)                         %l = prim::ListConstruct(%x, %y)
//   %b = aten::mm(%y, %v)                         %r = prim::ListConstruct(%u, %v)
//   %s = aten::add(%a, %b, %one)           ==>    %c = aten::cat(%l, 1)
//                                                 %d = aten::cat(%r, 0)
//                                                 %s = aten::mm(%c, %d)
//
// So the gradients of a weight that every step of a loop multiplies are one product, and those of
// its bias, sums over one dimension, one sum. The sum is a tree of additions of equal types whose
// inner results nothing else uses; what else it adds is added to the product. Products are of two
// matrices, nothing else uses them, and their operands are no larger than what they give, for they
// are copied. Left operands that are transposed, most of them, are concatenated first. All operands
// are available at the sum, and none is ever written. Sums are taken in another order, so it is not
// exact. Left alone are 16-bit floats, which round each product, and addends of several lengths,
// whose order is the safer one.
//
// sum_products(N): of at least N products, 2 where none is given.
#include <algorithm>

#include "engine/aten/named.h"
#include "engine/ops/traits.h"
#include "engine/passes/constants.h"
#include "engine/passes/effects.h"
#include "engine/passes/insert.h"
#include "engine/passes/least_count.h"
#include "engine/passes/operands.h"
#include "engine/passes/pass.h"
#include "engine/passes/raises.h"

namespace fusillade {
namespace {

bool is_matrix(const Value* v) { return is_whole(v) && v->type().info().sizes.rank() == 2; }

bool is_plain(const Value* v) {
  return is_contiguous(v->type().info().sizes, v->type().info().strides);
}

bool used_once(const Value* v) { return v->uses().size() == 1; }

bool rounds_between(const Value* v) {
  const DType dtype = v->type().info().dtype;
  return dtype == DType::F16 || dtype == DType::BF16;
}

// %a + %b of equal types.
bool is_sum(const Node* n) {
  if (!is_op(n, "aten::add") || n->op().in_place || n->inputs().size() != 3) return false;
  const IValue* factor = constant_of(n->input(2));
  const bool one = factor && factor->is_int() && factor->as_int() == 1;
  auto alike = [&](const Value* v) {
    return is_whole(v) && v->type().info().sizes == n->output()->type().info().sizes &&
           v->type().info().dtype == n->output()->type().info().dtype;
  };
  return one && is_whole(n->output()) && !rounds_between(n->output()) && alike(n->input(0)) &&
         alike(n->input(1));
}

bool is_product(const Value* v) {
  const Node* n = v->node();
  if (!has_trait(n->op(), Trait::MatrixProduct)) return false;
  if (n->inputs().size() != 2 || !is_matrix(n->input(0)) || !is_matrix(n->input(1))) return false;
  const Dims& left = n->input(0)->type().info().sizes;
  const int64_t rows = left[0], inner = left[1], columns = n->input(1)->type().info().sizes[1];
  return used_once(v) && inner * (rows + columns) <= rows * columns && !may_raise(n);
}

// A sum over one dimension, in the dtype of what is summed.
bool is_reduction(const Value* v, int* dim) {
  const Node* n = v->node();
  if (!is_op(n, "aten::sum") || n->inputs().size() != 4 || !is_whole(n->input())) return false;
  const IValue* dims = constant_of(n->input(1));
  const IValue* keep = constant_of(n->input(2));
  const IValue* dtype = constant_of(n->input(3));
  if (!dims || !keep || !dtype || dims->tag() != IValue::Tag::List || !dtype->is_none())
    return false;
  const TensorInfo& info = n->input()->type().info();
  if (dims->items().size() != 1 || !keep->is_bool() || keep->as_bool()) return false;
  if (info.dtype != v->type().info().dtype) return false;
  const int64_t d = dims->items()[0].as_int();
  *dim = static_cast<int>(d < 0 ? d + info.sizes.rank() : d);
  return used_once(v) && *dim >= 0 && *dim < info.sizes.rank();
}

// Reductions of tensors of equal sizes over one dimension can be one.
bool reduce_alike(const Value* a, const Value* b, int dim) {
  int other = 0;
  if (!is_reduction(b, &other) || other != dim) return false;
  return a->node()->input()->type().info().sizes == b->node()->input()->type().info().sizes;
}

class Summer {
 public:
  Summer(const Graph& graph, Rewriter& rewriter, size_t least)
      : effects_(graph), rewriter_(rewriter), least_(least) {}

  // From the last node on, so that the root of a tree is met before what it adds.
  void run(Block* block) {
    for (Node *n = block->last(), *previous = nullptr; n && n != block->param_node();
         n = previous) {
      for (Block* inner : n->blocks()) run(inner);
      if (is_sum(n)) sum(n);
      previous = n->prev();
      if (is_sum(n) && n->output()->is_unused()) n->destroy();
    }
  }

 private:
  void sum(Node* root) {
    if (is_inner(root) || effects_.is_written(root->output())) return;
    Addends of;
    collect(root, of);
    const bool laid_out = is_plain(root->output()) && std::ranges::all_of(of.rest, is_plain) &&
                          std::ranges::all_of(of.reductions, is_plain);
    if (!laid_out) return;
    const bool products = of.products.size() >= least_;
    if (!products && of.reductions.size() < least_) return;
    if (!rewriter_.allow(products ? "products" : "reductions", root)) return;
    Value* all = products ? product(of.products, root) : reduction(of.reductions, root);
    std::vector<Value*>& rest = of.rest;
    const std::vector<Value*>& others = products ? of.reductions : of.products;
    rest.insert(rest.end(), others.begin(), others.end());
    for (Value* v : rest) all = insert_op(aten::add(), {all, v, root->input(2)}, root, effects_);
    effects_.add_value(all, root->output());
    root->output()->replace_all_uses_with(all);
  }

  // Is it an addend of a sum that will be met?
  static bool is_inner(const Node* n) {
    if (!used_once(n->output())) return false;
    const Use& use = n->output()->uses()[0];
    return use.user->block() == n->block() && use.index < 2 && is_sum(use.user);
  }

  struct Addends {
    std::vector<Value*> products, reductions, rest;
  };

  void collect(const Node* sum, Addends& of) const {
    for (int i = 0; i < 2; ++i) {
      Value* v = sum->input(i);
      const Node* producer = v->node();
      const bool here = producer->block() == sum->block() && !effects_.is_written(v);
      if (here && is_sum(producer) && used_once(v)) collect(producer, of);
      else if (here && is_product(v) && is_unwritten(producer) && multiplies(v, of))
        of.products.push_back(v);
      else if (here && is_unwritten(producer) && reduces(v, of)) of.reductions.push_back(v);
      else of.rest.push_back(v);
    }
  }

  static bool multiplies(const Value* v, const Addends& of) {
    auto inner = [](const Value* p) { return p->node()->input()->type().info().sizes[1]; };
    return of.products.empty() || inner(of.products[0]) == inner(v);
  }

  static bool reduces(const Value* v, const Addends& of) {
    int dim = 0;
    if (!is_reduction(v, &dim)) return false;
    return of.reductions.empty() || reduce_alike(of.reductions[0], v, dim);
  }

  Value* reduction(const std::vector<Value*>& sums, Node* before) {
    const Node* model = sums[0]->node();
    int dim = 0;
    is_reduction(sums[0], &dim);
    std::vector<Value*> parts;
    for (const Value* v : sums) parts.push_back(v->node()->input());
    std::vector<Value*> inputs = model->inputs();
    inputs[0] = concatenate(parts, dim, before);
    return insert_op(model->op(), inputs, before, effects_);
  }

  bool is_unwritten(const Node* product) const {
    return std::ranges::none_of(product->inputs(),
                                [&](const Value* in) { return effects_.is_written(in); });
  }

  Value* product(const std::vector<Value*>& products, Node* before) {
    std::vector<Value*> left, right;
    size_t turned = 0;
    for (const Value* v : products) {
      left.push_back(v->node()->input(0));
      right.push_back(v->node()->input(1));
      turned += is_op(left.back()->node(), aten::t()) ? 1 : 0;
    }
    const bool transposes = 2 * turned > left.size();
    for (Value*& v : left) {
      const Node* n = v->node();
      if (transposes)
        v = is_op(n, aten::t()) ? n->input() : insert_op(aten::t(), {v}, before, effects_);
    }
    Value* rows = transposes
                      ? insert_op(aten::t(), {concatenate(left, 0, before)}, before, effects_)
                      : concatenate(left, 1, before);
    return insert_op(aten::mm(), {rows, concatenate(right, 0, before)}, before, effects_);
  }

  Value* concatenate(const std::vector<Value*>& parts, int64_t dim, Node* before) {
    Value* list = insert_list(parts, before, effects_);
    return insert_op(aten::cat(), {list, int_constant(dim, before)}, before, effects_);
  }

  Effects effects_;
  Rewriter& rewriter_;
  size_t least_;
};

void check_words(const std::vector<std::string>& args) { least_count("sum_products", args); }

}  // namespace

PASS_WITH_WORDS(
    sum_products, kMerges,
    "turn a sum of N or more products into the product of concatenated operands: sum_products(N)",
    check_words, is_product) {
  Summer(graph, rewriter, least_count("sum_products", args)).run(graph.block());
}

}  // namespace fusillade
