// The larger and the smaller of two vectors of floats by the instructions for it.
//
// max(a, x), where either may be NaN and zeros have signs, is written as choices:
//   a is NaN ? a : (x is NaN or a < x) ? x : a
// The instruction for max(x, a) gives a where they are equal or one is NaN, so that only a NaN of x
// is left to choose: half as many instructions. Of two NaNs it is the other that comes through,
// which LLVM leaves open for any operation on floats. Asked for by their own names, since code
// generation would read a choice as what it was before.
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>

#include "engine/kernel/llvm_emit.h"

namespace fusillade::kernel::jit {
namespace {

using namespace llvm::PatternMatch;

bool is_nan_of(llvm::Value* condition, llvm::Value* v) {
  llvm::CmpInst::Predicate p{};
  llvm::Value *x = nullptr, *y = nullptr;
  return match(condition, m_FCmp(p, m_Value(x), m_Value(y))) && p == llvm::CmpInst::FCMP_UNO &&
         x == v && (y == v || match(y, m_AnyZeroFP()));
}

// Is it a < x, or x < a?
enum class Order { None, Below, Above };
Order order_of(llvm::Value* condition, llvm::Value* a, llvm::Value* x) {
  llvm::CmpInst::Predicate p{};
  llvm::Value *left = nullptr, *right = nullptr;
  if (!match(condition, m_FCmp(p, m_Value(left), m_Value(right)))) return Order::None;
  if (p == llvm::CmpInst::FCMP_OGT) {
    std::swap(left, right);
    p = llvm::CmpInst::FCMP_OLT;
  }
  if (p != llvm::CmpInst::FCMP_OLT) return Order::None;
  if (left == a && right == x) return Order::Below;
  return left == x && right == a ? Order::Above : Order::None;
}

llvm::Intrinsic::ID instruction_for(llvm::Type* type, bool largest) {
  using namespace llvm::Intrinsic;
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!vector) return not_intrinsic;
  const bool single = vector->getElementType()->isFloatTy();
  if (!single && !vector->getElementType()->isDoubleTy()) return not_intrinsic;
  switch (vector->getNumElements() * (single ? 32 : 64)) {
    case 512:
      if (single) return largest ? x86_avx512_max_ps_512 : x86_avx512_min_ps_512;
      return largest ? x86_avx512_max_pd_512 : x86_avx512_min_pd_512;
    case 256:
      if (single) return largest ? x86_avx_max_ps_256 : x86_avx_min_ps_256;
      return largest ? x86_avx_max_pd_256 : x86_avx_min_pd_256;
    default:
      return not_intrinsic;
  }
}

bool replace(llvm::SelectInst* outer) {
  llvm::Value *a = outer->getTrueValue(), *x = nullptr, *either = nullptr;
  if (!is_nan_of(outer->getCondition(), a)) return false;
  if (!match(outer->getFalseValue(), m_Select(m_Value(either), m_Value(x), m_Specific(a))))
    return false;
  llvm::Value *nan = nullptr, *ordered = nullptr;
  if (!match(either, m_LogicalOr(m_Value(nan), m_Value(ordered)))) return false;
  if (!is_nan_of(nan, x)) std::swap(nan, ordered);
  if (!is_nan_of(nan, x)) return false;
  const Order order = order_of(ordered, a, x);
  if (order == Order::None) return false;
  const llvm::Intrinsic::ID id = instruction_for(outer->getType(), order == Order::Below);
  if (id == llvm::Intrinsic::not_intrinsic) return false;
  llvm::IRBuilder<> b(outer);
  std::vector<llvm::Value*> operands{x, a};
  constexpr uint32_t kRoundingInForce = 4;
  if (outer->getType()->getPrimitiveSizeInBits() == 512)
    operands.push_back(b.getInt32(kRoundingInForce));
  llvm::Value* found = b.CreateIntrinsic(id, {}, operands);
  outer->replaceAllUsesWith(b.CreateSelect(nan, x, found));
  return true;
}

}  // namespace

void take_extremes(llvm::Function& function) {
  std::vector<llvm::SelectInst*> choices;
  for (llvm::Instruction& i : llvm::instructions(function))
    if (auto* s = llvm::dyn_cast<llvm::SelectInst>(&i)) choices.push_back(s);
  std::vector<llvm::SelectInst*> gone;
  for (llvm::SelectInst* s : choices)
    if (replace(s)) gone.push_back(s);
  while (!gone.empty()) {
    // What only the choice used goes with it.
    std::vector<llvm::Instruction*> unused{gone.back()};
    gone.pop_back();
    while (!unused.empty()) {
      llvm::Instruction* i = unused.back();
      unused.pop_back();
      if (!i->use_empty()) continue;
      for (llvm::Value* operand : i->operands())
        if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(operand))
          unused.push_back(instruction);
      i->eraseFromParent();
    }
  }
}

}  // namespace fusillade::kernel::jit
