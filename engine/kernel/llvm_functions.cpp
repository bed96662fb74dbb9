// exp, expm1 and tanh of floats as instructions. Within a loop they become vectors like all else
// there, where a call would hold one vector at a time and take every register; and each element
// has the same bits in a vector of any length and in none.
//
// x is n ln 2 + r, n whole, |r| at most half of ln 2; then e^r - 1 is r + r^2 q(r), of which q is
// from llvm_functions.py (one for tanh, in which errors count elsewhere). n is made whole by adding
// a number so large that its last place is 1; what is added beside it makes the low bits of the sum
// the exponent of a power of two. Products and sums are fused: rounded once.
//
// AVX-512 has an instruction that puts a power of two on, rounding once, as two products do of
// which the first is exact. It takes their place in the vectors that LLVM made of them.
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include "engine/kernel/llvm_emit.h"

namespace fusillade::kernel::jit {
namespace {

using Value = llvm::Value*;

constexpr double kPerLn2 = 0x1.715476p+0;  // 1 / ln 2
constexpr double kLn2High = 0x1.62e4p-1;   // short: times a whole number of 9 bits it is exact
constexpr double kLn2Low = 0x1.7f7d1cp-20;
constexpr double kLn2 = 0x1.62e43p-1;
using Polynomial = double[5];
constexpr Polynomial kExp = {0x1.fffffep-2, 0x1.5554aap-3, 0x1.555798p-5, 0x1.122bfcp-7,
                             0x1.6ac63ep-10};
constexpr Polynomial kTanh = {0x1.000002p-1, 0x1.55549p-3, 0x1.555344p-5, 0x1.123b66p-7,
                              0x1.6de056p-10};
constexpr double kWhole = 0x1.8p23;
constexpr unsigned kMantissa = 23;
constexpr double kBias = 127;

class Written {
 public:
  explicit Written(llvm::IRBuilder<>& b) : b_(b), float_(b.getFloatTy()) {}

  // From 2^-150 and less, which is 0, to what is beyond all floats. The power of two is put on in
  // two halves, for it may be less than any normal number.
  Value exp(Value x) {
    Value within = below(above(x, -105), 89);
    const Reduced a = reduced(within, 2 * kBias, kExp, true);
    Value e = fused(fused(a.q, a.r, number(1)), a.r, number(1));
    Value half = b_.CreateAShr(a.exponent, 1);
    Value other = b_.CreateSub(a.exponent, half);
    return b_.CreateFMul(b_.CreateFMul(e, power(half)), power(other));
  }

  // Of half the size, so that the power of two is a number up to the last.
  Value expm1(Value x) {
    Value within = below(above(x, -32), 89);
    const Reduced a = reduced(within, kBias - 1, kExp, true);
    Value scale = power(a.exponent);
    Value less = b_.CreateFSub(scale, number(0.5));
    Value half = fused(scale, less_one(a), less);
    return signed_as(b_.CreateFAdd(half, half), x);
  }

  // (e^2x - 1) / (e^2x - 1 + 2). Beyond 10 it is 1.
  Value tanh(Value x) {
    Value size = below(b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x), 10);
    const Reduced a = reduced(b_.CreateFAdd(size, size), kBias, kTanh, false);
    Value scale = power(a.exponent);
    Value e = fused(scale, less_one(a), b_.CreateFSub(scale, number(1)));
    return signed_as(b_.CreateFDiv(e, b_.CreateFAdd(e, number(2))), x);
  }

 private:
  struct Reduced {
    Value exponent;  // n + bias, in the low bits
    Value r;
    Value q;
  };

  Value number(double n) { return llvm::ConstantFP::get(float_, n); }
  Value fused(Value a, Value b, Value c) {
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {float_}, {a, b, c});
  }
  // NaN stays.
  Value above(Value x, double least) {
    return b_.CreateSelect(b_.CreateFCmpOGT(number(least), x), number(least), x);
  }
  Value below(Value x, double most) {
    return b_.CreateSelect(b_.CreateFCmpOLT(number(most), x), number(most), x);
  }
  Value signed_as(Value v, Value x) {
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, v, x);
  }
  Value power(Value exponent) {
    return b_.CreateBitCast(b_.CreateShl(exponent, kMantissa), float_);
  }

  // `in_two`: ln 2 in two parts, where n is large and r must be good all the same.
  Reduced reduced(Value x, double bias, const Polynomial& c, bool in_two) {
    Value sum = fused(x, number(kPerLn2), number(kWhole + bias));
    Value n = b_.CreateFSub(sum, number(kWhole + bias));
    Value r = fused(n, number(in_two ? -kLn2High : -kLn2), x);
    if (in_two) r = fused(n, number(-kLn2Low), r);
    Value q = number(c[std::size(c) - 1]);
    for (size_t i = std::size(c) - 1; i-- > 0;) q = fused(q, r, number(c[i]));
    return {b_.CreateBitCast(sum, b_.getInt32Ty()), r, q};
  }
  // e^r - 1
  Value less_one(const Reduced& a) { return fused(b_.CreateFMul(a.r, a.r), a.q, a.r); }

  llvm::IRBuilder<>& b_;
  llvm::Type* float_;
};

}  // namespace

llvm::Value* written_out(ExprOp op, llvm::Value* x, llvm::IRBuilder<>& b) {
  switch (op) {
    case ExprOp::Exp:
      return Written(b).exp(x);
    case ExprOp::Expm1:
      return Written(b).expm1(x);
    case ExprOp::Tanh:
      return Written(b).tanh(x);
    default:
      FUS_BUG("function {} is not written out", static_cast<int>(op));
  }
}

namespace {

// The e and the sum in what Written::exp ends with; nothing where `product` is no such thing.
bool is_scaled(llvm::Value* product, llvm::Value** e, llvm::Value** sum) {
  using namespace llvm::PatternMatch;
  llvm::Value *half = nullptr, *all = nullptr;
  const auto power = [](auto exponent) {
    return m_BitCast(m_Shl(exponent, m_SpecificInt(kMantissa)));
  };
  if (!match(product, m_c_FMul(m_c_FMul(m_Value(*e), power(m_Value(half))),
                               power(m_Sub(m_Value(all), m_Deferred(half))))))
    return false;
  return match(half, m_AShr(m_Specific(all), m_SpecificInt(1))) &&
         match(all, m_BitCast(m_Value(*sum)));
}

}  // namespace

void scale_at_once(llvm::Function& function) {
  std::vector<llvm::Instruction*> products;
  for (llvm::Instruction& i : llvm::instructions(function))
    if (i.getOpcode() == llvm::Instruction::FMul && i.getType()->isVectorTy() &&
        i.getType()->getPrimitiveSizeInBits() == 512)
      products.push_back(&i);
  for (llvm::Instruction* product : products) {
    llvm::Value *e = nullptr, *sum = nullptr;
    if (!is_scaled(product, &e, &sum)) continue;
    llvm::IRBuilder<> b(product);
    Value n = b.CreateFAdd(sum, llvm::ConstantFP::get(e->getType(), -(kWhole + 2 * kBias)));
    constexpr uint32_t kRoundingInForce = 4;
    product->replaceAllUsesWith(
        b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, {},
                          {e, n, llvm::PoisonValue::get(e->getType()), b.getInt16(0xffff),
                           b.getInt32(kRoundingInForce)}));
    llvm::RecursivelyDeleteTriviallyDeadInstructions(product);
  }
}

}  // namespace fusillade::kernel::jit
