// What of a group lies in memory, and what is computed where it is read.
#include <algorithm>

#include "engine/aten/create/fill.h"
#include "engine/aten/join/join.h"
#include "engine/fuse/lowering.h"
#include "engine/fuse/lowering_kind.h"
#include "engine/fuse/products.h"
#include "engine/fuse/values.h"

namespace fusillade::fuse {

// A node reads its input through other indices than its own result's.
static bool reindexes(const Node* user, const Value* input) {
  if (user->kind() != OpKind::Pointwise) return true;
  return !(input->type().info().sizes == user->output()->type().info().sizes);
}

void Lowering::choose_memory() {
  for (Value* v : group_.outputs()) {
    if (v->node() == group_.block()->param_node()) decline("an input is returned unchanged");
    in_memory_[v] = true;
  }
  for (Node* node : group_.block()->nodes())
    for (Value* v : node->outputs())
      if (v->type().is_tensor() && read_.count(v) && wants_memory(v)) in_memory_[v] = true;
}

// Is any of it computed by who reads it, through views?
static bool computed_where_read(const Value* v) {
  const Node* node = v->node();
  if (node->is(prim::list_unpack())) node = node->input(0)->node();
  if (node->kind() == OpKind::View) return computed_where_read(node->input(0));
  return node->kind() == OpKind::Pointwise;
}

bool Lowering::wants_memory(const Value* v) const {
  const Node* node = v->node();
  const Operator& op = node->op();
  if (lowering_kind(op)) return true;
  if (is_fill(op)) return false;
  bool moved = false;
  int readers = 0;
  for (const Use& use : v->uses()) {
    if (use.user == group_.block()->return_node()) continue;
    const LoweringKind* reader = lowering_kind(use.user->op());
    const bool again = (reader && reader->reads_twice) || reads_over_and_over(use.user, use.index);
    if (again && computed_where_read(v)) return true;
    ++readers;
    moved = moved || reindexes(use.user, v);
  }
  if (launches_ == Launches::Dear) return readers > 1 && moved;
  return (readers > 1 && moved && !computed_again(node)) || computed_over_and_over(v);
}

// Is it read once for each of several elements that lie in front of those it has, so that no loop
// inside could keep it?
static bool is_spread(const Dims& read, const Dims& by) {
  const int ahead = by.rank() - read.rank();
  bool repeated = false;
  for (int d = 0; d < by.rank(); ++d) {
    const int64_t n = d < ahead ? 1 : read[d - ahead];
    if (n == 1 && by[d] != 1) repeated = true;
    else if (n != 1 && repeated) return true;
  }
  return false;
}

// A row against a matrix is computed for each of its rows where it is inlined: costly ones lie in
// memory.
bool Lowering::computed_over_and_over(const Value* v) const {
  constexpr int64_t kWorthAStore = 8;  // cycles
  if (v->node()->kind() != OpKind::Pointwise) return false;
  const auto is_broadcast = [&](auto& self, const Value* read) -> bool {
    return std::ranges::any_of(read->uses(), [&](const Use& use) {
      if (use.user->outputs().size() != 1 || !use.user->output()->type().is_tensor()) return false;
      const Value* by = use.user->output();
      const Dims& few = read->type().info().sizes;
      const Dims& many = by->type().info().sizes;
      if (use.user->kind() == OpKind::View && numel_of(many) == numel_of(few))
        return self(self, by);
      const bool repeats =
          use.user->kind() == OpKind::View || use.user->kind() == OpKind::Pointwise;
      return repeats && is_spread(few, many);
    });
  };
  std::set<const Value*> seen;
  return is_broadcast(is_broadcast, v) && cycles_where_read(v, seen) >= kWorthAStore;
}

// Of one element, what is inlined in it among that.
int64_t Lowering::cycles_where_read(const Value* v, std::set<const Value*>& seen) const {
  const Node* node = v->node();
  if (in_memory_.contains(v) || !seen.insert(v).second) return 0;
  if (node->kind() == OpKind::View) return cycles_where_read(node->input(0), seen);
  if (node->kind() != OpKind::Pointwise) return 0;
  const PointwisePlan plan = node->op().pointwise(node->op(), infos(node));
  if (!plan.formula || !plan.formula->expr) return 0;
  std::vector<Expr> in;
  int64_t cycles = 0;
  for (size_t i = 0; i < plan.operands.size(); ++i) {
    in.push_back(Expr::arg(static_cast<int>(i), formula_model(plan.compute)));
    const int arg = plan.operands[i].arg;
    if (arg >= 0) cycles += cycles_where_read(node->input(arg), seen);
  }
  FormulaModel formula(formula_model(plan.compute));
  return cycles + cycles_of(plan.formula->expr(in.data()));
}

// A sum, a difference or a product of an element that is given and a number: no slower than a load
// of what it gave.
bool Lowering::computed_again(const Node* node) const {
  if (node->kind() != OpKind::Pointwise) return false;
  const PointwisePlan plan = node->op().pointwise(node->op(), infos(node));
  const bool floats = plan.compute == DType::F32 || plan.compute == DType::F64;
  if (!floats || plan.result != plan.compute || !plan.formula || !plan.formula->expr) return false;
  std::vector<Expr> in;
  int tensors = 0;
  for (const auto& o : plan.operands) {
    const Value* v = o.arg < 0 ? nullptr : node->input(o.arg);
    if (v && v->type().is_tensor()) {
      const bool given = v->node() == group_.block()->param_node();
      if (!given || v->type().info().dtype != plan.compute || ++tensors > 1) return false;
      in.push_back(Expr::var(0, formula_model(plan.compute)));
    } else if (!v || v->node()->is(prim::constant())) {
      in.push_back(literal_as(v ? v->node()->constant() : o.literal, plan.compute));
    } else {
      return false;
    }
  }
  FormulaModel formula(formula_model(plan.compute));
  const Expr result = plan.formula->expr(in.data());
  const bool simple =
      result->op == ExprOp::Add || result->op == ExprOp::Sub || result->op == ExprOp::Mul;
  return simple && std::all_of(result->child, result->child + result->children,
                               [&](auto* c) { return c->op == ExprOp::Imm || c == in[0].node(); });
}

}  // namespace fusillade::fuse
