// See modified_loops.h.
#include "engine/run/archive/modified_loops.h"

#include "engine/aten/named.h"
#include "engine/ir/visit.h"

namespace fusillade::archive {
namespace {

bool is_constant(const Value* v, const IValue& wanted) {
  return v->node()->is(prim::constant()) && v->node()->has_attr("value") &&
         v->node()->constant().identical(wanted);
}

bool is_modified(const Node* n) { return n->is(prim::loop()) && loop_kind(n) == LoopKind::Both; }

Node* insert(Graph& graph, const Operator& op, std::initializer_list<Value*> inputs, Node* before) {
  Node* n = graph.create(op, inputs, 1);
  n->insert_before(before);
  infer_types(n);
  n->range = before->range;
  return n;
}

// The new loop carries the counter first.
void rewrite(Node* loop) {
  Graph& graph = loop->graph();
  Block* old_body = loop->blocks()[0];
  Value* zero = graph.constant(IValue(0), loop);
  Node* some = insert(graph, aten::gt_int(), {loop->input(0), zero}, loop);
  Node* go = insert(graph, aten::and_bool(), {loop->input(1), some->output()}, loop);
  std::vector<Value*> inputs{graph.constant(IValue(INT64_MAX), loop), go->output(), zero};
  for (size_t i = 2; i < loop->inputs().size(); ++i) inputs.push_back(loop->inputs()[i]);
  Node* fresh = graph.create(loop->op(), inputs, 0);
  fresh->range = loop->range;
  fresh->insert_before(loop);
  fresh->add_output(TypeKind::Int);
  Block* body = fresh->add_block();
  body->add_param(TypeKind::Int);
  Value* counter = body->add_param(TypeKind::Int);
  ValueMap map;
  map[old_body->params()[0]] = counter;
  for (size_t i = 0; i < loop->outputs().size(); ++i) {
    Value* old = old_body->params()[i + 1];
    Value* carried = body->add_param(old->type());
    carried->set_name(old->name());
    map[old] = carried;
    Value* out = fresh->add_output(loop->outputs()[i]->type());
    out->set_name(loop->outputs()[i]->name());
    loop->outputs()[i]->replace_all_uses_with(out);
  }
  std::vector<Node*> nodes;
  for (Node* n : old_body->nodes()) nodes.push_back(n);
  for (Node* n : nodes) n->move_before(body->return_node());
  for (auto& [old, now] : map) const_cast<Value*>(old)->replace_all_uses_with(now);
  Value* one = graph.constant(IValue(1), body->return_node());
  Node* next = insert(graph, aten::add_int(), {counter, one}, body->return_node());
  Node* less = insert(graph, aten::lt_int(), {next->output(), loop->input(0)}, body->return_node());
  Node* again = insert(graph, aten::and_bool(), {old_body->results()[0], less->output()},
                       body->return_node());
  body->add_result(again->output());
  body->add_result(next->output());
  for (size_t i = 1; i < old_body->results().size(); ++i) body->add_result(old_body->results()[i]);
  loop->destroy();
}

void rewrite_all(Block* block) {
  each_node_inside_out(block, [&](Node* n) {
    if (is_modified(n)) rewrite(n);
  });
}

}  // namespace

LoopKind loop_kind(const Node* loop) {
  const Block* body = loop->blocks()[0];
  if (is_constant(loop->input(1), IValue(true)) && is_constant(body->results()[0], IValue(true)))
    return LoopKind::For;
  if (is_constant(loop->input(0), IValue(INT64_MAX)) && body->params()[0]->is_unused())
    return LoopKind::While;
  return LoopKind::Both;
}

std::unique_ptr<Graph> without_modified_loops(const Graph& graph) {
  if (!any_node(graph.block(), &is_modified)) return nullptr;
  std::unique_ptr<Graph> copy = graph.clone();
  rewrite_all(copy->block());
  return copy;
}

}  // namespace fusillade::archive
