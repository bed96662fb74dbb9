// Grids whose blocks are counted at launch: what they mean, under each back end, and what is
// refused.
#include "engine/kernel/cuda.h"
#include "engine/kernel/int_range.h"
#include "engine/kernel/work.h"
#include "suites/unit/grid_kernels.h"

namespace fusillade::kernel {
namespace {

using namespace built;

constexpr int64_t kThreads = 32;
constexpr int kElement = 2, kSize = 3, kBlocks = 4, kOther = 5;

struct Ranges {
  int64_t least = 0, most = 1000;
  int64_t reach = 1000;
};

// out[i] = in[i] + in[i] for i < n, a thread per element, and blocks for all of them.
Kernel doubling_kernel(const Ranges& ranges) {
  Kernel k = empty_kernel();
  ExprPool::Scope scope(*k.pool);
  const int64_t most = ranges.most == kUnlimited ? INT32_MAX : ranges.most / kThreads + 1;
  k.scalars = {{kSize, Model::I64, ranges.least, ranges.most},
               {kBlocks, Model::I64, 0, most},
               {kOther, Model::I64, 0, ranges.most}};
  k.reach = ranges.reach;
  k.buffers.push_back({BufferRole::In, DType::F32, Dims{dynamic_number(0)}, Dims{1}});
  k.buffers.push_back({BufferRole::Out, DType::F32, Dims{dynamic_number(0)}, Dims{1}});
  const Expr x = Expr::load(0, DType::F32, {at(kElement)});
  Body body = several(set(Stmt::Kind::Let, kElement, at(0) * whole(kThreads) + at(1)),
                      when(at(kElement) < at(kSize), several(store_to(1, {at(kElement)}, x + x))));
  k.body.push_back(grid(dynamic_number(1), kThreads, std::move(body)));
  return k;
}

std::string refusal(const Kernel& k) {
  try {
    check(k);
  } catch (const Bug& e) {
    return e.what();
  }
  return "";
}

testing::AssertionResult says(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << text << "' does not say '" << part << "'";
}

// Launched for n elements by so many blocks.
std::vector<float> run(const Program& p, int64_t n, int64_t blocks, int64_t other = 0) {
  const auto size = static_cast<size_t>(n);
  alignas(kWideBytes) static float in[2048], out[2048];
  for (size_t i = 0; i < std::size(in); ++i) in[i] = static_cast<float>(i), out[i] = -1;
  void* buffers[] = {in, out};
  const auto bits = [](int64_t v) { return static_cast<uint64_t>(v); };
  const uint64_t scalars[] = {bits(n), bits(blocks), bits(other)};
  p.launch({buffers, scalars});
  EXPECT_EQ(out[size], -1);
  return {out, out + size};
}

std::string fault(const Kernel& k, int64_t n, int64_t blocks) {
  try {
    (void)run(*backend("interp").compile(k), n, blocks);
  } catch (const Bug& e) {
    return e.what();
  }
  return "";
}

class DynamicGrid : public testing::TestWithParam<const char*> {};

TEST_P(DynamicGrid, OneProgramForAllSizes) {
  const Kernel k = doubling_kernel({});
  EXPECT_EQ(refusal(k), "");
  const auto program = backend(GetParam()).compile(k);
  for (int64_t n : {0, 1, 2, 31, 32, 33, 97, 512, 999, 1000}) {
    const std::vector<float> out = run(*program, n, (n + kThreads - 1) / kThreads);
    for (size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], static_cast<float>(2 * i)) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, DynamicGrid, testing::Values("interp", "llvm", "cuda-emulated"),
                         [](const auto& info) {
                           const std::string name = info.param;
                           return name == "cuda-emulated" ? "emulated" : name;
                         });

TEST(DynamicGrids, SeveralBlockAxes) {
  Kernel k = empty_kernel();
  ExprPool::Scope scope(*k.pool);
  k.scalars = {{kSize, Model::I64, 1, 100}, {kBlocks, Model::I64, 1, 100}};
  k.buffers.push_back({BufferRole::Out, DType::I64, Dims{dynamic_number(1), dynamic_number(0)},
                       Dims{dynamic_number(0), 1}});
  Body body = several(loop(2, 1, several(store_to(0, {at(0), at(1)}, at(0) * whole(100) + at(1))),
                           LoopKind::Thread));
  Body inner = several(loop(1, dynamic_number(0), std::move(body), LoopKind::Block));
  k.body.push_back(loop(0, dynamic_number(1), std::move(inner), LoopKind::Block));
  EXPECT_EQ(refusal(k), "");
  for (const char* name : {"interp", "llvm", "cuda-emulated"}) {
    const auto program = backend(name).compile(k);
    for (int64_t n : {1, 3, 7}) {
      int64_t out[35] = {};
      void* buffers[] = {out};
      const uint64_t scalars[] = {static_cast<uint64_t>(n), 5};
      program->launch({buffers, scalars});
      for (int64_t i = 0; i < 5 * n; ++i) ASSERT_EQ(out[i], i / n * 100 + i % n) << name;
    }
  }
}

TEST(DynamicGrids, TheCheckingBackEndHoldsLaunchesToTheRanges) {
  const Kernel k = doubling_kernel({.least = 2, .reach = 500});
  EXPECT_EQ(fault(k, 2, 1), "");
  EXPECT_EQ(fault(k, 500, 16), "");
  EXPECT_EQ(fault(k, 500, 20), "");  // blocks beyond the last element do nothing
  EXPECT_TRUE(says(fault(k, 1, 1), "extent v3 is 1, not 2 to 1000"));
  EXPECT_TRUE(says(fault(k, 1001, 32), "extent v3 is 1001"));
  EXPECT_TRUE(says(fault(k, 2, 33), "extent v4 is 33"));
  EXPECT_TRUE(says(fault(k, 501, 16), "b0 reaches 500 elements or more"));
  EXPECT_TRUE(says(fault(k, 500, 15), "unwritten"));
}

TEST(DynamicGrids, CheckRefusesWhatNoLaunchAllows) {
  const auto refusal_after = [](auto change) {
    Kernel k = doubling_kernel({});
    ExprPool::Scope scope(*k.pool);
    change(k);
    return refusal(k);
  };
  const auto threads = [](Kernel& k) -> Stmt& { return k.body[0].body[0]; };
  EXPECT_EQ(refusal_after([](Kernel&) {}), "");
  EXPECT_TRUE(says(refusal_after([&](Kernel& k) { threads(k).extent = dynamic_number(1); }),
                   "the threads of a block are not a number"));
  EXPECT_TRUE(says(refusal_after([](Kernel& k) { k.scalars[1].least = -1; }), "no extent"));
  EXPECT_TRUE(
      says(refusal_after([](Kernel& k) { k.body[0].extent = dynamic_number(7); }), "no extent"));
  EXPECT_TRUE(says(refusal_after([](Kernel& k) { k.scalars[1].most = kUnlimited; }),
                   "blocks along axis x; 2147483647 are legal"));
  EXPECT_TRUE(says(refusal_after([](Kernel& k) { k.scalars[0].least = 1001; }),
                   "extent v3 is 1001 or more and 1000 or less"));
  EXPECT_TRUE(says(refusal_after([](Kernel& k) { k.reach = 0; }), "buffers reach less than 0"));
  // Under `element < n` it is inside what has n elements, and nothing else.
  EXPECT_TRUE(says(refusal_after([](Kernel& k) { k.buffers[0].sizes[0] = dynamic_number(2); }),
                   "lies in [0, v3 + -1] but the size is v5"));
  EXPECT_TRUE(says(refusal_after([](Kernel& k) { k.buffers[0].sizes[0] = 999; }),
                   "lies in [0, v3 + -1] but the size is 999"));
  EXPECT_EQ(refusal_after([](Kernel& k) { k.buffers[0].sizes[0] = 1000; }), "");
  // Of two blocks the second axis takes fewer.
  EXPECT_TRUE(says(refusal_after([&](Kernel& k) {
                     k.scalars[2].most = 65536;
                     Body inner;
                     inner.push_back(std::move(k.body[0]));
                     k.body[0] = loop(6, dynamic_number(2), std::move(inner), LoopKind::Block);
                   }),
                   "65536 blocks along axis y; 65535 are legal"));
}

TEST(DynamicGrids, Printed) {
  EXPECT_EQ(print(doubling_kernel({.least = 2})), R"(kernel
b0: in f32[v3] strides=[1]
b1: out f32[v3] strides=[1]
v3: scalar i64, 2 to 1000
v4: scalar i64, 0 to 32
v5: scalar i64, 0 to 1000
buffers reach less than 1000
  block v0 in v4
    thread v1 in 32
      e0 = mul.i64 v0 i64:20
      e1 = add.i64 e0 v1
      let v2 = e1
      e2 = lt.bool v2 v3
      if e2
        e3 = load.f32:f32 b0 v2
        e4 = add.f32 e3 e3
        b1[v2] = e4
)");
}

TEST(DynamicGrids, TextHas32BitsWhereTheRangesAllow) {
  EXPECT_EQ(cuda_text(doubling_kernel({}), "k").functions,
            R"(extern "C" __global__ void __launch_bounds__(32) )"
            R"(k_0(const float* b0, float* b1, int v3, int v4, int v5) {
  const int v0 = blockIdx.x;
  const int v1 = threadIdx.x;
  const int e0 = v0 * 32;
  const int e1 = e0 + v1;
  const int v2 = e1;
  const bool e2 = v2 < v3;
  if (e2) {
    const float e3 = b0[v2];
    const float e4 = e3 + e3;
    b1[v2] = e4;
  }
}
)");
  const std::string any =
      cuda_text(doubling_kernel({.most = kUnlimited, .reach = kUnlimited}), "k").functions;
  EXPECT_TRUE(says(any, "i64 v3, int v4, i64 v5"));
  EXPECT_TRUE(says(any, "const i64 e0 = wrap_mul(v0, 32);"));
  EXPECT_TRUE(says(any, "b0[(i64)v2]"));
  const CudaText text = cuda_text(doubling_kernel({}), "k");
  EXPECT_EQ(text.launches[0].blocks, (std::array<int64_t, 3>{dynamic_number(1), 1, 1}));
}

TEST(DynamicGrids, WorkIsThatOfTheLaunch) {
  const Kernel k = doubling_kernel({});
  const uint64_t scalars[] = {100, 4, 0};
  EXPECT_EQ(work_of(k, scalars).bytes, 4 * 32 * 8);
  EXPECT_EQ(work_of(k, nullptr).bytes, 32 * 8);
}

}  // namespace
}  // namespace fusillade::kernel
