// Emitted code under AddressSanitizer: an element read outside its tensor is reported at the read.
// In builds without it, emitted code has no trace of it.
#include "engine/kernel/llvm_text.h"
#include "suites/unit/llvm_backend_kernels.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FUS_SANITIZED 1
#endif
#endif

namespace fusillade::kernel::built {
namespace {

// out[i] = in[at[i]]: what no check of the kernel can bound.
Kernel gather(int64_t n) {
  Kernel k = empty_kernel(Domain::Real);
  ExprPool::Scope scope(*k.pool);
  const int in = add_buffer(k, BufferRole::In, DType::F32, Dims{n});
  const int from = add_buffer(k, BufferRole::In, DType::I64, Dims{n});
  const int out = add_buffer(k, BufferRole::Out, DType::F32, Dims{n});
  const Expr index = Expr::load(from, DType::I64, {at(0)});
  Body body;
  body.push_back(store_to(out, {at(0)}, Expr::load(in, DType::F32, {index})));
  k.body.push_back(loop(0, n, std::move(body), LoopKind::Serial));
  return k;
}

TEST(LlvmSanitized, EmittedCodeIsInstrumentedWhereThisBuildIs) {
#ifdef FUS_SANITIZED
  const bool built_with_it = true;
#else
  const bool built_with_it = false;
#endif
  EXPECT_EQ(llvm_text(gather(4)).find("__asan_") != std::string::npos, built_with_it);
}

#ifdef FUS_SANITIZED
// Reads element `index` of a tensor of four.
void read_at(int64_t index) {
  const auto program = llvm_backend().compile(gather(4));
  const Tensor in = Tensor::empty({4}, DType::F32);
  const Tensor at = Tensor::empty({4}, DType::I64);
  const Tensor out = Tensor::empty({4}, DType::F32);
  for (int64_t i = 0; i < 4; ++i) {
    in.data<float>()[i] = 1;
    at.data<int64_t>()[i] = i == 2 ? index : i;
  }
  void* buffers[] = {in.raw(), at.raw(), out.raw()};
  program->launch({buffers, nullptr});
}

TEST(LlvmSanitized, AReadOutsideIsReported) {
  read_at(3);
  EXPECT_DEATH(read_at(4), "use-after-poison");
  EXPECT_DEATH(read_at(-1), "use-after-poison");
}
#endif

}  // namespace
}  // namespace fusillade::kernel::built
