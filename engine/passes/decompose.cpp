// Decomposition: ops become the smaller ops they consist of, so that passes and fusers see those.
//
//   %y = aten::layer_norm(%x, %s, %w, %b, %e, %f)    ==>    its body: var_mean, rsqrt, ...
//   %y = aten::addmm(%b, %x, %w, %one, %one)         ==>    %p = aten::mm(%x, %w)
//                                                           %y = aten::add(%p, %b, %one)
//   %y = aten::linear(%x, %w, %b)                    ==>    %t = aten::t(%w); matmul; add
//
// Composite operators without loops, and biases of products of float and double: what is added last
// was one of the orders before, where 16 bits would round once more. Not exact: some composites run
// natively, in an order of their own. Results keep what was known of their types.
#include "engine/aten/named.h"
#include "engine/ir/composite.h"
#include "engine/ir/visit.h"
#include "engine/passes/constants.h"
#include "engine/passes/effects.h"
#include "engine/passes/insert.h"
#include "engine/passes/operands.h"
#include "engine/passes/pass.h"

namespace fusillade {
namespace {

constexpr size_t kMaxBody = 64;

bool has_loop(const Block* block) {
  return any_node(block, [](const Node* node) { return node->is(prim::loop()); });
}

bool is_one(const Value* v) {
  const IValue* constant = constant_of(v);
  return constant && constant->is_number() && constant->as_double() == 1;
}

bool wide_float(const Value* v) {
  if (!v->type().is_tensor() || !v->type().info().has_dtype) return false;
  const DType dtype = v->type().info().dtype;
  return dtype == DType::F32 || dtype == DType::F64;
}

class Decomposer {
 public:
  explicit Decomposer(Rewriter& rewriter) : rewriter_(rewriter) {}

  void run(Block* block) {
    each_node_inside_out(block, [&](Node* node) {
      const std::string& op = node->op().schema.name;
      if (decomposes(node)) inline_body(node);
      else if (op == "aten::addmm" && can_split_bias(node, 0) && node->inputs().size() == 5 &&
               is_one(node->input(3)) && is_one(node->input(4)))
        split_addmm(node);
      else if (op == "aten::linear" && node->inputs().size() == 3 && can_split_bias(node, 2))
        split_linear(node);
    });
  }

 private:
  static bool decomposes(const Node* node) {
    if (!is_composite(node->op()) || !node->attrs().empty() || !node->blocks().empty())
      return false;
    if (is_nondeterministic(node) || has_side_effect(node) || writes_memory(node)) return false;
    const Graph& body = composite_body(node->op());
    return body.node_count() <= kMaxBody && !has_loop(body.block());
  }

  static bool can_split_bias(const Node* node, int bias) {
    return wide_float(node->output()) && is_whole(node->input(bias)) && is_whole(node->output());
  }

  void inline_body(Node* node) {
    if (!rewriter_.allow("body", node)) return;
    Node* before = node->prev();
    std::vector<Value*> args = node->inputs();
    for (const SchemaArg& a : missing_arguments(node))
      args.push_back(node->graph().constant(a.default_value, node));
    std::vector<Value*> results = inline_graph(composite_body(node->op()), node, args);
    for (Node* inserted = before->next(); inserted != node; inserted = inserted->next()) {
      inserted->range = node->range;
      for (Block* inner : inserted->blocks())
        each_node(inner, [&](Node* n) { n->range = node->range; });
    }
    for (size_t k = 0; k < results.size(); ++k)
      take_over(node->output(static_cast<int>(k)), results[k], before);
    node->destroy();
  }

  // The replacement takes over what was known of the result if the body computes it at its top
  // level. A branch's result does not: a branch that is not taken may give something else.
  static void take_over(Value* out, Value* by, const Node* before) {
    const bool from_body = by->node()->block() == before->block() && before->before(by->node());
    if (from_body && by->node()->blocks().empty() && out->type().subtype_of(by->type()) &&
        out->type().without_shapes() == by->type().without_shapes())
      by->set_type(out->type());
    out->replace_all_uses_with(by);
  }

  void split_addmm(Node* node) {
    if (!rewriter_.allow("addmm", node)) return;
    add_bias(node, insert_op(aten::mm(), {node->input(1), node->input(2)}, node), node->input(0));
  }

  void split_linear(Node* node) {
    const Value* weight = node->input(1);
    if (!is_whole(weight) || weight->type().info().sizes.rank() != 2) return;
    if (!is_whole(node->input(0))) return;
    if (!rewriter_.allow("linear", node)) return;
    Value* turned = insert_op(aten::t(), {node->input(1)}, node);
    add_bias(node, insert_op(aten::matmul(), {node->input(0), turned}, node), node->input(2));
  }

  static void add_bias(Node* node, Value* product, Value* bias) {
    Value* one = int_constant(1, node);
    node->output()->replace_all_uses_with(insert_op(aten::add(), {product, bias, one}, node));
    node->destroy();
  }

  Rewriter& rewriter_;
};

}  // namespace

PASS(decompose, kNoPromise,
     "replace composites and biased products by the ops that they consist of", is_product) {
  Decomposer(rewriter).run(graph.block());
}

}  // namespace fusillade
