// Functions that `llvm` writes out (llvm_functions.cpp): an element has the same bits in vectors
// and in none, nothing is called, and what has no usual value is right.
#include <bit>
#include <limits>

#include "engine/base/probe.h"
#include "engine/kernel/llvm.h"
#include "suites/unit/llvm_backend_kernels.h"

namespace fusillade::kernel::built {
namespace {

struct Function {
  ExprOp op;
  const char* name;
  Expr (*of)(Expr);
  float (*libm)(float);
};
const Function kWritten[] = {
    {ExprOp::Exp, "exp", [](Expr x) { return exp(x); }, [](float x) { return std::exp(x); }},
    {ExprOp::Expm1, "expm1", [](Expr x) { return expm1(x); },
     [](float x) { return std::expm1(x); }},
    {ExprOp::Tanh, "tanh", [](Expr x) { return tanh(x); }, [](float x) { return std::tanh(x); }}};

std::vector<float> evaluate(const Function& f, const std::vector<float>& x, int64_t at_once) {
  const Kernel k = elementwise(
      Domain::Real, {DType::F32}, DType::F32, [&](Exprs in) { return f.of(in[0]); }, at_once);
  const std::unique_ptr<Program> p = llvm_backend().compile(k);
  std::vector<float> out(x.size());
  for (size_t i = 0; i < x.size(); i += static_cast<size_t>(at_once)) {
    void* buffers[] = {const_cast<float*>(x.data()) + i, out.data() + i};
    p->launch({buffers, nullptr});
  }
  return out;
}

TEST(LlvmFunctions, AnElementHasTheSameBitsInVectorsAndInNone) {
  constexpr size_t kMany = 39 * 4096;
  std::vector<float> x(kMany);
  std::mt19937 random(5);
  for (size_t i = 0; i < kMany; ++i)
    x[i] = i % 2 ? std::bit_cast<float>(static_cast<uint32_t>(random()))
                 : std::uniform_real_distribution<float>(-110, 100)(random);
  for (const Function& f : kWritten) {
    if (!jit::is_written_out(f.op, Model::F32)) GTEST_SKIP() << "a host that fuses nothing";
    const std::vector<float> alone = evaluate(f, x, 1);
    for (int64_t n : {3, 13, 39, 39 * 4096}) {
      const std::vector<float> got = evaluate(f, x, n);
      for (size_t i = 0; i < kMany; ++i) {
        const bool same = std::bit_cast<uint32_t>(got[i]) == std::bit_cast<uint32_t>(alone[i]);
        ASSERT_TRUE(same || (std::isnan(got[i]) && std::isnan(alone[i])))
            << f.name << " of " << x[i] << " among " << n << ": " << got[i] << ", alone "
            << alone[i];
      }
    }
  }
}

TEST(LlvmFunctions, EdgesAreThoseOfLibm) {
  constexpr float kMost = std::numeric_limits<float>::infinity();
  std::vector<float> x = {0.0f,    -0.0f,   kMost,   -kMost,   NAN,      1e-45f,  -1e-45f,
                          1e-38f,  -1e-38f, 3.4e38f, -3.4e38f, 88.7228f, 88.723f, -103.9f,
                          -104.1f, -87.4f,  20.0f,   -20.0f,   -17.4f,   1.2e-30f};
  x.resize(64, -0.0f);
  for (const Function& f : kWritten) {
    if (!jit::is_written_out(f.op, Model::F32)) GTEST_SKIP() << "a host that fuses nothing";
    const std::vector<float> got = evaluate(f, x, 64);
    for (size_t i = 0; i < x.size(); ++i) {
      const float want = f.libm(x[i]);
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(got[i])) << f.name << " of " << x[i];
        continue;
      }
      EXPECT_EQ(std::signbit(got[i]), std::signbit(want)) << f.name << " of " << x[i];
      const bool close = std::isinf(want)
                             ? got[i] == want
                             : std::fabs(got[i] - want) <= std::fabs(want) * 3e-7f + 1.5e-45f;
      EXPECT_TRUE(close) << f.name << " of " << x[i] << ": " << got[i] << ", libm's " << want;
    }
  }
}

TEST(LlvmFunctions, NothingIsCalled) {
  for (const Function& f : kWritten) {
    if (!jit::is_written_out(f.op, Model::F32)) GTEST_SKIP() << "a host that fuses nothing";
    const Kernel k = elementwise(
        Domain::Real, {DType::F32}, DType::F32, [&](Exprs in) { return f.of(in[0]); }, 4096);
    const std::string text = llvm_backend().compile(k)->disassembly();
    EXPECT_EQ(text.find("call"), std::string::npos) << text;
    EXPECT_NE(text.find(jit::vector_bits() == 512 ? "zmm" : "ymm"), std::string::npos) << text;
    if (f.op == ExprOp::Exp && jit::vector_bits() == 512)
      EXPECT_NE(text.find("vscalefps"), std::string::npos) << text;
  }
}

TEST(LlvmFunctions, LongLoopsHoldEightVectorsInAnIterationOneBehindTheOther) {
  if (jit::vector_bits() != 512) GTEST_SKIP() << "a host without AVX-512";
  const Kernel k = elementwise(
      Domain::Real, {DType::F32}, DType::F32, [&](Exprs in) { return exp(in[0]); }, 1 << 16);
  const std::string text = llvm_backend().compile(k)->disassembly();
  const auto times = [&](const char* word) {
    size_t count = 0;
    for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_EQ(times("vscalefps"), 8u) << text;
  // The first of them is done before the last sets out to look up its power.
  EXPECT_LT(text.find("vscalefps"), text.rfind("vperm")) << text;
}

TEST(LlvmFunctions, ABackEndIsMadeReadyOnceAndOthersNeedNothing) {
  const Probe& compiled = probe("kernel/compiled");
  const Kernel k =
      elementwise(Domain::Real, {DType::F32}, DType::F32, [](Exprs in) { return in[0] + in[0]; });
  prepare(llvm_backend());
  const uint64_t before = compiled.count();
  EXPECT_GE(before, 1u);
  prepare(llvm_backend());
  prepare(backend("interp"));
  EXPECT_EQ(compiled.count(), before);
  expect_same(k);
  EXPECT_EQ(compiled.count(), before + 1);
}

}  // namespace
}  // namespace fusillade::kernel::built
