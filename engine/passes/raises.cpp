// Which nodes cannot raise; see raises.h.
//
// Ops on tensors: inference accepts the call, every tensor's dtype, sizes and strides are known,
// and every other argument is a constant. Then only what depends on elements can raise at run time:
// integer division and powers, indices out of range. So these cannot raise: pointwise ops that
// compute in floats, or in integers by a few ops; reductions of something; views; products without
// factors. Of scalars: arithmetic that wraps, comparisons, and what reads sizes.
#include "engine/passes/raises.h"

#include <algorithm>

#include "engine/ir/constant_tree.h"
#include "engine/ops/infer.h"
#include "engine/ops/traits.h"
#include "engine/passes/constants.h"

namespace fusillade {
namespace {

bool all_inputs(const Node* node, bool (*test)(const Value*)) {
  return std::all_of(node->inputs().begin(), node->inputs().end(), test);
}

bool plain_prim(const Node* node) {
  return node->is(prim::constant()) || node->is(prim::list_construct()) ||
         node->is(prim::tuple_construct()) || node->is(prim::tuple_unpack()) ||
         node->op().schema.name == "prim::NumToTensor";
}

// A constant, a list of such that nobody changes, or a tensor of which everything is known.
bool is_fully_known(const Value* v) {
  if (v->type().is_tensor()) return v->type().info().complete();
  if (constant_of(v)) return true;
  const Node* producer = v->node();
  return producer->is(prim::list_construct()) && all_inputs(producer, is_fully_known) &&
         is_only_read(v);
}

bool inference_succeeds(const Node* node) {
  try {
    std::vector<Type> types;
    infer_results(node->op(), arg_infos(node), types);
    return types.size() == node->outputs().size();
  } catch (const Exception&) {
    return false;
  }
}

bool by_a_total_formula(const Node* node) {
  try {
    const PointwisePlan plan = node->op().pointwise(node->op(), arg_infos(node));
    return is_float(plan.compute) || has_trait(node->op(), Trait::Total);
  } catch (const Exception&) {
    return false;
  }
}

bool has_elements(const Value* v) {
  return v->type().is_tensor() && numel_of(v->type().info().sizes) > 0;
}

bool tensor_or_none(const Value* v) {
  return v->type().is_tensor() || v->type().is(TypeKind::None);
}

bool laid_out(const Node* node) {
  const TensorInfo& info = node->input()->type().info();
  try {
    return !node->op().view(node->op(), arg_infos(node), info.sizes, info.strides).empty();
  } catch (const Exception&) {
    return false;
  }
}

bool known_rank(const Value* v) { return v->type().is_tensor() && v->type().info().rank_known; }

}  // namespace

bool view_may_raise(const Node* node) {
  if (!has_trait(node->op(), Trait::ByRank)) return may_raise(node);
  const auto is_known = [](const Value* v) { return known_rank(v) || is_fully_known(v); };
  return !std::ranges::all_of(node->inputs(), is_known) || !inference_succeeds(node);
}

bool may_raise(const Node* node) {
  const Operator& op = node->op();
  if (!node->blocks().empty() || node->has_attr("Subgraph") || op.in_place) return true;
  if (op.kind == OpKind::Prim) return !plain_prim(node);
  if (op.kind == OpKind::Scalar && has_trait(op, Trait::Total)) return false;
  if (node->inputs().empty() || !all_inputs(node, is_fully_known) || !inference_succeeds(node))
    return true;
  switch (op.kind) {
    case OpKind::Pointwise:
      return !op.pointwise || !by_a_total_formula(node);
    case OpKind::Reduce:
      return !op.reduce || !has_elements(node->input());
    case OpKind::View:
      return !op.view || !node->input()->type().is_tensor() || !laid_out(node);
    case OpKind::Contract:
      return !op.contract || !all_inputs(node, tensor_or_none);
    default:
      return true;
  }
}

}  // namespace fusillade
