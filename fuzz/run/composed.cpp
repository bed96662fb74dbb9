// See composed.h.
#include "fuzz/run/composed.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "engine/ir/composite.h"
#include "engine/ops/pointwise.h"

namespace fusillade::fuzz {
namespace {

int count_roundings(const Formula& formula, Model model) {
  if (!formula.expr) return 2;
  ExprPool pool;
  ExprPool::Scope scope(pool);
  FormulaModel literals(model);
  std::vector<Expr> operands;
  for (int i = 0; i < formula.arity; ++i) operands.push_back(Expr::arg(i, model));
  std::vector<const ExprNode*> todo{formula.expr(operands.data()).node()};
  std::unordered_set<const ExprNode*> seen;
  int roundings = 0;
  while (!todo.empty()) {
    const ExprNode* n = todo.back();
    todo.pop_back();
    if (!seen.insert(n).second) continue;
    bool once = n->op == ExprOp::Add || n->op == ExprOp::Sub || n->op == ExprOp::Mul ||
                n->op == ExprOp::Div;
    bool often = n->op >= ExprOp::Sqrt;  // vector libraries do not round it to the nearest
    roundings += once + 2 * often;
    for (uint32_t i = 0; i < n->children; ++i) todo.push_back(n->child[i]);
  }
  return std::min(roundings, 2);
}

bool is_ordered(const ExprNode* n) {
  auto is_operand = [](const ExprNode* child) { return child->op == ExprOp::Arg; };
  const bool compares =
      n->op == ExprOp::Lt || n->op == ExprOp::Le || n->op == ExprOp::Gt || n->op == ExprOp::Ge;
  if (compares && is_operand(n->child[0]) && is_operand(n->child[1])) return true;
  for (uint32_t i = 0; i < n->children; ++i)
    if (is_ordered(n->child[i])) return true;
  return false;
}

int roundings_in(const Block& block);

// What is in a nested block counts twice, for it may run in a loop.
int roundings_at(const Node* node) {
  const Operator& op = node->op();
  int own = 0;
  if (op.kind == OpKind::Reduce || op.kind == OpKind::Contract) own = 1;
  if (op.pointwise_def && op.pointwise_def->real)
    own = roundings_of(*op.pointwise_def->real, Model::F64);
  if (is_composite(op)) own = roundings_in(*composite_body(op).block());
  for (const Block* block : node->blocks()) own += 2 * roundings_in(*block);
  return own;
}

int roundings_in(const Block& block) {
  int all = 0;
  for (const Node* node : block.nodes()) all = std::min(2, all + roundings_at(node));
  return all;
}

Widened widened_in(const Block& block);

Widened widened_at(const Node* node) {
  const std::string& name = node->op().schema.name;
  if (name == "prim::as_doubles" || name == "prim::eliminate") return Widened::Matrix;
  if (name == "prim::rounded_as" || name == "prim::summed_as") return Widened::Special;
  Widened most = Widened::No;
  if (is_composite(node->op())) most = widening_of(node->op());
  for (const Block* block : node->blocks()) most = std::max(most, widened_in(*block));
  return most;
}

Widened widened_in(const Block& block) {
  Widened most = Widened::No;
  for (const Node* node : block.nodes()) most = std::max(most, widened_at(node));
  return most;
}

}  // namespace

Widened widening_of(const Operator& op) {
  if (!is_composite(op)) return Widened::No;
  thread_local std::unordered_map<const Operator*, Widened> known;
  auto it = known.find(&op);
  if (it == known.end()) it = known.emplace(&op, widened_in(*composite_body(op).block())).first;
  return it->second;
}

bool orders(const Formula& formula, Model model) {
  thread_local std::unordered_map<const Formula*, bool> known;
  auto [it, fresh] = known.try_emplace(&formula, false);
  if (!fresh || formula.predicate || !formula.expr) return it->second;
  ExprPool pool;
  ExprPool::Scope scope(pool);
  FormulaModel literals(model);
  std::vector<Expr> operands;
  for (int i = 0; i < formula.arity; ++i) operands.push_back(Expr::arg(i, model));
  return it->second = is_ordered(formula.expr(operands.data()).node());
}

int roundings_of(const Formula& formula, Model model) {
  thread_local std::unordered_map<const Formula*, int> known;
  auto [it, fresh] = known.try_emplace(&formula, 0);
  if (fresh) it->second = count_roundings(formula, model);
  return it->second;
}

bool is_composed(const Operator& op) {
  if (!is_composite(op)) return false;
  thread_local std::unordered_map<const Operator*, bool> known;
  auto it = known.find(&op);
  if (it == known.end())
    it = known.emplace(&op, roundings_in(*composite_body(op).block()) > 1).first;
  return it->second;
}

}  // namespace fusillade::fuzz
