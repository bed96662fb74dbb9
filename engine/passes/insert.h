// New nodes before a node: what passes make stands on the source line of the node it stands before.
//
// Where a pass goes on asking its effects after a rewrite they are told: a view shares memory with
// its first operand, a list with its items, other results with nothing.
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

// What was made before the node, behind `kept`, goes again.
void take_back(const Node* kept, Node* before);

}  // namespace fusillade
