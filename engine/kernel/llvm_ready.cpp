// LLVM before its first kernel: most of what a first compile costs is code and tables of LLVM that
// nothing had touched yet. A small kernel, a loop to vectorise, touches them: it is compiled when a
// plan that names the back end is read.
#include <mutex>

#include "engine/kernel/llvm.h"

namespace fusillade::kernel::jit {
namespace {

constexpr int64_t kRow = 64;

// b1[i] = max(b0[i], 1) / b0[i]
Kernel small_kernel() {
  Kernel k;
  k.pool = std::make_shared<ExprPool>();
  const ExprPool::Scope scope(*k.pool);
  k.num_vars = 1;
  for (const BufferRole role : {BufferRole::In, BufferRole::Out})
    k.buffers.push_back({role, DType::F32, Dims{kRow}, Dims{1}});
  const Expr at = Expr::var(0, Model::I64), one = Expr::imm_f(1, Model::F32);
  const Expr x = Expr::load(0, DType::F32, {at});
  Stmt store;
  store.kind = Stmt::Kind::Store;
  store.buffer = 1;
  store.indices = {at};
  store.value = select(x > one, x, one) / x;
  Stmt loop;
  loop.kind = Stmt::Kind::For;
  loop.var = 0;
  loop.extent = kRow;
  loop.body = {store};
  k.body = {loop};
  return k;
}

}  // namespace

void make_ready() {
  static std::once_flag once;
  std::call_once(once, [] {
    const Kernel k = small_kernel();
    const Code touched(k, phases_of(k, 1));
  });
}

}  // namespace fusillade::kernel::jit
