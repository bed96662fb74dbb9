// See pure_norms.h.
#include "engine/passes/pure_norms.h"

#include "engine/ir/visit.h"
#include "engine/passes/constants.h"
#include "engine/passes/insert.h"

namespace fusillade {
namespace {

bool is(const Value* v, bool wanted) {
  const IValue* c = constant_of(v);
  return c && c->is_bool() && c->as_bool() == wanted;
}

bool absent(const Value* v) {
  const IValue* c = constant_of(v);
  return c && c->is_none();
}

void replace(Node* node, const char* by, const std::vector<Value*>& args) {
  Value* result = insert_op(operator_named(by), args, node);
  result->set_type(node->output()->type());
  node->output()->replace_all_uses_with(result);
  node->destroy();
}

void in_block(Block* block) {
  static const Operator& batch = operator_named("aten::batch_norm");
  static const Operator& instance = operator_named("aten::instance_norm");
  each_node_inside_out(block, [](Node* node) {
    if (!node->is(batch) && !node->is(instance)) return;
    const std::vector<Value*>& in = node->inputs();  // input, weight, bias, mean, var, training ...
    const bool keeps_none = absent(in[3]) && absent(in[4]);
    if (node->is(batch) && (is(in[5], false) || keeps_none))
      replace(node, "prim::batch_normal", in);
    else if (node->is(instance) && is(in[5], true) && keeps_none)
      replace(node, "prim::instance_normal", {in[0], in[1], in[2], in[7]});
  });
}

}  // namespace

void norms_without_writes(Graph& graph) { in_block(graph.block()); }

}  // namespace fusillade
