// See cost.h.
#include "engine/fuse/cost.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <unordered_set>

#include "engine/fuse/expr_rewrite.h"
#include "engine/fuse/may_fuse.h"
#include "engine/ir/composite.h"
#include "engine/ir/constant_tree.h"
#include "engine/ir/visit.h"
#include "engine/kernel/llvm_text.h"

namespace fusillade::fuse {
namespace {

// -1: not known; of what is no tensor 0.
int64_t bytes_of(const Value* v) {
  if (!v->type().is_tensor()) return 0;
  const TensorInfo& info = v->type().info();
  if (!info.complete()) return -1;
  return numel_of(info.sizes) * static_cast<int64_t>(size_of(info.dtype));
}

void add(int64_t bytes, int64_t& to) { to = bytes < 0 || to < 0 ? -1 : to + bytes; }

// What it gives is memory of its input, or belongs to the node that reads it.
bool moves_nothing(const Node* n) {
  return n->kind() == OpKind::View || reader_of_part(n) || n->is(prim::list_unpack());
}

int64_t lowered_of(const Operator& op);

int64_t lowered_in(const Block* block) {
  int64_t count = 0;
  each_node(block,
            [&](const Node* n) { count += n->is(prim::constant()) ? 0 : lowered_of(n->op()); });
  return count;
}

// Answered once per operator.
int64_t lowered_of(const Operator& op) {
  if (op.kind != OpKind::Composite || op.body.empty()) return 1;
  static std::mutex mutex;
  static auto* answers = new std::map<const Operator*, int64_t>;
  {
    std::lock_guard lock(mutex);
    if (auto it = answers->find(&op); it != answers->end()) return it->second;
  }
  const int64_t count = lowered_in(composite_body(op).block());
  std::lock_guard lock(mutex);
  return answers->emplace(&op, count).first->second;
}

constexpr int64_t kLanes = 16;

int64_t cycles_of_one(const ExprNode* e) {
  constexpr int64_t kQuotient = 6, kFunction = 12;
  switch (e->op) {
    case ExprOp::Imm:
    case ExprOp::Var:
    case ExprOp::Arg:
    case ExprOp::Load:
      return 0;
    case ExprOp::Div:
    case ExprOp::Sqrt:
      return kQuotient;
    case ExprOp::FloorDiv:
    case ExprOp::FloorMod:
    case ExprOp::TruncDiv:
    case ExprOp::TruncMod:
      return kLanes * kQuotient;
    default:
      if (e->op < ExprOp::Exp) return 1;
      return kernel::has_vectors(e->op, e->model) ? kFunction : kLanes * kFunction;
  }
}

}  // namespace

Cost cost_by_operators(Members nodes) {
  Cost out;
  for (const Node* n : nodes) {
    if (n->is(prim::constant()) || reader_of_part(n)) continue;
    ++out.calls;
    if (moves_nothing(n)) continue;
    for (const Value* v : n->inputs()) add(bytes_of(v), out.bytes);
    for (const Value* v : n->outputs()) add(bytes_of(v), out.bytes);
  }
  return out;
}

Cost cost_as_kernel(Members nodes) {
  Cost out{1, 0};
  const std::unordered_set<const Node*> inside(nodes.begin(), nodes.end());
  std::unordered_set<const Value*> seen;
  for (const Node* n : nodes) {
    for (const Value* v : n->inputs())
      if (!inside.contains(v->node()) && !is_constant_tree(v) && seen.insert(v).second)
        add(bytes_of(v), out.bytes);
    for (const Value* v : n->outputs())
      if (std::ranges::any_of(v->uses(), [&](const Use& u) { return !inside.contains(u.user); }))
        add(bytes_of(v), out.bytes);
  }
  return out;
}

bool pays(const Cost& kernel, const Cost& operators) { return kernel.calls < operators.calls; }

int64_t lowered_nodes(const Node* node) { return lowered_of(node->op()); }

int64_t cycles_of(const Expr& value) {
  int64_t cycles = 0;
  for_each_node(value, [&](const ExprNode* e) { cycles += cycles_of_one(e); });
  return cycles;
}

}  // namespace fusillade::fuse
