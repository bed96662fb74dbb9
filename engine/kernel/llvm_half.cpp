// Choices between f16 values, emitted as choices between their bits.
//
// InstCombine narrows `fptrunc (select (fcmp (fpext x), c), ...)` to a compare and a select on
// half. SelectionDAG then reads the two as fminnum or fmaxnum, which x86 without f16 arithmetic
// turns into a call of fminf: a function that emitted code does not see, and one that may lose the
// sign of a zero. A select of integers has no such reading.
#include <llvm/IR/InstIterator.h>

#include "engine/kernel/llvm_emit.h"

namespace fusillade::kernel::jit {

void choose_halves_by_bits(llvm::Function& function) {
  std::vector<llvm::SelectInst*> choices;
  for (llvm::Instruction& i : llvm::instructions(function)) {
    auto* s = llvm::dyn_cast<llvm::SelectInst>(&i);
    if (s && s->getType()->getScalarType()->isHalfTy()) choices.push_back(s);
  }
  for (llvm::SelectInst* s : choices) {
    llvm::IRBuilder<> b(s);
    llvm::Type* bits = s->getType()->getWithNewType(b.getInt16Ty());
    llvm::Value* chosen =
        b.CreateSelect(s->getCondition(), b.CreateBitCast(s->getTrueValue(), bits),
                       b.CreateBitCast(s->getFalseValue(), bits));
    s->replaceAllUsesWith(b.CreateBitCast(chosen, s->getType()));
    s->eraseFromParent();
  }
}

}  // namespace fusillade::kernel::jit
