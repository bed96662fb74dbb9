// Where the `llvm` back end keeps what a kernel writes: temporaries of one iteration on the stack,
// large results past the caches; and the instructions for maximum and minimum.
#include "engine/kernel/llvm.h"
#include "engine/scalar/number.h"
#include "suites/unit/llvm_backend_kernels.h"

namespace fusillade::kernel::built {
namespace {

constexpr int64_t kRows = 5, kColumns = 40;

// temp[r, c] = 2 in[r, c]; out[r, c] = temp[first, second] + temp[r, c], in loops over r and c.
Kernel through_temporary(Expr (*first)(Expr r), bool one_loop, bool interleaved = true) {
  Kernel k = empty_kernel();
  ExprPool::Scope scope(*k.pool);
  const int in = add_buffer(k, BufferRole::In, DType::F32, Dims{kRows, kColumns});
  const int temp = add_buffer(k, BufferRole::Temp, DType::F32, Dims{kRows, kColumns});
  const int out = add_buffer(k, BufferRole::Out, DType::F32, Dims{kRows, kColumns});
  const Expr x = Expr::load(in, DType::F32, {at(0), at(1)});
  const Expr there = Expr::load(temp, DType::F32, {first(at(0)), at(1)});
  const Expr here = Expr::load(temp, DType::F32, {at(0), at(1)});
  Body write, read;
  write.push_back(store_to(temp, {at(0), at(1)}, x + x));
  read.push_back(store_to(out, {at(0), at(1)}, there + here));
  Body rows;
  if (one_loop) {
    Body both = std::move(write);
    both.push_back(std::move(read[0]));
    rows.push_back(loop(1, kColumns, std::move(both)));
  } else {
    rows.push_back(loop(1, kColumns, std::move(write)));
    if (!interleaved) {
      k.body.push_back(loop(0, kRows, std::move(rows)));
      rows.clear();
    }
    rows.push_back(loop(1, kColumns, std::move(read)));
  }
  k.body.push_back(loop(0, kRows, std::move(rows)));
  return k;
}

Expr same(Expr r) { return r; }
Expr earlier(Expr r) { return floor_div(r, Expr::imm_i(2)); }

TEST(LlvmMemory, ARowOfATemporaryServesAllIterations) {
  const Kernel k = through_temporary(&same, false);
  const std::optional<jit::Iteration> iteration = jit::iterations_of(k)[1];
  ASSERT_TRUE(iteration);
  EXPECT_EQ(iteration->dropped, 1u);
  EXPECT_EQ(iteration->elements, kColumns);
  expect_same(k);
}

TEST(LlvmMemory, AnElementServesLoopsThatStandAloneInEachOther) {
  const Kernel k = through_temporary(&same, true);
  const std::optional<jit::Iteration> iteration = jit::iterations_of(k)[1];
  ASSERT_TRUE(iteration);
  EXPECT_EQ(iteration->dropped, 3u);
  EXPECT_EQ(iteration->elements, 1);
  expect_same(k);
}

TEST(LlvmMemory, WhatAnotherIterationReadsLiesInMemory) {
  for (bool one_loop : {false, true}) {
    const Kernel k = through_temporary(&earlier, one_loop);
    EXPECT_FALSE(jit::iterations_of(k)[1]);
    expect_same(k);
  }
}

TEST(LlvmMemory, WhatTwoStatementsTouchLiesInMemory) {
  const Kernel k = through_temporary(&same, false, false);
  EXPECT_FALSE(jit::iterations_of(k)[1]);
  expect_same(k);
}

TEST(LlvmMemory, RowsTooLongForAStackLieInMemory) {
  Kernel k = through_temporary(&same, false);
  for (Buffer& b : k.buffers) b.strides = contiguous_strides(b.sizes = Dims{kRows, 100000});
  for (Stmt& row : k.body[0].body) row.extent = 100000;
  EXPECT_FALSE(jit::iterations_of(k)[1]);
  expect_same(k);
}

// n elements in three buffers; the assembly shows whether they are written past the caches.
bool streams(int64_t n) {
  const Kernel k = elementwise(
      Domain::Real, {DType::F32, DType::F32}, DType::F32, [](Exprs x) { return x[0] * x[1]; }, n);
  return llvm_backend().compile(k)->disassembly().find("vmovntp") != std::string::npos;
}

TEST(LlvmMemory, LargeResultsAreWrittenPastTheCaches) {
  EXPECT_FALSE(streams(1 << 20));
  EXPECT_TRUE(streams(3 << 20));
}

TEST(LlvmMemory, LargeResultsAreRightWhereverTheyLie) {
  constexpr int64_t n = (3 << 20) + 5;
  const Kernel k = elementwise(
      Domain::Real, {DType::F32, DType::F32}, DType::F32, [](Exprs x) { return x[0] * x[1]; }, n);
  const auto program = llvm_backend().compile(k);
  std::vector<float> x(n), y(n), room(n + 64);
  for (size_t i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i % 1013);
    y[i] = static_cast<float>(i % 7) - 3;
  }
  for (size_t shift : {0u, 1u, 4u}) {
    auto address = reinterpret_cast<uintptr_t>(room.data());
    float* out = room.data() + (64 - address % 64) % 64 / sizeof(float) + shift;
    void* args[3] = {x.data(), y.data(), out};
    program->launch({args, nullptr});
    for (size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], x[i] * y[i]) << i << " shifted by " << shift;
  }
}

Expr choice(Expr a, Expr x, bool x_wins) {
  const Expr other = Expr(select(x_wins ? a < x : x < a, x, a));
  return select(a != a, a, select(x != x, x, other));
}

TEST(LlvmMemory, MaximumAndMinimumAreOneInstructionAndAChoice) {
  for (DType d : {DType::F32, DType::F64}) {
    for (bool largest : {true, false}) {
      const auto f = [largest](Exprs x) { return choice(x[0], x[1], largest); };
      const Kernel k = elementwise(Domain::Real, {d, d}, d, f);
      for (uint64_t seed : {1, 2, 3}) expect_same(k, seed);
      const std::string text = llvm_backend().compile(k)->disassembly();
      const std::string name =
          std::string(largest ? "vmaxp" : "vminp") + (d == DType::F32 ? "s" : "d");
      EXPECT_NE(text.find(name), std::string::npos) << text;
    }
  }
  expect_same(reduction(Domain::Real, DType::F32, 4, 300, -INFINITY, Dims{300, 1},
                        [](Expr a, Expr x) { return choice(a, x, true); }));
}

}  // namespace
}  // namespace fusillade::kernel::built
