// See lanes.h.
#include "engine/fuse/lanes.h"

#include "engine/fuse/expr_rewrite.h"
#include "engine/kernel/llvm_text.h"
#include "engine/scalar/nodes_seen.h"

namespace fusillade::fuse {
namespace {

bool computes_in_lanes(const ExprNode* n) {
  switch (n->op) {
    case ExprOp::Imm:
    case ExprOp::Load:
    case ExprOp::Neg:
    case ExprOp::Add:
    case ExprOp::Sub:
    case ExprOp::Mul:
    case ExprOp::Div:
    case ExprOp::Lt:
    case ExprOp::Le:
    case ExprOp::Gt:
    case ExprOp::Ge:
    case ExprOp::Eq:
    case ExprOp::Ne:
    case ExprOp::Not:
    case ExprOp::And:
    case ExprOp::Or:
    case ExprOp::Select:
    case ExprOp::Abs:
    case ExprOp::Floor:
    case ExprOp::Ceil:
    case ExprOp::Trunc:
    case ExprOp::Rint:
    case ExprOp::Sqrt:
      return true;
    case ExprOp::Convert:  // of 64-bit integers few machines have vectors
      return n->model != Model::I64 && n->child[0]->model != Model::I64;
    case ExprOp::Var:
      return n->model != Model::I64;
    case ExprOp::Round:
      return is_float(n->dtype);
    default:
      return kernel::has_vectors(n->op, n->model);
  }
}

bool reads(const ExprNode* e, int var) {
  bool found = false;
  for_each_node(
      e, [&](const ExprNode* n) { found = found || (n->op == ExprOp::Var && n->id == var); });
  return found;
}

// var, or var and something that stays.
bool counts_up(const ExprNode* index, int var) {
  if (index->op == ExprOp::Var) return index->id == var;
  if (index->op != ExprOp::Add) return false;
  const bool first = reads(index->child[0], var), second = reads(index->child[1], var);
  return first != second && counts_up(index->child[first ? 0 : 1], var);
}

bool side_by_side(const ExprNode* load, int var, const kernel::Buffer& buffer) {
  for (uint32_t d = 0; d < load->children; ++d) {
    if (!reads(load->child[d], var)) continue;
    if (buffer.strides[static_cast<int>(d)] != 1 || !counts_up(load->child[d], var)) return false;
  }
  return true;
}

}  // namespace

bool has_lanes(const Expr& element, int var, const std::vector<kernel::Buffer>& buffers) {
  NodesSeen seen;
  std::vector<const ExprNode*> pending{element.node()};
  while (!pending.empty()) {
    const ExprNode* n = pending.back();
    pending.pop_back();
    if (!seen.insert(n)) continue;
    if (!computes_in_lanes(n)) return false;
    if (n->op == ExprOp::Load) {
      if (!side_by_side(n, var, buffers[static_cast<size_t>(n->id)])) return false;
    } else {
      pending.insert(pending.end(), n->child, n->child + n->children);
    }
  }
  return true;
}

}  // namespace fusillade::fuse
