// What passes ask of a node's op and of its operands.
#pragma once

#include <optional>

#include "engine/ir/graph.h"

namespace fusillade {

// Any overload of the op.
bool is_op(const Node* node, const char* base);
// This one.
bool is_op(const Node* node, const Operator& op);
// A tensor of which dtype, sizes and strides are known.
bool is_whole(const Value* v);
// An int constant.
std::optional<int64_t> int_of(const Value* v);
// A dimension that a constant names, from 0 on.
std::optional<int> dim_of(const Value* v, int rank);
// One value, or equal constants that nothing can write.
bool same_operand(const Value* a, const Value* b);

}  // namespace fusillade
