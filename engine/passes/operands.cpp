// See operands.h.
#include "engine/passes/operands.h"

#include "engine/passes/constants.h"

namespace fusillade {

bool is_op(const Node* node, const char* base) { return node->op().schema.name == base; }

bool is_op(const Node* node, const Operator& op) { return &node->op() == &op; }

bool is_whole(const Value* v) { return v->type().is_tensor() && v->type().info().complete(); }

std::optional<int64_t> int_of(const Value* v) {
  const IValue* constant = constant_of(v);
  return constant && constant->is_int() ? std::optional(constant->as_int()) : std::nullopt;
}

std::optional<int> dim_of(const Value* v, int rank) {
  const std::optional<int64_t> d = int_of(v);
  if (!d || *d < -rank || *d >= rank) return std::nullopt;
  return static_cast<int>(*d < 0 ? *d + rank : *d);
}

bool same_operand(const Value* a, const Value* b) {
  if (a == b) return true;
  const IValue* x = constant_of(a);
  const IValue* y = constant_of(b);
  return x && y && !is_mutable(*x) && same_constant(*x, *y);
}

}  // namespace fusillade
