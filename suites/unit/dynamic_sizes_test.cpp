// Kernels with dynamic sizes: one serves every size of its pattern and its ranges, of each fuser
// and under its back ends, and no others.
#include "engine/fuse/dynamic_sizes.h"

#include <gtest/gtest.h>

#include <thread>

#include "engine/base/log.h"
#include "engine/base/probe.h"
#include "engine/front/eager.h"
#include "engine/front/script.h"
#include "engine/kernel/kernel.h"
#include "engine/run/jit.h"
#include "suites/unit/on_stand_in.h"

namespace fusillade {
namespace {

Tensor numbers(const Dims& sizes) {
  Tensor t = Tensor::empty(sizes, DType::F32);
  for (int64_t i = 0; i < t.numel(); ++i) set_element(t, i, static_cast<double>(i % 7) - 2);
  return t;
}

Tensor transpose_view(const Tensor& t) {
  return Tensor::view_of(t, 0, {t.sizes()[1], t.sizes()[0]}, {t.strides()[1], t.strides()[0]});
}

// Each element of a row is the same, so that a softmax of 2^k of them is exact.
Tensor equal_rows(int64_t rows, int64_t columns) {
  Tensor t = Tensor::empty({rows, columns}, DType::F32);
  for (int64_t i = 0; i < t.numel(); ++i) set_element(t, i, static_cast<double>(i / columns));
  return t;
}

// `program` of some tensors, run under `plan` and in eager mode.
class Runs {
 public:
  Runs(const std::string& body, int inputs, const std::string& plan) {
    std::string text = "graph(";
    for (int i = 0; i < inputs; ++i)
      text += (i ? ", %" : "%") + std::string(1, "xyzw"[i]) + " : Tensor";
    graph_ = parse_graph(text + "):\n" + body);
    ready_ = prepare(*graph_, parse_plan(plan));
  }

  void call(const std::vector<Tensor>& tensors) {
    std::vector<IValue> inputs(tensors.begin(), tensors.end());
    const auto wanted = prepare(*graph_, parse_plan("eager"))->run(inputs);
    const auto given = ready_->run(inputs);
    ASSERT_EQ(wanted.size(), given.size());
    for (size_t i = 0; i < wanted.size(); ++i) {
      const Tensor a = wanted[i].as_tensor(), b = given[i].as_tensor();
      EXPECT_EQ(a.strides(), b.strides());
      EXPECT_TRUE(bitwise_equal(a, b)) << i;
    }
  }

 private:
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<Executable> ready_;
};

struct KernelCounts {
  uint64_t compiled_before = probe("fuse/specialised").count();
  uint64_t dynamic_before = probe("fuse/dynamic-sizes").count();
  uint64_t since() const { return probe("fuse/specialised").count() - compiled_before; }
  uint64_t dynamic_since() const { return probe("fuse/dynamic-sizes").count() - dynamic_before; }
};

const char* const kPointwise = R"(
  %one : int = prim::Constant[value=1]()
  %a : Tensor = aten::mul(%x, %y)
  %b : Tensor = aten::add(%a, %y, %one)
  %c : Tensor = aten::relu(%b)
  return (%c)
)";

class DynamicSizes : public testing::TestWithParam<const char*> {
 protected:
  std::string plan(const std::string& words) const {
    return "jit(" + words + ")/o2,fuse(" + GetParam() + ")";
  }
  bool grids() const { return !std::string(GetParam()).starts_with("loopnest"); }
};

// Of those that allow barriers between threads: `tile` transposes tiles.
class DynamicLayouts : public DynamicSizes {};
// Of those that take views and reductions.
class DynamicReductions : public DynamicSizes {};

TEST_P(DynamicSizes, TenSizesOneKernel) {
  Runs runs(kPointwise, 2, plan("static=1,dynamic=1"));
  runs.call({numbers({2, 3}), numbers({2, 3})});
  runs.call({numbers({5, 4}), numbers({5, 4})});
  KernelCounts counts;
  for (int64_t n = 2; n < 12; ++n) runs.call({numbers({n, 2 * n}), numbers({n, 2 * n})});
  EXPECT_EQ(counts.since(), 1u);
  EXPECT_EQ(counts.dynamic_since(), 1u);
}

TEST_P(DynamicSizes, LongRowsFillVectorsAndTails) {
  Runs runs(kPointwise, 2, plan("static=0,dynamic=0"));
  KernelCounts counts;
  for (int64_t n : {3, 7, 8, 31, 32, 33, 64, 65, 200})
    runs.call({numbers({n, n + 1}), numbers({n, n + 1})});
  // Grids of few elements have small blocks: they take no more than 1024.
  EXPECT_EQ(counts.since(), grids() ? 2u : 1u);
  EXPECT_EQ(counts.dynamic_since(), counts.since());
}

// Of each number of elements around the sizes of blocks, iterations and lanes.
TEST_P(DynamicSizes, EveryNumberOfElementsOneKernel) {
  Runs runs(kPointwise, 2, plan("static=0,dynamic=0"));
  runs.call({numbers({1300}), numbers({1300})});
  KernelCounts counts;
  for (int64_t n : {2,   3,   4,   5,    7,    31,   63,   127,  128,  129,  509,
                    511, 512, 513, 1021, 1023, 1024, 1025, 2047, 2048, 2049, 2053})
    runs.call({numbers({n}), numbers({n})});
  EXPECT_EQ(counts.since(), 0u);
  runs.call({numbers({1}), numbers({1})});
  runs.call({numbers({0}), numbers({0})});
  EXPECT_EQ(counts.dynamic_since(), 0u);
}

TEST_P(DynamicSizes, SizesOfOneBroadcastInKernelsOfTheirOwn) {
  Runs runs(kPointwise, 2, plan("static=0,dynamic=0"));
  KernelCounts counts;
  for (int64_t n = 2; n < 6; ++n) runs.call({numbers({n, n + 3}), numbers({n + 3})});
  EXPECT_EQ(counts.since(), 1u);
  for (int64_t n = 2; n < 6; ++n) runs.call({numbers({n, 1}), numbers({1, n + 3})});
  EXPECT_EQ(counts.since(), 2u);
  for (int64_t n = 2; n < 6; ++n) runs.call({numbers({n, n + 1}), numbers({n, 1})});
  EXPECT_EQ(counts.since(), 3u);
  runs.call({numbers({1, 1}), numbers({1, 1})});
  runs.call({numbers({0, 4}), numbers({0, 4})});
  runs.call({numbers({0, 5}), numbers({0, 5})});
}

TEST_P(DynamicLayouts, StridesArePartOfThePattern) {
  Runs runs(kPointwise, 2, plan("static=0,dynamic=0"));
  KernelCounts counts;
  for (int64_t n = 2; n < 6; ++n) runs.call({numbers({n, n + 3}), numbers({n, n + 3})});
  EXPECT_EQ(counts.since(), 1u);
  for (int64_t n = 2; n < 6; ++n)
    runs.call({transpose_view(numbers({n, n + 3})), numbers({n + 3, n})});
  EXPECT_EQ(counts.since(), 2u);
  for (int64_t n = 2; n < 6; ++n) {  // halves of rows
    const Tensor whole = numbers({n, 2 * n + 2});
    const Tensor half = Tensor::view_of(whole, 0, {n, n + 1}, {2 * n + 2, 1});
    runs.call({half, numbers({n, n + 1})});
  }
  EXPECT_EQ(counts.since(), 3u);
}

TEST_P(DynamicLayouts, SizesThatWereEqualByChanceMayDiffer) {
  Runs runs(kPointwise, 2, plan("static=0,dynamic=0"));
  KernelCounts counts;
  runs.call({transpose_view(numbers({4, 4})), numbers({4, 4})});
  runs.call({transpose_view(numbers({5, 4})), numbers({4, 5})});
  runs.call({transpose_view(numbers({4, 6})), numbers({6, 4})});
  runs.call({transpose_view(numbers({7, 7})), numbers({7, 7})});
  EXPECT_EQ(counts.since(), 2u);
}

// Square tiles through shared memory, as large as what was seen first asks for.
TEST(DynamicTiles, OneKernelForAllEdges) {
  for (const char* backend : {"interp", "cuda-emulated"}) {
    Runs runs(kPointwise, 2, fmt::format("jit(static=0,dynamic=0)/o2,fuse(tile,{})", backend));
    const auto call = [&](int64_t n, int64_t m) {
      runs.call({transpose_view(numbers({n, m})), numbers({m, n})});
    };
    KernelCounts counts;
    const uint64_t tiles = probe("fuse/tile-tiles").count();
    call(9, 10);
    for (int64_t n : {2, 7, 8, 63}) call(n, n + 1);
    EXPECT_EQ(counts.dynamic_since(), 1u);
    EXPECT_GT(probe("fuse/tile-tiles").count(), tiles);
    for (int64_t n : {64, 65, 70, 33}) call(n, n + 1);  // beyond 64: tiles of 32 x 32
    EXPECT_EQ(counts.dynamic_since(), 2u);
    const auto deep = [&](int64_t n) {
      const Tensor t = numbers({3, n, n + 1});
      runs.call(
          {Tensor::view_of(t, 0, {3, n + 1, n}, {n * (n + 1), 1, n + 1}), numbers({3, n + 1, n})});
    };
    for (int64_t n : {5, 2, 17, 40}) deep(n);
    EXPECT_EQ(counts.since(), 3u);
    EXPECT_EQ(counts.dynamic_since(), 3u);
  }
}

TEST_P(DynamicSizes, StridesThatNoTensorCanHaveAreAnotherPattern) {
  const auto graph = parse_graph(std::string("graph(%x : Tensor, %y : Tensor):\n") + kPointwise);
  fuse::ArgSpec spec{true, DType::F32, {2, 3, 4, 5}, {60, 20, 5, 1}};
  const fuse::DynamicSizes dynamic(*graph, {spec, spec}, false);
  std::vector<int64_t> values(dynamic.count());
  const int64_t many = int64_t{1} << 40;
  EXPECT_TRUE(dynamic.match(0, {many, many, many, many}, values));
  EXPECT_FALSE(dynamic.match_strides(0, {0, 0, 0, 0}, values));  // expanded; the product overflows
}

TEST_P(DynamicReductions, ReductionsCountTheirElements) {
  Runs runs(R"(
  %t : bool = prim::Constant[value=1]()
  %n : NoneType = prim::Constant()
  %one : int = prim::Constant[value=1]()
  %d : int[] = prim::Constant[value=[-1]]()
  %e : int[] = prim::Constant[value=[0]]()
  %m : Tensor = aten::mean(%x, %d, %t, %n)
  %c : Tensor = aten::sub(%x, %m, %one)
  %s : Tensor = aten::amax(%c, %e, %t)
  %r : Tensor = aten::sub(%c, %s, %one)
  return (%r)
)",
            1, plan("static=0,dynamic=0"));
  KernelCounts counts;
  for (int64_t n : {2, 4, 8, 16, 64, 128}) runs.call({numbers({n + 1, n})});
  if (!grids()) EXPECT_EQ(counts.since(), 1u);
  // A kernel with rows in registers covers four or more iterations of the first row's threads.
  EXPECT_LE(counts.since(), 5u);
  EXPECT_EQ(counts.dynamic_since(), counts.since());
  KernelCounts again;
  for (int64_t n : {32, 64, 128}) runs.call({numbers({n - 1, n})});
  EXPECT_EQ(again.since(), 0u);
}

// A grid of small blocks takes 1024 elements, or as many accesses of 16 bytes.
TEST_P(DynamicSizes, RangesEndWhereTheySay) {
  if (!grids()) return;
  const bool wide = std::string(GetParam()).starts_with("tile");
  const int64_t most = wide ? 4 * 1024 + 3 : 1024;
  Runs runs(kPointwise, 2, plan("static=0,dynamic=0"));
  KernelCounts counts;
  const auto call = [&](int64_t n) { runs.call({numbers({n}), numbers({n})}); };
  for (int64_t n : {100, 2, 1023}) call(n);
  call(most);
  EXPECT_EQ(counts.since(), 1u);
  call(most + 1);
  EXPECT_EQ(counts.since(), 2u);
  for (int64_t n : {2, 99}) call(n);
  for (int64_t n : {most - 1, most, most + 1, most + 2, 2 * most}) call(n);
  EXPECT_EQ(counts.since(), 2u);
  EXPECT_EQ(counts.dynamic_since(), 2u);
}

// What begins at no multiple of 16 bytes has a kernel of its own where others touch so many.
TEST_P(DynamicSizes, WhatBeginsElsewhereIsNotTouchedAtOnce) {
  Runs runs(kPointwise, 2, plan("static=0,dynamic=0"));
  const auto behind = [](int64_t n) { return Tensor::view_of(numbers({n + 1}), 1, {n}, {1}); };
  KernelCounts counts;
  for (int64_t n : {16, 17, 40}) runs.call({numbers({n}), numbers({n})});
  EXPECT_EQ(counts.since(), 1u);
  const bool wide = std::string(GetParam()).starts_with("tile");
  for (int64_t n : {16, 17, 40}) runs.call({behind(n), numbers({n})});
  EXPECT_EQ(counts.since(), wide ? 2u : 1u);
  for (int64_t n : {8, 9, 41}) runs.call({numbers({n}), numbers({n})});
  for (int64_t n : {8, 9, 41}) runs.call({behind(n), numbers({n})});
  EXPECT_EQ(counts.since(), wide ? 2u : 1u);
  EXPECT_EQ(counts.dynamic_since(), counts.since());
}

// A bias, an operator of each element and a transposed one: indices by division through dynamic
// sizes.
TEST_P(DynamicSizes, BroadcastsOfThreeDimensions) {
  Runs runs(kPointwise, 2, plan("static=0,dynamic=0"));
  for (int64_t n : {2, 3, 5, 11, 13}) {
    runs.call({numbers({n, n + 1, n + 2}), numbers({n + 1, 1})});
    runs.call({numbers({n, 4, n + 2}), numbers({n + 2})});
    runs.call({numbers({n, n + 1, n + 2}), numbers({n, 1, n + 2})});
    runs.call({transpose_view(numbers({n, n + 3})), numbers({n})});
  }
}

// Its loops over rows and columns stay two: one may have no iterations next to a dynamic one.
TEST_P(DynamicReductions, EmptyTensorsThroughAView) {
  Runs runs(R"(
  %one : int = prim::Constant[value=1]()
  %a : Tensor = aten::mul(%x, %x)
  %t : Tensor = aten::t(%a)
  %r : Tensor = aten::add(%t, %one, %one)
  return (%r)
)",
            1, plan("static=0,dynamic=0"));
  for (const Dims& sizes : {Dims{0, 7}, Dims{7, 0}, Dims{0, 0}, Dims{3, 7}, Dims{0, 5}})
    runs.call({numbers(sizes)});
}

// A kernel with rows in registers covers four or more iterations of as many threads as its first
// row needs: 32 threads for 40 elements. Longer rows than fit are read again, however long.
TEST_P(DynamicReductions, CachedRowsHaveARange) {
  if (!grids()) return;
  Runs runs(R"(
  %n : NoneType = prim::Constant()
  %d : int = prim::Constant[value=-1]()
  %one : int = prim::Constant[value=1]()
  %s : Tensor = aten::softmax(%x, %d, %n)
  %r : Tensor = aten::add(%s, %x, %one)
  %m : Tensor = aten::relu(%r)
  return (%m)
)",
            1, plan("static=0,dynamic=0"));
  KernelCounts counts;
  const auto call = [&](int64_t rows, int64_t columns) { runs.call({equal_rows(rows, columns)}); };
  call(3, 40);
  for (int64_t n : {2, 3, 31, 32, 33, 127, 128}) call(n % 7 + 2, n);
  EXPECT_EQ(counts.since(), 1u);
  call(2, 129);
  EXPECT_EQ(counts.since(), 2u);
  call(2, 9001);
  EXPECT_EQ(counts.since(), 3u);
  for (int64_t n : {9000, 8193, 20000}) call(3, n);
  EXPECT_EQ(counts.since(), 3u);
  EXPECT_EQ(counts.dynamic_since(), 3u);
}

TEST_P(DynamicReductions, WhatAsksForSizesKeepsAKernelPerSize) {
  Runs runs(R"(
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %three : int = prim::Constant[value=3]()
  %s : Tensor = aten::slice(%x, %zero, %zero, %three, %one)
  %a : Tensor = aten::mul(%s, %s)
  %b : Tensor = aten::relu(%a)
  return (%b)
)",
            1, plan("static=0,dynamic=0"));
  KernelCounts counts;
  set_log("fuse");
  testing::internal::CaptureStderr();
  for (int64_t n : {2, 3, 4, 5}) runs.call({numbers({n, 4})});
  const std::string captured = testing::internal::GetCapturedStderr();
  set_log("");
  EXPECT_NE(
      captured.find("is compiled for these sizes alone: the kernel depends on what sizes are"),
      std::string::npos)
      << captured;
  EXPECT_EQ(counts.dynamic_since(), 0u);
  EXPECT_EQ(counts.since(), 4u);
}

TEST_P(DynamicSizes, ManyThreadsOneKernel) {
  Runs runs(kPointwise, 2, plan("static=1,dynamic=2"));
  KernelCounts counts;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int64_t i = 0; i < 60; ++i) {
        const int64_t n = 2 + (i * 7 + t) % 9;
        runs.call({numbers({n, n + 2}), numbers({n, n + 2})});
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_GE(counts.dynamic_since(), 1u);
  EXPECT_LE(counts.since(), 12u);  // 4 threads may each make what another makes
}

std::string name_of_plan(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
  return name;
}

INSTANTIATE_TEST_SUITE_P(Fusers, DynamicSizes,
                         testing::Values("loopnest,interp", "loopnest,llvm",
                                         "loopnest,cuda-emulated", "pointwise,interp",
                                         "pointwise,llvm", "pointwise,cuda-emulated", "tile,interp",
                                         "tile,llvm", "tile,cuda-emulated"),
                         &name_of_plan);
INSTANTIATE_TEST_SUITE_P(Fusers, DynamicLayouts,
                         testing::Values("loopnest,interp", "loopnest,llvm", "pointwise,interp",
                                         "pointwise,llvm", "pointwise,cuda-emulated", "tile,interp",
                                         "tile,cuda-emulated"),
                         &name_of_plan);
INSTANTIATE_TEST_SUITE_P(Fusers, DynamicReductions,
                         testing::Values("loopnest,interp", "loopnest,llvm",
                                         "loopnest,cuda-emulated", "tile,interp",
                                         "tile,cuda-emulated"),
                         &name_of_plan);

// On a driver (the stand-in's), where each launch passes the number of blocks.
TEST(DynamicSizesOnDriver, OneKernelForAllSizes) {
  EXPECT_EQ(
      in_child({},
               [] {
                 std::string wrong;
                 for (const char* fuser : {"pointwise", "tile"}) {
                   const auto graph =
                       parse_graph(std::string("graph(%x : Tensor, %y : Tensor):\n") + kPointwise);
                   const auto plan = fmt::format("jit(static=0,dynamic=0)/o2,fuse({},cuda)", fuser);
                   const auto ready = prepare(*graph, parse_plan(plan));
                   const auto eager = prepare(*graph, parse_plan("eager"));
                   KernelCounts counts;
                   for (int64_t n : {1500, 2, 3, 127, 128, 513, 2048, 2050}) {
                     const std::vector<IValue> inputs{numbers({n}), numbers({n})};
                     const Tensor got = ready->run(inputs)[0].as_tensor();
                     if (!bitwise_equal(got, eager->run(inputs)[0].as_tensor()))
                       wrong += fmt::format("{} of {}; ", fuser, n);
                   }
                   wrong += fmt::format("{} kernels, {} launched; ", counts.dynamic_since(),
                                        probe("kernel/cuda-launched").count());
                 }
                 return wrong;
               }),
      "1 kernels, 8 launched; 1 kernels, 16 launched; ");
}

// The checks of kernels.

kernel::Kernel one_loop(int64_t trip_count, int64_t size) {
  kernel::Kernel k;
  k.pool = std::make_shared<ExprPool>();
  ExprPool::Scope scope(*k.pool);
  k.num_vars = 3;
  k.scalars = {{1, Model::I64, 2}, {2, Model::I64, 2}};
  k.buffers = {{kernel::BufferRole::In, DType::F32, {size}, {1}},
               {kernel::BufferRole::Out, DType::F32, {trip_count}, {1}}};
  kernel::Stmt loop{}, store{};
  const Expr i = Expr::var(0, Model::I64);
  store.kind = kernel::Stmt::Kind::Store;
  store.buffer = 1;
  store.indices = {i};
  store.value = Expr::load(0, DType::F32, {i});
  loop.kind = kernel::Stmt::Kind::For;
  loop.var = 0;
  loop.extent = trip_count;
  loop.body = {store};
  k.body = {loop};
  return k;
}

TEST(DynamicKernels, IndicesStayInsideWhateverTheExtentsAre) {
  const int64_t n = kernel::dynamic_number(0), m = kernel::dynamic_number(1);
  EXPECT_NO_THROW(check(one_loop(n, n)));
  EXPECT_NO_THROW(check(one_loop(2, n)));  // n is 2 or more
  EXPECT_THROW(check(one_loop(n, m)), Bug);
  EXPECT_THROW(check(one_loop(n, 5)), Bug);
  EXPECT_THROW(check(one_loop(3, n)), Bug);
  EXPECT_THROW(check(one_loop(kernel::dynamic_number(2), 5)), Bug);
  EXPECT_EQ(print(one_loop(n, n)).substr(0, 55),
            "kernel\nb0: in f32[v1] strides=[1]\nb1: out f32[v1] strid");
}

TEST(DynamicKernels, TheCheckingBackEndSeesTheExtentsOfTheLaunch) {
  kernel::Kernel k = one_loop(kernel::dynamic_number(0), kernel::dynamic_number(1));
  const auto program = kernel::backend("interp").compile(k);
  float in[4] = {1, 2, 3, 4}, out[4] = {};
  void* buffers[] = {in, out};
  const uint64_t same[] = {4, 4}, longer[] = {4, 3}, short_of_least[] = {1, 4};
  program->launch({buffers, same});
  EXPECT_EQ(out[3], 4);
  EXPECT_THROW(program->launch({buffers, longer}), Bug);
  EXPECT_THROW(program->launch({buffers, short_of_least}), Bug);
}

}  // namespace
}  // namespace fusillade
