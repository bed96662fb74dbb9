// Integer operations as the native model defines them: division by zero gives 0, shifts out of
// range give 0 or the sign, everything wraps.
//
// The range of an index expression is known from the extents of its loops; division of a
// non-negative value by a positive literal, which index arithmetic is full of, becomes one unsigned
// instruction.
#include "engine/kernel/llvm_emit.h"

namespace fusillade::kernel::jit {

Emitter::Range Emitter::range(const ExprNode* n, int depth) {
  Range out;
  if (depth == 0) return out;
  if (n->op == ExprOp::Imm)
    return {true, static_cast<int64_t>(n->imm), static_cast<int64_t>(n->imm)};
  if (n->op == ExprOp::Var) {
    const Variable& v = vars_[static_cast<size_t>(n->id)];
    return v.loop ? Range{true, 0, v.last} : out;
  }
  bool handled = n->op == ExprOp::Add || n->op == ExprOp::Mul || n->op == ExprOp::Sub ||
                 n->op == ExprOp::FloorDiv || n->op == ExprOp::FloorMod;
  if (!handled) return out;
  Range a = range(n->child[0], depth - 1), b = range(n->child[1], depth - 1);
  if (n->op == ExprOp::FloorMod) return b.known && b.lo > 0 ? Range{true, 0, b.hi - 1} : out;
  if (!a.known || !b.known) return out;
  bool over = false;
  switch (n->op) {
    case ExprOp::Add:
      over =
          __builtin_add_overflow(a.lo, b.lo, &out.lo) | __builtin_add_overflow(a.hi, b.hi, &out.hi);
      break;
    case ExprOp::Sub:
      over =
          __builtin_sub_overflow(a.lo, b.hi, &out.lo) | __builtin_sub_overflow(a.hi, b.lo, &out.hi);
      break;
    case ExprOp::Mul:
      over = a.lo < 0 || b.lo < 0;
      over = over | __builtin_mul_overflow(a.lo, b.lo, &out.lo) |
             __builtin_mul_overflow(a.hi, b.hi, &out.hi);
      break;
    default:
      over = a.lo < 0 || b.lo <= 0;
      if (!over) out.lo = a.lo / b.hi, out.hi = a.hi / b.lo;
  }
  out.known = !over;
  return out;
}

llvm::Value* Emitter::divide(const ExprNode* n, const Value* in) {
  bool floor = n->op == ExprOp::FloorDiv || n->op == ExprOp::FloorMod;
  bool wants_quotient = n->op == ExprOp::FloorDiv || n->op == ExprOp::TruncDiv;
  Value a = in[0], b = in[1];
  Range ra = range(n->child[0]), rb = range(n->child[1]);
  if (ra.known && rb.known && ra.lo >= 0 && rb.lo > 0) {
    return wants_quotient ? b_.CreateUDiv(a, b) : b_.CreateURem(a, b);
  }
  Value zero = b_.getInt64(0), one = b_.getInt64(1), minus = b_.getInt64(~uint64_t{0});
  bool plain = rb.known && (rb.lo > 0 || rb.hi < -1);
  Value by = b;
  Value is_zero = nullptr, is_minus = nullptr;
  if (!plain) {
    is_zero = b_.CreateICmpEQ(b, zero);
    is_minus = b_.CreateICmpEQ(b, minus);
    by = b_.CreateSelect(b_.CreateOr(is_zero, is_minus), one, b);
  }
  Value r = b_.CreateSRem(a, by);  // 0 when b is 0 or -1
  Value adjust = nullptr;
  if (floor) {
    Value signs_differ = b_.CreateICmpSLT(b_.CreateXor(r, b), zero);
    adjust = b_.CreateAnd(b_.CreateICmpNE(r, zero), signs_differ);
  }
  if (!wants_quotient) return floor ? b_.CreateSelect(adjust, b_.CreateAdd(r, b), r) : r;
  Value q = b_.CreateSDiv(a, by);
  if (!plain) {
    q = b_.CreateSelect(is_minus, b_.CreateNeg(a), q);
    q = b_.CreateSelect(is_zero, zero, q);
  }
  return floor ? b_.CreateSelect(adjust, b_.CreateSub(q, one), q) : q;
}

llvm::Value* Emitter::integer(const ExprNode* n, const Value* in) {
  Value a = in[0];
  Value b = n->children > 1 ? in[1] : nullptr;
  Value zero = b_.getInt64(0), last = b_.getInt64(63);
  switch (n->op) {
    case ExprOp::BitNot:
      return b_.CreateNot(a);
    case ExprOp::BitAnd:
      return b_.CreateAnd(a, b);
    case ExprOp::BitOr:
      return b_.CreateOr(a, b);
    case ExprOp::BitXor:
      return b_.CreateXor(a, b);
    case ExprOp::Shl: {
      Value shifted = b_.CreateShl(a, b_.CreateAnd(b, last));
      return b_.CreateSelect(b_.CreateICmpUGT(b, last), zero, shifted);
    }
    case ExprOp::Shr:
      return b_.CreateAShr(a, b_.CreateSelect(b_.CreateICmpUGT(b, last), last, b));
    default:
      return divide(n, in);
  }
}

}  // namespace fusillade::kernel::jit
