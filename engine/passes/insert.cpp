// See insert.h.
#include "engine/passes/insert.h"

namespace fusillade {

void place(Node* node, Node* before) {
  node->range = before->range;
  node->insert_before(before);
}

Value* int_constant(int64_t i, Node* before) { return before->graph().constant(IValue(i), before); }

Value* insert_op(const Operator& op, const std::vector<Value*>& inputs, Node* before) {
  Node* node = before->graph().create(op, inputs);
  place(node, before);
  infer_types(node);
  return node->output();
}

Value* insert_op(std::string_view op, const std::vector<Value*>& inputs, Node* before) {
  std::vector<Type> types;
  for (const Value* v : inputs) types.push_back(v->type());
  return insert_op(resolve(op, types), inputs, before);
}

Value* insert_op(const Operator& op, const std::vector<Value*>& inputs, Node* before,
                 Effects& effects) {
  Value* result = insert_op(op, inputs, before);
  effects.add_value(result, result->node()->kind() == OpKind::View ? inputs[0] : nullptr);
  return result;
}

Value* insert_list(const std::vector<Value*>& tensors, Node* before) {
  Node* list = before->graph().create(prim::list_construct(), tensors);
  list->output()->set_type(Type::list(TypeKind::Tensor));
  place(list, before);
  return list->output();
}

Value* insert_list(const std::vector<Value*>& tensors, Node* before, Effects& effects) {
  Value* list = insert_list(tensors, before);
  effects.add_value(list, nullptr);
  for (const Value* v : tensors) effects.replace_value(list, v);
  return list;
}

void take_back(const Node* kept, Node* before) {
  while (before->prev() != kept) before->prev()->destroy();
}

}  // namespace fusillade
