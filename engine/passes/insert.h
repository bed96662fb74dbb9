// Inserts new nodes before a node. A new node has the source line of the node that it precedes.
//
// Overloads that take `Effects` keep them up to date, for passes that go on querying them. A view
// shares memory with its first operand, a list with its items, other results with nothing.
#pragma once

#include <string_view>
#include <vector>

#include "engine/passes/effects.h"

namespace fusillade {

void place(Node* node, Node* before);
Value* int_constant(int64_t i, Node* before);

// The result of the operator, or of the op's overload that takes these; what is left out at the end
// is its default. Throws Error where no overload takes them.
Value* insert_op(const Operator& op, const std::vector<Value*>& inputs, Node* before);
Value* insert_op(std::string_view op, const std::vector<Value*>& inputs, Node* before);
Value* insert_op(const Operator& op, const std::vector<Value*>& inputs, Node* before,
                 Effects& effects);

// The list of these tensors.
Value* insert_list(const std::vector<Value*>& tensors, Node* before);
Value* insert_list(const std::vector<Value*>& tensors, Node* before, Effects& effects);

// Removes the nodes that were inserted between `kept` and `before`.
void take_back(const Node* kept, Node* before);

}  // namespace fusillade
