// Canonical order of operands: what commutes has its operands in the order of their definition,
// constants last, so that equal computations are equal nodes.
//
//   %a : int = aten::mul(%x, %y)               %a : int = aten::mul(%x, %y)
//   %b : int = aten::mul(%y, %x)        ==>    %b : int = aten::mul(%x, %y)
//   %c : int = aten::add(%two, %x)             %c : int = aten::add(%x, %two)
//
// Only operands of one known type: a result is laid out as its operands are. Only what commutes bit
// for bit (NaNs count as equal): not maximum, which may give either zero. A factor of the second
// operand must be 1.
#include "engine/ir/visit.h"
#include "engine/ops/traits.h"
#include "engine/passes/constants.h"
#include "engine/passes/pass.h"
#include "engine/passes/rule.h"

namespace fusillade {
namespace {

bool commutes(const Node* node) {
  if (!has_trait(node->op(), Trait::Commutes) || node->inputs().size() < 2 ||
      node->outputs().size() != 1)
    return false;
  if (node->inputs().size() == 2) return true;
  const IValue* factor = constant_of(node->input(2));
  return node->inputs().size() == 3 && factor && factor->is_int() && factor->as_int() == 1;
}

bool number(const Value* v) { return v->type().is(TypeKind::Int) || v->type().is(TypeKind::Float); }

// Should `b` come before `a`?
bool should_swap(const Value* a, const Value* b) {
  const bool first = constant_of(a) != nullptr, second = constant_of(b) != nullptr;
  if (first != second) return first;
  if (a->node() == b->node()) return b->index() < a->index();
  return b->node()->before(a->node());
}

void order(Block* block, Rewriter& rewriter) {
  each_node_inside_out(block, [&](Node* node) {
    if (!commutes(node)) return;
    Value* a = node->input(0);
    Value* b = node->input(1);
    const bool alike =
        a->type().is_tensor() ? same_known_type(a, b) : number(a) && a->type() == b->type();
    if (!alike || a == b || !should_swap(a, b) || !rewriter.allow("swap", node)) return;
    node->set_input(0, b);
    node->set_input(1, a);
  });
}

}  // namespace

PASS(canonicalize, kExact | kIdempotent,
     "sort operands of commutative operators in the order of definition", commutes) {
  order(graph.block(), rewriter);
}

}  // namespace fusillade
