// The loopnest fuser (TensorExpr class): element-wise, broadcast, cast, view and reduction chains over any
// strides become one kernel of loop nests per group.
//
// A node may join when its row says how it computes (pointwise, reduce, view or composite of those), it has
// one tensor result, is pure, and every argument that shapes the computation (dims, sizes, flags) is
// constant. Scalars that are operands may vary between calls.
// Not joined: matrix products, concatenation, creation, random numbers, in-place writes.
#include <algorithm>

#include "engine/fuse/lowering.h"
#include "engine/ir/composite.h"

namespace fusillade::fuse {
namespace {

bool is_constant(const Value* v) {
  const Node* n = v->node();
  if (n->is(prim::constant())) return true;
  if (!n->is(prim::list_construct())) return false;
  return std::all_of(n->inputs().begin(), n->inputs().end(), is_constant);
}

bool is_operand_type(const Type& t) {
  if (t.is(TypeKind::Optional)) return is_operand_type(t.element());
  return t.is_tensor() || t.is(TypeKind::Number);
}

bool is_plain_scalar(const Type& t) {
  return t.is(TypeKind::Int) || t.is(TypeKind::Float) || t.is(TypeKind::Bool);
}

bool has_form(const Row& row) {
  switch (row.kind) {
    case OpKind::Pointwise:
      return row.pointwise != nullptr;
    case OpKind::Reduce:
      return row.reduce != nullptr;
    case OpKind::View:
      return row.view != nullptr;
    case OpKind::Composite:
      return !row.body.empty();
    default:
      return false;
  }
}

bool can_join(const Node* node) {
  const Row& row = node->row();
  if (!has_form(row) || row.in_place || row.nondeterministic || row.side_effect) return false;
  if (node->outputs().size() != 1 || !node->output()->type().is_tensor()) return false;
  for (size_t i = 0; i < node->inputs().size(); ++i) {
    const Value* v = node->input(static_cast<int>(i));
    const Type& formal = row.schema.args[i].type;
    if (v->type().is_tensor() || is_constant(v)) continue;
    bool varies = row.kind == OpKind::Pointwise && is_operand_type(formal);
    if (!varies || !is_plain_scalar(v->type())) return false;
  }
  return true;
}

void expand_composites(Graph& graph) {
  bool again = true;
  while (again) {
    again = false;
    for (Node* node : graph.block()->nodes()) {
      if (node->kind() != OpKind::Composite) continue;
      std::vector<Value*> results = inline_graph(composite_body(node->row()), node, node->inputs());
      node->output()->replace_all_uses_with(results[0]);
      node->destroy();
      again = true;
    }
  }
}

void specialise_types(Graph& graph, const std::vector<ArgSpec>& args) {
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i].is_tensor) continue;
    TensorInfo info;
    info.has_dtype = info.rank_known = info.strides_known = true;
    info.dtype = args[i].dtype;
    info.sizes = args[i].sizes;
    info.strides = args[i].strides;
    graph.inputs()[i]->set_type(Type::tensor(info));
  }
  for (Node* node : graph.block()->nodes()) {
    if (node->is(prim::constant())) continue;
    infer_types(node);
    for (Value* v : node->outputs()) {
      if (v->type().is_tensor() && !v->type().info().complete()) {
        decline("the type of {}'s result is not fully known", node->row().name);
      }
    }
  }
}

Lowered lower(const Graph& group, const std::vector<ArgSpec>& args) {
  std::unique_ptr<Graph> graph = group.clone();
  expand_composites(*graph);
  // Lowering and back ends recurse over expressions as deep as the group is long.
  constexpr size_t kLongest = 1000;
  if (graph->node_count() > kLongest) decline("a group of {} nodes; {} are lowered", graph->node_count(), kLongest);
  try {
    specialise_types(*graph, args);
  } catch (const Error& e) {
    decline("the group is illegal for these arguments: {}", e.what());
  }
  return Lowering(*graph, args).run();
}

const Fuser& registered = Table<Fuser>::instance().add(
    {"loopnest", "loop nests per group: element-wise, views and reductions (TensorExpr class)",
     &can_join, &lower, 2});

}  // namespace
}  // namespace fusillade::fuse
