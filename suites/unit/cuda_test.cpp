// CUDA text, run on the host through the shim: it computes what the interpreter does, bit by bit
// but for what libm computes. Texts are compiled many at a time; with build/nvrtc by NVRTC as well.
#include "engine/kernel/cuda.h"

#include "engine/kernel/cuda_emulated.h"
#include "engine/kernel/nvrtc.h"
#include "suites/unit/drawn_grids.h"

namespace fusillade::kernel {
namespace {

using namespace built;

void expect_all_as_interpreted(const std::vector<Kernel>& kernels, bool exact = true) {
  const auto programs = emulate(kernels);
  for (size_t i = 0; i < kernels.size(); ++i) {
    check(kernels[i]);
    expect_as_interpreted(kernels[i], *programs[i], exact);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Every text compiles for a GPU, where there is a compiler for one.
void expect_compiled(const std::vector<Kernel>& kernels) {
  if (nvrtc_version().empty()) GTEST_SKIP() << "no NVRTC: ci/setup.sh --cuda";
  std::string text = kCudaPrelude;
  for (size_t i = 0; i < kernels.size(); ++i)
    text += cuda_text(kernels[i], fmt::format("kernel{}", i)).functions;
  EXPECT_FALSE(nvrtc_compile(text).empty());
}

// out[i] = f(in0[i], ...), a thread per element.
template <class F>
Kernel per_thread(Domain domain, const std::vector<DType>& in, DType out, F f, int64_t n = 1000) {
  Kernel k = empty_kernel(domain);
  ExprPool::Scope scope(*k.pool);
  Exprs loads;
  for (DType d : in)
    loads.push_back(Expr::load(add_buffer(k, BufferRole::In, d, Dims{n}), d, {at(2)}));
  const int to = add_buffer(k, BufferRole::Out, out, Dims{n});
  FormulaModel formula(loads[0].model());
  Body body = several(set(Stmt::Kind::Let, 2, at(0) * whole(64) + at(1)),
                      when(at(2) < whole(n), several(store_to(to, {at(2)}, f(loads)))));
  k.body.push_back(grid((n + 63) / 64, 64, std::move(body)));
  return k;
}

// --- written by hand

TEST(Cuda, TextOfAKernel) {
  EXPECT_EQ(cuda_text(tree_sum(2, 2), "sum").functions,
            R"(extern "C" __global__ void __launch_bounds__(2) sum_0(const float* b0, float* b1) {
  __shared__ float b2[2];
  const int v0 = blockIdx.x;
  const int v1 = threadIdx.x;
  const float e0 = b0[v0 * 2 + v1];
  b2[v1] = e0;
  __syncthreads();
  const bool e1 = v1 < 1;
  if (e1) {
    const float e2 = b2[v1];
    const int e3 = v1 + 1;
    const float e4 = b2[e3];
    const float e5 = e2 + e4;
    b2[v1] = e5;
  }
  __syncthreads();
  const bool e6 = v1 < 1;
  if (e6) {
    const float e7 = b2[0];
    b1[v0] = e7;
  }
}
)");
}

TEST(Cuda, LiteralsAreExact) {
  const auto text = [](Expr e) {
    const DType dtype = e.model() == Model::F32 ? DType::F32 : DType::F64;
    Kernel k = per_thread(Domain::Real, {dtype}, dtype, [&](Exprs&) { return e; });
    return cuda_text(k, "k").functions;
  };
  ExprPool pool;
  ExprPool::Scope scope(pool);
  const auto has = [&](double v, Model model, const char* word) {
    const std::string source_text = text(Expr::imm_f(v, model));
    EXPECT_NE(source_text.find(std::string("= ") + word + ";"), std::string::npos) << source_text;
  };
  has(0.1, Model::F32, "(0x1.99999ap-4f)");
  has(0.1, Model::F64, "(0x1.999999999999ap-4)");
  has(-0.0, Model::F32, "(-0x0p+0f)");
  has(1e300, Model::F32, "f32_bits(0x7f800000u)");
  has(-INFINITY, Model::F64, "f64_bits(0xfff0000000000000ull)");
}

std::vector<Kernel> handwritten_kernels() {
  std::vector<Kernel> kernels;
  for (int64_t threads : {1, 2, 32, 256}) kernels.push_back(tree_sum(3, threads));
  for (DType dtype : {DType::F32, DType::F64, DType::F16, DType::BF16, DType::Bool, DType::U8,
                      DType::I8, DType::I16, DType::I32, DType::I64})
    kernels.push_back(transpose(dtype, 19, 13));
  for (DType dtype : {DType::F32, DType::F64, DType::F16, DType::I16, DType::I64})
    for (int64_t threads : {32, 96}) kernels.push_back(warp_sum(dtype, 2, threads));
  return kernels;
}

TEST(Cuda, HandwrittenKernels) { expect_all_as_interpreted(handwritten_kernels()); }
TEST(Cuda, HandwrittenKernelsForAGpu) { expect_compiled(handwritten_kernels()); }

// What the machine would not say: the shim does.
TEST(Cuda, AThreadThatDoesNotComeIsABug) {
  Kernel k = tree_sum(1, 64);
  ExprPool::Scope scope(*k.pool);
  Body& body = k.body[0].body[0].body;
  body.push_back(when(at(1) < whole(7), several(barrier())));
  Memory m = memory_of(k, 1);
  const auto programs = emulate({&k, 1});
  EXPECT_THROW(launch(*programs[0], k, m), Bug);
  launch(*emulate(std::vector<Kernel>{tree_sum(1, 64)})[0], k, m);  // and goes on after it
}

TEST(Cuda, WhatIsNoGridIsDeclined) {
  const Kernel k =
      elementwise(Domain::Real, {DType::F32}, DType::F32, [](Exprs& in) { return in[0]; });
  EXPECT_THROW((void)cuda_text(k, "k"), Unsupported);
}

TEST(Cuda, ScalarsAndDynamicSizes) {
  const Kernel k = affine_kernel(2);
  check(k);
  std::vector<float> in(7);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  std::vector<double> out(28);
  const Cell scalars[] = {Cell::of(2.5), Cell::of(int64_t{7}), Cell::of(0.25f),
                          Cell::of(int64_t{-3})};
  void* buffers[] = {in.data(), out.data()};
  const auto programs = emulate({&k, 1});
  programs[0]->launch({buffers, reinterpret_cast<const uint64_t*>(scalars)});
  for (size_t i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], 2.5 * static_cast<double>(i / 4) + 0.25 - 3) << i;
}

// --- every function of every model

using Unary = Expr (*)(Expr);

constexpr Unary kUnary[] = {
#define FUS_ONE(f, op) [](Expr a) { return f(a); },
    FUS_SCALAR_UNARY(FUS_ONE)
#undef FUS_ONE
        [](Expr a){return -a;
}  // namespace
,
};  // namespace fusillade::kernel
constexpr Binary kBinary[] = {
#define FUS_ONE(f, op) [](Expr a, Expr b) { return f(a, b); },
    FUS_SCALAR_BINARY(FUS_ONE)
#undef FUS_ONE
        [](Expr a, Expr b){return a + b;
}
, [](Expr a, Expr b) { return a - b; }, [](Expr a, Expr b) { return a * b; },
    [](Expr a, Expr b) { return a / b; },
}
;
TEST(Cuda, FunctionsOfFloats) {
  for (Domain domain : kDomains) {
    std::vector<Kernel> kernels;
    for (DType dtype : kFloats) {
      for (Unary f : kUnary)
        kernels.push_back(per_thread(domain, {dtype}, dtype, [&](Exprs& in) { return f(in[0]); }));
      for (Binary f : kBinary)
        kernels.push_back(
            per_thread(domain, {dtype, dtype}, dtype, [&](Exprs& in) { return f(in[0], in[1]); }));
    }
    expect_all_as_interpreted(kernels, domain == Domain::Ring);
  }
}

TEST(Cuda, IntegersAndConditions) {
  std::vector<Kernel> kernels;
  for (Domain domain : kDomains) {
    for (Binary f : kInteger)
      kernels.push_back(per_thread(domain, {DType::I64, DType::I64}, DType::I64,
                                   [&](Exprs& in) { return f(in[0], in[1]); }));
    for (DType dtype : {DType::F32, DType::F64, DType::I64, DType::Bool}) {
      for (Binary f : kCompare) {
        kernels.push_back(per_thread(domain, {dtype, dtype}, DType::Bool,
                                     [&](Exprs& in) { return f(in[0], in[1]); }));
        kernels.push_back(per_thread(domain, {dtype, dtype}, dtype, [&](Exprs& in) {
          const Expr c = f(in[0], in[1]);
          return select(!c | (c & !c), in[0], in[1]);
        }));
      }
    }
  }
  expect_all_as_interpreted(kernels);
}

TEST(Cuda, ConversionsBetweenAllDTypes) {
  std::vector<Kernel> kernels;
  for (Domain domain : kDomains)
    for (DType from : kDTypes)
      for (DType to : kDTypes)
        kernels.push_back(
            per_thread(domain, {from}, to, [&](Exprs& in) { return as_value_of(in[0], to); }));
  expect_all_as_interpreted(kernels);
}

// All halves to float, and floats around each rounding border back.
TEST(Cuda, HalvesRoundAsTheyDo) {
  for (DType dtype : {DType::F16, DType::BF16}) {
    Kernel out =
        per_thread(Domain::Real, {dtype}, DType::F32, [](Exprs& in) { return in[0]; }, 65536);
    Kernel back = per_thread(
        Domain::Real, {DType::F32}, dtype, [&](Exprs& in) { return round_to(in[0], dtype); },
        3 * 65536);
    const std::vector<Kernel> kernels = {out, back};
    const auto programs = emulate(kernels);
    std::vector<uint16_t> all(65536);
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint16_t>(i);
    std::vector<float> floats(65536), want(65536);
    void* to_float[] = {all.data(), floats.data()};
    programs[0]->launch({to_float, nullptr});
    to_float[1] = want.data();
    backend("interp").compile(out)->launch({to_float, nullptr});
    std::vector<float> borders;
    for (size_t i = 0; i < all.size(); ++i) {
      ASSERT_TRUE(same_element(DType::F32, Domain::Real, reinterpret_cast<uint8_t*>(&floats[i]),
                               reinterpret_cast<uint8_t*>(&want[i])))
          << i;
      const size_t next = std::min<size_t>(i + 1, 65535);
      const float middle = want[i] + (want[next] - want[i]) / 2;
      borders.insert(borders.end(),
                     {middle, std::nextafter(middle, -INFINITY), std::nextafter(middle, INFINITY)});
    }
    std::vector<uint16_t> got(borders.size()), expected(borders.size());
    void* to_half[] = {borders.data(), got.data()};
    programs[1]->launch({to_half, nullptr});
    to_half[1] = expected.data();
    backend("interp").compile(back)->launch({to_half, nullptr});
    for (size_t i = 0; i < got.size(); ++i)
      ASSERT_TRUE(same_element(dtype, Domain::Real, reinterpret_cast<uint8_t*>(&got[i]),
                               reinterpret_cast<uint8_t*>(&expected[i])))
          << borders[i];
  }
}

// --- drawn

TEST(Cuda, DrawnKernels) {
  for (uint64_t first = 0; first < 1000; first += 200)
    expect_all_as_interpreted(draw_kernels(first, 200));
}
TEST(Cuda, DrawnKernelsForAGpu) { expect_compiled(draw_kernels(0, 100)); }

}  // namespace
}  // namespace fusillade::kernel
