// LLVM before its first kernel: most of what a first compile costs is code and tables of LLVM that
// nothing had touched yet. A small kernel of what fused ones are made of (a loop to vectorise, a
// choice, a function, a sum) touches them, compiled when a plan that names the back end is read.
#include <mutex>

#include "engine/kernel/llvm.h"

namespace fusillade::kernel::jit {
namespace {

constexpr int64_t kRow = 64;

Stmt statement(Stmt::Kind kind, Expr value) {
  Stmt s;
  s.kind = kind;
  s.value = value;
  return s;
}

Stmt loop(int var, Body body) {
  Stmt s;
  s.kind = Stmt::Kind::For;
  s.var = var;
  s.extent = kRow;
  s.body = std::move(body);
  s.reassociate = true;
  return s;
}

// b1[i] = exp(max(b0[i], 1) / b0[i]); b2[0] = sum of b1
Kernel small_kernel() {
  Kernel k;
  k.pool = std::make_shared<ExprPool>();
  const ExprPool::Scope scope(*k.pool);
  k.num_vars = 3;
  for (const BufferRole role : {BufferRole::In, BufferRole::Out, BufferRole::Out}) {
    const int64_t size = k.buffers.size() < 2 ? kRow : 1;
    k.buffers.push_back({role, DType::F32, Dims{size}, Dims{1}});
  }
  const Expr x = Expr::load(0, DType::F32, {Expr::var(0, Model::I64)});
  const Expr one = Expr::imm_f(1, Model::F32);
  Stmt each = statement(Stmt::Kind::Store, exp(select(x > one, x, one) / x));
  each.buffer = 1;
  each.indices = {Expr::var(0, Model::I64)};
  Stmt start = statement(Stmt::Kind::Declare, Expr::imm_f(0, Model::F32));
  const Expr total = Expr::var(1, Model::F32);
  Stmt add =
      statement(Stmt::Kind::Update, total + Expr::load(1, DType::F32, {Expr::var(2, Model::I64)}));
  start.var = add.var = 1;
  Stmt end = statement(Stmt::Kind::Store, total);
  end.buffer = 2;
  end.indices = {Expr::imm_i(0)};
  k.body = {loop(0, {each}), start, loop(2, {add}), end};
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
