// See specialise.h.
#include "engine/fuse/specialise.h"

#include "engine/base/probe.h"
#include "engine/fuse/lowering_kind.h"
#include "engine/ir/composite.h"
#include "engine/ir/literal.h"
#include "engine/ir/visit.h"

namespace fusillade::fuse {
namespace {

Probe probe_branch("fuse/branch-taken");

// Nodes of a block and of those inside it, as they are now.
std::vector<Node*> all_nodes(Block* block) {
  std::vector<Node*> out;
  each_node(block, [&](Node* node) { out.push_back(node); });
  return out;
}

void expand_composites(Graph& graph) {
  bool again = true;
  while (again) {
    again = false;
    for (Node* node : all_nodes(graph.block())) {
      if (node->kind() != OpKind::Composite) continue;
      const LoweringKind* kind = lowering_kind(node->op());
      if (kind && kind->keeps_body) continue;
      std::vector<Value*> args = node->inputs();
      const std::vector<SchemaArg>& formals = node->op().schema.args;
      for (size_t i = args.size(); i < formals.size(); ++i) {
        args.push_back(graph.constant(formals[i].default_value, node));
      }
      std::vector<Value*> results = inline_graph(composite_body(node->op()), node, args);
      node->output()->replace_all_uses_with(results[0]);
      node->destroy();
      again = true;
    }
  }
}

// Operators count on every argument: what a node leaves to its schema is a constant too.
void fill_in_defaults(Graph& graph) {
  for (Node* node : all_nodes(graph.block())) {
    if (node->kind() == OpKind::Prim) continue;
    for (const SchemaArg& a : missing_arguments(node))
      node->add_input(graph.constant(a.default_value, node));
  }
}

// In place of an If whose condition is known, the branch that is taken. What comes next.
Node* take_branch(Node* node) {
  const Node* condition = node->input()->node();
  if (!condition->is(prim::constant())) decline("a condition is not known before the run");
  probe_branch.hit();
  Block* taken = node->blocks()[condition->constant().as_bool() ? 0 : 1];
  Node* next = node->next();
  std::vector<Node*> moved;
  for (Node* inner : taken->nodes()) moved.push_back(inner);
  for (Node* inner : moved) inner->move_before(node);
  for (size_t k = 0; k < node->outputs().size(); ++k)
    node->outputs()[k]->replace_all_uses_with(taken->results()[k]);
  node->destroy();
  return moved.empty() ? next : moved[0];
}

// A scalar computed from constants and the shapes of tensors becomes a constant.
void fold_scalar(Graph& graph, Node* node, TypeFacts& facts) {
  std::optional<std::vector<IValue>> values = known_scalars(node->op(), arg_infos(node));
  if (!values) decline("{} is not known before the run", node->op().name);
  for (size_t k = 0; k < values->size(); ++k) {
    facts.scalars.push_back(print_literal((*values)[k]));
    node->output(static_cast<int>(k))->replace_all_uses_with(graph.constant((*values)[k], node));
  }
  node->destroy();
}

// What a chunk or split gives: views, and no more of them than are taken.
void type_parts(const Node* node) {
  const Node* list = node->input(0)->node();
  const TensorInfo& in = list->input(0)->type().info();
  const auto views = list->op().view(list->op(), arg_infos(list), in.sizes, in.strides);
  if (views.size() != node->outputs().size())
    decline("{} parts are taken of {}", node->outputs().size(), views.size());
  for (size_t i = 0; i < views.size(); ++i) {
    TensorInfo info = in;
    info.sizes = views[i].sizes;
    info.strides = views[i].strides;
    node->outputs()[i]->set_type(Type::tensor(info));
  }
}

TypeFacts specialise_types(Graph& graph, const std::vector<ArgSpec>& args) {
  TypeFacts facts;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i].is_tensor) continue;
    TensorInfo info;
    info.has_dtype = info.rank_known = info.strides_known = true;
    info.dtype = args[i].dtype;
    info.sizes = args[i].sizes;
    info.strides = args[i].strides;
    info.device = args[i].device;
    info.requires_grad = false;
    graph.inputs()[i]->set_type(Type::tensor(info));
  }
  static const Operator& cast = operator_named("prim::unchecked_cast");
  Node* next = nullptr;
  for (Node* node = graph.block()->first(); node != graph.block()->return_node(); node = next) {
    next = node->next();
    if (node->is(prim::constant())) continue;
    if (node->is(prim::if_())) {
      next = take_branch(node);
      continue;
    }
    if (node->is(prim::raise())) decline("the group raises for these arguments");
    if (node->is(cast)) {
      node->output()->replace_all_uses_with(node->input());
      node->destroy();
      continue;
    }
    if (node->kind() == OpKind::Scalar) {
      fold_scalar(graph, node, facts);
      continue;
    }
    if (node->is(prim::list_unpack())) type_parts(node);
    else infer_types(node);
    const LoweringKind* kind = lowering_kind(node->op());
    if (kind && kind->complete_type) kind->complete_type(node);
    for (Value* v : node->outputs()) {
      if (v->type().is_tensor() && !v->type().info().complete()) {
        decline("the type of {}'s result is not fully known", node->op().name);
      }
      if (!v->type().is_tensor()) continue;
      const TensorInfo& info = v->type().info();
      facts.numbers.insert(facts.numbers.end(), info.sizes.begin(), info.sizes.end());
      facts.numbers.insert(facts.numbers.end(), info.strides.begin(), info.strides.end());
    }
  }
  return facts;
}

}  // namespace

std::unique_ptr<Graph> specialise(const Graph& group, const std::vector<ArgSpec>& args,
                                  TypeFacts& facts) {
  std::unique_ptr<Graph> graph = group.clone();
  expand_composites(*graph);
  fill_in_defaults(*graph);
  if (graph->node_count() > kMostLowered)
    decline("a group of {} nodes; {} are lowered", graph->node_count(), kMostLowered);
  try {
    facts = specialise_types(*graph, args);
  } catch (const Error& e) {
    decline("the group is illegal for these arguments: {}", e.what());
  }
  return graph;
}

}  // namespace fusillade::fuse
