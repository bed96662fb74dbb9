// Loops at the top of a kernel become grids, and all else one thread: what is written, that drawn
// kernels give the same bits so, and what is declined.
#include "engine/fuse/transforms/transform.h"
#include "engine/ir/graph.h"
#include "engine/kernel/cuda.h"
#include "engine/kernel/nvrtc.h"
#include "fuzz/gen/nest.h"
#include "suites/unit/same_on_grids.h"

namespace fusillade::fuse {
namespace {

using namespace kernel;
using namespace kernel::built;

constexpr const char* kHead =
    "  %yes : bool = prim::Constant[value=1]()\n  %none : NoneType = prim::Constant()\n"
    "  %one : int = prim::Constant[value=1]()\n"
    "  %last : int[] = prim::Constant[value=[-1]]()\n"
    "  %minus : int = prim::Constant[value=-1]()\n";

Lowered lower(const std::string& body, const std::string& results, const Dims& sizes) {
  const auto graph =
      parse_graph(fmt::format("graph(%x : Tensor):\n{}{}  return ({})\n", kHead, body, results));
  return fuser("loopnest")
      .lower(*graph, {{true, DType::F32, sizes, contiguous_strides(sizes)}}, nullptr);
}

std::string body_of(const Kernel& k) {
  const std::string text = print(k);
  const size_t last = text.rfind("strides=");
  return text.substr(text.find('\n', last) + 1);
}

using Lines = std::vector<std::string>;
Lines lines(const Lowered& lowered) {
  Lines out;
  for (const Schedule& s : lowered.launches) out.push_back(to_string(s));
  return out;
}

std::string why_not(const Lowered& loops) {
  try {
    on_grids(loops);
  } catch (const Unsupported& e) {
    return e.what();
  }
  return "";
}

constexpr const char* kElementwise =
    "  %a : Tensor = aten::mul(%x, %x)\n  %b : Tensor = aten::neg(%a)\n";
constexpr const char* kTurned = "  %a : Tensor = aten::mul(%x, %x)\n  %b : Tensor = aten::t(%a)\n";
constexpr const char* kSum =
    "  %a : Tensor = aten::mul(%x, %x)\n  %b : Tensor = aten::sum(%a, %none)\n";
constexpr const char* kSoFar =
    "  %a : Tensor = aten::neg(%x)\n  %b : Tensor = aten::cumsum(%a, %minus, %none)\n";
constexpr const char* kCentred =
    "  %a : Tensor = aten::mul(%x, %x)\n  %m : Tensor = aten::sum(%a, %last, %yes, %none)\n"
    "  %b : Tensor = aten::sub(%a, %m, %one)\n";

TEST(OnGrids, LoopsInLoopsAreOneGrid) {
  const Lowered grids = on_grids(lower(kTurned, "%b", {3, 41}));
  EXPECT_EQ(body_of(grids.kernel),
            "  block v2 in 4\n"
            "    thread v3 in 32\n"
            "      e0 = mul.i64 v2 i64:20\n"
            "      e1 = add.i64 e0 v3\n"
            "      let v4 = e1\n"
            "      e2 = lt.bool v4 i64:7b\n"
            "      if e2\n"
            "        e3 = floordiv.i64 v4 i64:3\n"
            "        let v0 = e3\n"
            "        e4 = floormod.i64 v4 i64:3\n"
            "        let v1 = e4\n"
            "        e5 = load.f32:f32 b0 v1 v0\n"
            "        e6 = mul.f32 e5 e5\n"
            "        b1[v0, v1] = e6\n");
  EXPECT_EQ(lines(grids), Lines{"iterations: blocks 4, threads 32, steps 1; all by grid(v0,32)"});
}

TEST(OnGrids, WhatIsNoLoopIsOneThread) {
  const Lowered grids = on_grids(lower(kSum, "%b", {5}));
  EXPECT_EQ(lines(grids), Lines{"one thread: blocks 1, threads 1, steps 6; all by one_thread()"});
  ASSERT_EQ(grids.kernel.body.size(), 1u);
  EXPECT_EQ(grid_of(grids.kernel.body[0]).body->size(), 3u);
  EXPECT_EQ(on_grids(lower(kSoFar, "%b", {5})).launches.at(0).name, "one thread");
}

// Rows are few and what is done to their elements is much: each part is a grid of its own.
TEST(OnGrids, LoopsOfFewIterationsAreDistributed) {
  EXPECT_EQ(lines(on_grids(lower(kCentred, "%b", {3, 500}))),
            (Lines{"iterations: blocks 1, threads 32, steps 1001; all by "
                   "distribute(v0,3);grid(v0,32);grid(v4,128)",
                   "iterations: blocks 12, threads 128, steps 1"}));
  EXPECT_EQ(on_grids(lower(kCentred, "%b", {10000, 500})).launches.size(), 1u);
  EXPECT_EQ(on_grids(lower(kCentred, "%b", {3, 5})).launches.size(), 1u);
}

TEST(OnGrids, NothingIsNoGrid) {
  const Lowered grids = on_grids(lower(kElementwise, "%b", {3, 0}));
  EXPECT_TRUE(grids.kernel.body.empty());
  EXPECT_TRUE(grids.launches.empty());
}

TEST(OnGrids, GridsStayAsTheyAre) {
  Lowered lowered;
  lowered.kernel = tree_sum(2, 64);
  lowered.launches = {{"a tree", {}}};
  const Lowered again = on_grids(lowered);
  EXPECT_EQ(print(again.kernel), print(lowered.kernel));
  EXPECT_EQ(lines(again), lines(lowered));
}

// Operators, and what the host does, are faster than one thread of a GPU.
TEST(OnGrids, MuchForFewThreadsIsDeclined) {
  EXPECT_EQ(why_not(lower(kSum, "%b", {1000})), "");
  EXPECT_EQ(why_not(lower(kSum, "%b", {100000})), "100001 steps of one thread");
  EXPECT_EQ(why_not(lower(kCentred, "%b", {31, 100000})), "100001 steps of each of 31 threads");
  EXPECT_EQ(why_not(lower(kCentred, "%b", {32, 100000})), "");
}

// Statements one after the other, a variable from before a loop read behind it.
TEST(OnGrids, AVariableDoesNotGoPastAGrid) {
  Lowered lowered;
  Kernel& k = lowered.kernel = empty_kernel(Domain::Real);
  const ExprPool::Scope scope(*k.pool);
  const int in = add_buffer(k, BufferRole::In, DType::F32, Dims{4});
  const int out = add_buffer(k, BufferRole::Out, DType::F32, Dims{4});
  const int sum = add_buffer(k, BufferRole::Out, DType::F32, Dims{1});
  const auto x = [&](int v) { return Expr::load(in, DType::F32, {at(v)}); };
  k.body.push_back(set(Stmt::Kind::Let, 0, Expr::load(in, DType::F32, {Expr::imm_i(2)})));
  k.body.push_back(loop(1, 4, several(store_to(out, {at(1)}, x(1)))));
  k.body.push_back(store_to(sum, {Expr::imm_i(0)}, Expr::var(0, Model::F32)));
  check(k);
  EXPECT_FALSE(is_legal(k, parse_steps("grid(v1,32)")[0]));
  OnGrids grids;
  grids.add(lowered);
  EXPECT_EQ(on_grids(lowered).launches.at(0).name, "one thread");
  k.body.erase(k.body.begin());
  k.body[1].value = Expr::imm_f(1, Model::F32);
  EXPECT_TRUE(is_legal(k, parse_steps("grid(v1,32)")[0]));
}

// None where an element is read before it is written.
std::optional<Lowered> drawn_nest(uint64_t seed) {
  fuzz::Choices choices(seed, 0x67726964);
  Lowered nest;
  nest.kernel = fuzz::generate_nest(choices);
  try {
    (void)fuzz::KernelData(nest).run(*backend("interp").compile(nest.kernel));
  } catch (const Bug&) {
    return std::nullopt;
  }
  return nest;
}

// Nests whose temporaries are overwritten, carried between iterations, read shifted or reversed.
TEST(OnGrids, DrawnNests) {
  OnGrids grids;
  int met = 0;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    const auto nest = drawn_nest(seed);
    met += nest.has_value();
    if (nest) grids.add(*nest, seed < 300);
    ASSERT_FALSE(HasFatalFailure()) << seed;
  }
  EXPECT_GE(met, 500);
  grids.expect_same_text();
}

TEST(OnGrids, DrawnNestsForAGpu) {
  if (nvrtc_version().empty()) GTEST_SKIP() << "no NVRTC: ci/setup.sh --cuda";
  std::string text = kCudaPrelude;
  for (uint64_t seed = 0; seed < 100; ++seed)
    if (const auto nest = drawn_nest(seed))
      text += cuda_text(on_grids(*nest).kernel, fmt::format("nest{}", seed)).functions;
  EXPECT_FALSE(nvrtc_compile(text).empty());
}

}  // namespace
}  // namespace fusillade::fuse
