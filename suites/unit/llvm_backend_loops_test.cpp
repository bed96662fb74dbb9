// Statements of the `llvm` back end: loops, reductions, lanes, temporaries, aliasing, threads.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "suites/unit/llvm_backend_kernels.h"

namespace fusillade::kernel::built {
namespace {

// Packed single-precision instructions, under SSE's names and AVX's.
bool has_vectors(const std::string& text) {
  for (const char* name : {"addps", "mulps", "ltps", "unordps"}) {
    if (text.find(name) != std::string::npos) return true;
  }
  return false;
}

TEST(LlvmBackend, ExactReductions) {
  for (Dims shape :
       {Dims{3, 1000}, Dims{40, 17}, Dims{5, 1}, Dims{4, 0}, Dims{0, 4}, Dims{1, 4096}}) {
    for (bool transposed : {false, true}) {
      Dims strides = transposed ? Dims{1, std::max<int64_t>(1, shape[0])}
                                : Dims{std::max<int64_t>(1, shape[1]), 1};
      for (DType d : {DType::I64, DType::I32, DType::U8}) {
        expect_same(reduction(Domain::Real, d, shape[0], shape[1], 0, strides, &sum_of));
        expect_same(reduction(Domain::Real, d, shape[0], shape[1], 1, strides, &product_of));
        expect_same(reduction(Domain::Real, d, shape[0], shape[1], -1000, strides, &larger));
      }
      for (DType d : {DType::F32, DType::F64, DType::BF16}) {
        SCOPED_TRACE(testing::Message()
                     << to_string(shape) << " " << transposed << " " << name_of(d));
        expect_same(reduction(Domain::Ring, d, shape[0], shape[1], 0, strides, &sum_of));
        expect_same(reduction(Domain::Ring, d, shape[0], shape[1], -INFINITY, strides, &larger));
        expect_same(reduction(Domain::Real, d, shape[0], shape[1], -INFINITY, strides, &larger));
      }
    }
  }
}

TEST(LlvmBackend, FloatSumsStayInTheirBound) {
  for (int64_t n : {1, 7, 16, 1000, 65537}) {
    Kernel k = reduction(Domain::Real, DType::F32, 2, n, 0, Dims{n, 1}, &sum_of);
    Memory m = memory_of(k, 3);
    auto* in = reinterpret_cast<float*>(m[0].data());
    std::mt19937 random(5);
    for (int64_t i = 0; i < 2 * n; ++i)
      in[i] = std::uniform_real_distribution<float>(-1, 1)(random);
    launch(*llvm_backend().compile(k), k, m);
    for (int r = 0; r < 2; ++r) {
      double sum = 0, magnitude = 0;
      for (int64_t i = 0; i < n; ++i) sum += in[r * n + i], magnitude += std::fabs(in[r * n + i]);
      float got = reinterpret_cast<float*>(m[1].data())[r];
      EXPECT_NEAR(got, sum, static_cast<double>(n) * 0x1p-24 * magnitude) << n;
    }
  }
}

TEST(LlvmBackend, OrderIsKeptWithoutLeave) {
  Kernel k = reduction(Domain::Real, DType::F32, 3, 1000, 0, Dims{1000, 1}, &sum_of);
  k.body[0].body[1].reassociate = false;
  expect_same(k);
}

// Two accumulators, lets inside and outside of two nested loops, all along contiguous columns.
Kernel columns(Domain domain, int64_t n) {
  Kernel k = empty_kernel(domain);
  ExprPool::Scope scope(*k.pool);
  DType f = DType::F32;
  int in = add_buffer(k, BufferRole::In, f, Dims{5, 7, n});
  int scale = add_buffer(k, BufferRole::In, f, Dims{n});
  int sums = add_buffer(k, BufferRole::Out, f, Dims{n});
  int counts = add_buffer(k, BufferRole::Out, DType::I64, Dims{n});
  Expr sum = Expr::var(5, Model::F32), positive = Expr::var(6, Model::I64),
       scaled = Expr::var(8, Model::F32);
  Body inner;
  inner.push_back(
      set(Stmt::Kind::Let, 8, Expr::load(in, f, {at(1), at(2), at(0)}) * Expr::var(7, Model::F32)));
  inner.push_back(set(Stmt::Kind::Update, 5, sum + scaled));
  inner.push_back(set(Stmt::Kind::Update, 6,
                      positive + convert(scaled > Expr::imm_f(0, Model::F32), Model::I64)));
  Body middle;
  middle.push_back(loop(2, 7, std::move(inner)));
  Body outer;
  outer.push_back(
      set(Stmt::Kind::Let, 7, Expr::load(scale, f, {at(0)}) + Expr::imm_f(1, Model::F32)));
  outer.push_back(set(Stmt::Kind::Declare, 5, Expr::imm_f(0, Model::F32)));
  outer.push_back(set(Stmt::Kind::Declare, 6, Expr::imm_i(0)));
  outer.push_back(loop(1, 5, std::move(middle)));
  outer.push_back(set(Stmt::Kind::Let, 9, sum * Expr::imm_f(2, Model::F32)));
  outer.push_back(store_to(sums, {at(0)}, Expr::var(9, Model::F32)));
  outer.push_back(store_to(counts, {at(0)}, positive + at(0)));
  k.body.push_back(loop(0, n, std::move(outer), LoopKind::Parallel));
  return k;
}

TEST(LlvmBackend, ColumnsAreReducedInOrderAndInLanes) {
  for (Domain domain : kDomains) {
    for (int64_t n : {1, 15, 16, 17, 63, 64, 200}) expect_same(columns(domain, n));
  }
  std::string text = llvm_backend().compile(columns(Domain::Real, 64))->disassembly();
  EXPECT_TRUE(has_vectors(text)) << text;
}

TEST(LlvmBackend, ColumnsThatReadWhatEarlierOnesStoreStaySerial) {
  Kernel k = empty_kernel();
  ExprPool::Scope scope(*k.pool);
  constexpr int64_t n = 80;
  int in = add_buffer(k, BufferRole::In, DType::F64, Dims{6, n});
  int out = add_buffer(k, BufferRole::Out, DType::F64, Dims{n + 1});
  Body first;
  first.push_back(store_to(out, {at(0)}, Expr::imm_f(1, Model::F64)));
  k.body.push_back(loop(0, n + 1, std::move(first)));
  Expr acc = Expr::var(5, Model::F64);
  Body fold;
  fold.push_back(set(Stmt::Kind::Update, 5, acc + Expr::load(in, DType::F64, {at(1), at(0)})));
  Body second;
  second.push_back(set(Stmt::Kind::Declare, 5, Expr::load(out, DType::F64, {at(0)})));
  second.push_back(loop(1, 6, std::move(fold)));
  second.push_back(store_to(out, {at(0) + Expr::imm_i(1)}, acc));
  k.body.push_back(loop(0, n, std::move(second)));
  expect_same(k);
}

TEST(LlvmBackend, MaximumInLanes) {
  for (int64_t n : {31, 32, 33, 127, 128, 300}) {
    for (DType d : {DType::F32, DType::F64, DType::F16}) {
      expect_same(reduction(Domain::Real, d, 4, n, 5, Dims{n, 1}, &larger),
                  static_cast<uint64_t>(n));
    }
  }
  Kernel k = reduction(Domain::Real, DType::F32, 4, 4096, -INFINITY, Dims{4096, 1}, &larger);
  std::string text = llvm_backend().compile(k)->disassembly();
  EXPECT_TRUE(has_vectors(text)) << text;
}

TEST(LlvmBackend, StridesBroadcastsAndGaps) {
  for (Domain domain : kDomains) {
    Kernel k = empty_kernel(domain);
    ExprPool::Scope scope(*k.pool);
    Dims sizes{6, 5, 33};
    DType f = DType::F32;
    k.buffers.push_back({BufferRole::In, f, sizes, Dims{1, 6, 30}});
    k.buffers.push_back({BufferRole::In, f, sizes, Dims{0, 0, 1}});
    k.buffers.push_back({BufferRole::In, DType::F64, sizes, Dims{400, 70, 2}});
    k.buffers.push_back({BufferRole::Out, f, sizes, Dims{500, 99, 3}});
    Exprs i{at(0), at(1), at(2)};
    Expr v = Expr::load(0, f, i) * Expr::load(1, f, i) +
             convert(Expr::load(2, DType::F64, i), Model::F32);
    Body body;
    body.push_back(store_to(3, i, v));
    for (int d = 2; d >= 0; --d) {
      Stmt s = loop(d, sizes[d], std::move(body));
      body = Body();
      body.push_back(std::move(s));
    }
    k.body = std::move(body);
    expect_same(k);
    k.body[0].loop = LoopKind::Parallel;
    expect_same(k);
  }
}

TEST(LlvmBackend, LoopsOfNoIterations) {
  Kernel k = elementwise(Domain::Real, {DType::F32}, DType::F32, [](Exprs x) { return x[0]; }, 0);
  expect_same(k);
  Kernel serial = k;
  serial.body[0].loop = LoopKind::Serial;
  expect_same(serial);
}

// A rank-0 sum of a temporary, its square broadcast into the output; a scalar argument of every
// model.
Kernel staged_sum() {
  Kernel k = empty_kernel();
  ExprPool::Scope scope(*k.pool);
  constexpr int64_t n = 500;
  int in = add_buffer(k, BufferRole::In, DType::F64, Dims{n});
  int temp = add_buffer(k, BufferRole::Temp, DType::F64, Dims{n});
  int total = add_buffer(k, BufferRole::Temp, DType::F64, Dims{});
  int out = add_buffer(k, BufferRole::Out, DType::F64, Dims{n});
  k.scalars = {{10, Model::F64}, {11, Model::I64}, {12, Model::F32}};
  Expr twice = Expr::load(in, DType::F64, {at(0)}) * Expr::var(10, Model::F64);
  Body first;
  first.push_back(store_to(temp, {at(0)}, twice + convert(Expr::var(11, Model::I64), Model::F64)));
  k.body.push_back(loop(0, n, std::move(first), LoopKind::Parallel));
  Expr acc = Expr::var(5, Model::F64);
  k.body.push_back(set(Stmt::Kind::Declare, 5, Expr::imm_f(0, Model::F64)));
  Body second;
  second.push_back(set(Stmt::Kind::Update, 5, acc + Expr::load(temp, DType::F64, {at(0)})));
  k.body.push_back(loop(0, n, std::move(second)));
  k.body.push_back(store_to(total, {}, acc));
  Expr all = Expr::load(total, DType::F64, {});
  Body third;
  third.push_back(set(Stmt::Kind::Let, 6, all * all));
  Expr by = convert(Expr::var(12, Model::F32), Model::F64);
  third.push_back(store_to(out, {at(0)},
                           Expr::var(6, Model::F64) + Expr::load(temp, DType::F64, {at(0)}) / by));
  k.body.push_back(loop(0, n, std::move(third), LoopKind::Parallel));
  return k;
}

TEST(LlvmBackend, TemporariesScalarsAndTopLevelAccumulators) {
  expect_same(staged_sum(), 9, {Cell::of(1.25), Cell::of(int64_t{-7}), Cell::of(3.0f)});
}

TEST(LlvmBackend, TopLevelLetReachesAParallelLoop) {
  Kernel k =
      elementwise(Domain::Real, {DType::I64}, DType::I64, [](Exprs x) { return x[0] + at(7); });
  ExprPool::Scope scope(*k.pool);
  k.body.insert(k.body.begin(), set(Stmt::Kind::Let, 7, Expr::imm_i(41)));
  expect_same(k);
}

TEST(LlvmBackend, OutputWrittenOverItsInput) {
  Kernel k = elementwise(Domain::Real, {DType::F32}, DType::F32,
                         [](Exprs x) { return x[0] * x[0] - x[0]; });
  k.may_alias.push_back({0, 1});
  Memory want = memory_of(k, 4);
  Memory got = want;
  launch(*backend("interp").compile(k), k, want);
  void* args[2] = {got[0].data(), got[0].data()};
  llvm_backend().compile(k)->launch({args, nullptr});
  for (int64_t i = 0; i < kCount; ++i) {
    ASSERT_TRUE(
        same_element(DType::F32, Domain::Real, got[0].data() + i * 4, want[1].data() + i * 4))
        << i;
  }
}

TEST(LlvmBackend, LoadsAfterAStoreSeeIt) {
  Kernel k = empty_kernel();
  ExprPool::Scope scope(*k.pool);
  int in = add_buffer(k, BufferRole::In, DType::I64, Dims{50});
  int temp = add_buffer(k, BufferRole::Temp, DType::I64, Dims{1});
  int out = add_buffer(k, BufferRole::Out, DType::I64, Dims{50});
  Expr read = Expr::load(temp, DType::I64, {Expr::imm_i(0)});
  Body body;
  body.push_back(store_to(temp, {Expr::imm_i(0)}, Expr::load(in, DType::I64, {at(0)})));
  body.push_back(set(Stmt::Kind::Let, 4, read));
  body.push_back(store_to(temp, {Expr::imm_i(0)}, read + Expr::imm_i(5)));
  body.push_back(store_to(out, {at(0)}, read * Expr::var(4, Model::I64)));
  k.body.push_back(loop(0, 50, std::move(body)));
  expect_same(k);
}

class Threads : public testing::Test {
 protected:
  void SetUp() override { setenv("FUSILLADE_THREADS", "3", 1); }
  void TearDown() override { unsetenv("FUSILLADE_THREADS"); }
};
using LlvmBackendThreads = Threads;

Kernel large_copy(int64_t n) {
  return elementwise(
      Domain::Real, {DType::F32, DType::F32}, DType::F32, [](Exprs x) { return x[0] * x[1]; }, n);
}

TEST_F(LlvmBackendThreads, SplitLoopsCoverEverything) {
  for (int64_t n : {32767, 32768, 100003, 1000000}) expect_same(large_copy(n));
  expect_same(reduction(Domain::Real, DType::I64, 301, 700, 0, Dims{700, 1}, &sum_of));
  expect_same(reduction(Domain::Ring, DType::F32, 3, 70000, 0, Dims{70000, 1}, &sum_of));
  expect_same(reduction(Domain::Real, DType::F64, 3001, 40, 0, Dims{1, 3001}, &sum_of));
}

TEST_F(LlvmBackendThreads, LaunchesFromManyThreadsAtOnce) {
  Kernel k = large_copy(200000);
  Memory want = memory_of(k, 6);
  launch(*backend("interp").compile(k), k, want);
  std::vector<int> bad(6);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < bad.size(); ++t) {
    threads.emplace_back([&, t] {
      std::unique_ptr<Program> p = llvm_backend().compile(k);
      for (int round = 0; round < 20; ++round) {
        Memory m = memory_of(k, 6);
        launch(*p, k, m);
        for (size_t i = 0; i < 200000; ++i) {
          bad[t] +=
              !same_element(DType::F32, Domain::Real, m[2].data() + 4 * i, want[2].data() + 4 * i);
        }
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (int b : bad) EXPECT_EQ(b, 0);
}

TEST_F(LlvmBackendThreads, AForkedProcessHasItsOwnPool) {
  Kernel k = large_copy(100000);
  std::unique_ptr<Program> p = llvm_backend().compile(k);
  Memory want = memory_of(k, 6);
  launch(*p, k, want);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(30);
    Memory m = memory_of(k, 6);
    std::memset(m[2].data(), 1, m[2].size());
    launch(*p, k, m);
    _exit(std::memcmp(m[2].data(), want[2].data(), m[2].size()) == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(LlvmBackendThreads, ANegativeNumberOfThreadsIsAnError) {
  setenv("FUSILLADE_THREADS", "-1", 1);
  EXPECT_THROW(llvm_backend().compile(large_copy(10)), Error);
}

TEST(LlvmBackend, LongChainsAndManyStatements) {
  Kernel chain = elementwise(
      Domain::Real, {DType::F32, DType::F32}, DType::F32,
      [](Exprs x) {
        Expr v = x[0];
        for (int i = 0; i < 3000; ++i) v = i % 2 ? v * x[1] : v + x[0];
        return v;
      },
      100);
  Memory m = memory_of(chain, 8);
  std::unique_ptr<Program> p = llvm_backend().compile(chain);
  launch(*p, chain, m);
  for (size_t e = 0; e < 100; ++e) {
    float a, b, got;
    std::memcpy(&a, m[0].data() + 4 * e, 4);
    std::memcpy(&b, m[1].data() + 4 * e, 4);
    std::memcpy(&got, m[2].data() + 4 * e, 4);
    float v = a;
    for (int i = 0; i < 3000; ++i) v = i % 2 ? v * b : v + a;
    ASSERT_TRUE(got == v || (std::isnan(got) && std::isnan(v))) << e;
  }
  Kernel wide = empty_kernel(Domain::Ring);
  ExprPool::Scope scope(*wide.pool);
  int in = add_buffer(wide, BufferRole::In, DType::F32, Dims{64});
  for (int s = 0; s < 100; ++s) {
    int out = add_buffer(wide, BufferRole::Out, DType::F32, Dims{64});
    Expr v = Expr::load(in, DType::F32, {at(0)}) * Expr::imm_f(s, Model::F32);
    Body body;
    body.push_back(store_to(out, {at(0)}, v));
    wide.body.push_back(loop(0, 64, std::move(body), LoopKind::Parallel));
  }
  expect_same(wide);
}

TEST(LlvmBackend, UnitStrideLoopsAreVectors) {
  Kernel k = elementwise(Domain::Real, {DType::F32, DType::F32}, DType::F32,
                         [](Exprs x) { return x[0] * x[1]; });
  std::string text = llvm_backend().compile(k)->disassembly();
  EXPECT_TRUE(has_vectors(text)) << text;
  Kernel sum = reduction(Domain::Real, DType::F32, 4, 4096, 0, Dims{4096, 1}, &sum_of);
  text = llvm_backend().compile(sum)->disassembly();
  EXPECT_TRUE(has_vectors(text)) << text;
}

TEST(LlvmBackend, ArithmeticOnConditionsIsDeclined) {
  Kernel k = elementwise(Domain::Real, {DType::Bool, DType::Bool}, DType::Bool,
                         [](Exprs x) { return x[0] + x[1]; });
  EXPECT_THROW(llvm_backend().compile(k), Unsupported);
}

}  // namespace
}  // namespace fusillade::kernel::built
