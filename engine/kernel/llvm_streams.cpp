// Results of large kernels are written past the caches: a store that hits no cache line first reads
// the line from memory, a third of what a chain over large tensors moves, and pushes out what the
// caches hold. A kernel is large where its arguments do not fit a last-level cache, so that nobody
// finds the beginning of its result there anyway.
//
// Only whole vectors at aligned addresses can be written so. A fence ends each function: such
// stores are not ordered with those that signal another thread.
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <unordered_set>

#include "engine/kernel/llvm_emit.h"

namespace fusillade::kernel::jit {
namespace {

constexpr int64_t kLarge = int64_t{32} << 20;  // bytes of arguments
constexpr uint64_t kLeastBytes = 32;           // of a vector

void mark_loaded(const ExprNode* root, std::unordered_set<const ExprNode*>& seen,
                 std::vector<bool>& out) {
  std::vector<const ExprNode*> stack{root};
  while (!stack.empty()) {
    const ExprNode* e = stack.back();
    stack.pop_back();
    if (!seen.insert(e).second) continue;
    if (e->op == ExprOp::Load) out[static_cast<size_t>(e->id)] = true;
    stack.insert(stack.end(), e->child, e->child + e->children);
  }
}

void mark_loaded(const Body& body, std::unordered_set<const ExprNode*>& seen,
                 std::vector<bool>& out) {
  for (const Stmt& s : body) {
    if (s.value.is_defined()) mark_loaded(s.value.node(), seen, out);
    for (const Expr& e : s.indices) mark_loaded(e.node(), seen, out);
    mark_loaded(s.body, seen, out);
  }
}

bool large(const Kernel& kernel) {
  int64_t all = 0;
  for (const Buffer& b : kernel.buffers) {
    if (!is_argument(b.role)) continue;
    int64_t bytes = static_cast<int64_t>(size_of(b.dtype));
    for (int d = 0; d < b.sizes.rank(); ++d) {
      if (is_dynamic(b.sizes[d])) return false;
      if (b.strides[d] == 0) continue;
      if (__builtin_mul_overflow(bytes, b.sizes[d], &bytes)) return true;
    }
    if (__builtin_add_overflow(all, bytes, &all)) return true;
  }
  return all >= kLarge;
}

}  // namespace

std::vector<bool> streamed_buffers(const Kernel& kernel) {
  const size_t count = kernel.buffers.size();
  if (!large(kernel)) return std::vector<bool>(count);
  std::vector<bool> cached(count);  // by caches, for it is read
  std::unordered_set<const ExprNode*> seen;
  mark_loaded(kernel.body, seen, cached);
  for (auto [x, y] : kernel.may_alias)
    cached[static_cast<size_t>(x)] = cached[static_cast<size_t>(y)] = true;
  std::vector<bool> out(count);
  for (size_t i = 0; i < count; ++i)
    out[i] = kernel.buffers[i].role == BufferRole::Out && !cached[i];
  return out;
}

void stream_stores(llvm::Function& function, const std::vector<llvm::MDNode*>& scopes) {
  bool any = false;
  llvm::LLVMContext& context = function.getContext();
  auto* one =
      llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), 1));
  for (llvm::Instruction& i : llvm::instructions(function)) {
    auto* s = llvm::dyn_cast<llvm::StoreInst>(&i);
    if (!s || !s->getValueOperand()->getType()->isVectorTy()) continue;
    const llvm::MDNode* scope = s->getMetadata(llvm::LLVMContext::MD_alias_scope);
    if (!scope || std::find(scopes.begin(), scopes.end(), scope) == scopes.end()) continue;
    const uint64_t bytes = s->getValueOperand()->getType()->getPrimitiveSizeInBits() / 8;
    if (bytes < kLeastBytes || s->getAlign().value() < bytes) continue;
    s->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(context, {one}));
    any = true;
  }
  if (!any) return;
  for (llvm::BasicBlock& block : function) {
    auto* end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (end) llvm::IRBuilder<>(end).CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
  }
}

}  // namespace fusillade::kernel::jit
