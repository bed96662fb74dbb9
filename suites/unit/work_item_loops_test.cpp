// Grids whose threads meet become grids of one thread a block: what is written, that grids by hand,
// drawn ones and those of `tile` give the same bits so, on the interpreter and in machine code, and
// what stays as it is.
#include "engine/fuse/work_item_loops.h"

#include <filesystem>
#include <fstream>

#include "engine/ir/graph.h"
#include "fuzz/oracle/kernel_data.h"
#include "suites/unit/drawn_grids.h"

namespace fusillade::fuse {
namespace {

namespace fs = std::filesystem;
using namespace kernel;
using namespace kernel::built;

Lowered loops_of(const Kernel& k) {
  Lowered lowered;
  lowered.kernel = k;
  lowered.launches = {{"a grid", {}}};
  return work_item_loops(lowered);
}

std::string body_of(const Kernel& k) {
  const std::string text = print(k);
  const size_t last = text.rfind("strides=");
  return text.substr(text.find('\n', last) + 1);
}

void expect_same_as_loops(const Kernel& k, bool exact = true) {
  const Kernel one = loops_of(k).kernel;
  EXPECT_FALSE(has_barrier(one.body));
  ASSERT_TRUE(supports(llvm_backend(), one).yes) << print(one);
  for (const char* name : {"interp", "llvm"})
    expect_as_interpreted(k, *compile_cached(one, backend(name)), exact);
}

TEST(WorkItemLoops, RunsBetweenBarriersAreLoops) {
  const Lowered loops = loops_of(tree_sum(3, 2));
  EXPECT_EQ(body_of(loops.kernel),
            "  block v0 in 3\n"
            "    thread v2 in 1\n"
            "      for v1 in 2\n"
            "        e0 = load.f32:f32 b0 v0 v1\n"
            "        b2[v1] = e0\n"
            "      for v1 in 2\n"
            "        e1 = lt.bool v1 i64:1\n"
            "        if e1\n"
            "          e2 = load.f32:f32 b2 v1\n"
            "          e3 = add.i64 v1 i64:1\n"
            "          e4 = load.f32:f32 b2 e3\n"
            "          e5 = add.f32 e2 e4\n"
            "          b2[v1] = e5\n"
            "      for v1 in 2\n"
            "        e6 = lt.bool v1 i64:1\n"
            "        if e6\n"
            "          e7 = load.f32:f32 b2 i64:0\n"
            "          b1[v0] = e7\n");
  EXPECT_EQ(to_string(loops.launches[0]), "a grid; work-item loops");
}

TEST(WorkItemLoops, GridsByHand) {
  for (int64_t threads : {1, 2, 64, 256}) expect_same_as_loops(tree_sum(3, threads));
  for (const DType dtype : {DType::F32, DType::F16, DType::I8, DType::Bool})
    expect_same_as_loops(transpose(dtype, 20, 13));
  for (const DType dtype : {DType::F32, DType::F64, DType::F16, DType::I32})
    for (int64_t threads : {32, 96}) expect_same_as_loops(warp_sum(dtype, 2, threads));
}

TEST(WorkItemLoops, DrawnGrids) {
  int met = 0;
  for (const Kernel& k : draw_kernels(0, 200)) {
    if (!has_barrier(k.body)) continue;
    ++met;
    expect_same_as_loops(k);
    ASSERT_FALSE(HasFatalFailure()) << print(k);
  }
  EXPECT_GE(met, 80);
}

// Each thread's number goes around the block, in a loop and under a condition that all share, and
// is added up in the registers of a thread.
TEST(WorkItemLoops, BarriersInLoopsAndUnderConditions) {
  Kernel k = empty_kernel();
  const ExprPool::Scope scope(*k.pool);
  const int in = add_buffer(k, BufferRole::In, DType::F32, Dims{2, 40});
  const int out = add_buffer(k, BufferRole::Out, DType::F32, Dims{2, 40});
  const int tile = add_buffer(k, BufferRole::Shared, DType::F32, Dims{40});
  const int mine = add_buffer(k, BufferRole::Register, DType::F32, Dims{3});
  const auto f = [](int v) { return Expr::var(v, Model::F32); };
  const auto load = [](int b, Expr i) { return Expr::load(b, DType::F32, {i}); };
  const Expr next = floor_mod(at(1) + whole(1), whole(40));
  Body iteration = several(store_to(tile, {at(1)}, f(2)), barrier(),
                           set(Stmt::Kind::Update, 2, load(tile, next)), barrier(),
                           store_to(mine, {at(3)}, f(2) + f(4)));
  Body some = several(loop(3, 3, std::move(iteration)));
  Body all =
      several(set(Stmt::Kind::Declare, 2, Expr::load(in, DType::F32, {at(0), at(1)})),
              set(Stmt::Kind::Let, 4, Expr::load(in, DType::F32, {at(0), whole(0)})),
              set(Stmt::Kind::Let, 5, at(0) * whole(40)),
              loop(6, 3, several(store_to(mine, {at(6)}, f(2)))),
              when((at(5) < whole(40)) & (f(4) == f(4)), std::move(some)),
              store_to(out, {at(0), at(1)},
                       load(mine, whole(0)) - load(mine, whole(1)) + load(mine, whole(2)) * f(2)));
  k.body.push_back(grid(2, 40, std::move(all)));
  check(k);
  expect_same_as_loops(k);
}

// The second has other threads, and its own memory.
TEST(WorkItemLoops, GridsShareNoMemory) {
  Kernel k = tree_sum(3, 64);
  const ExprPool::Scope scope(*k.pool);
  const int out = add_buffer(k, BufferRole::Out, DType::F32, Dims{64});
  const Expr from = whole(63) - at(1);
  k.body.push_back(
      grid(1, 64,
           several(store_to(2, {at(1)}, Expr::load(0, DType::F32, {whole(1), at(1)})), barrier(),
                   store_to(out, {at(1)}, Expr::load(2, DType::F32, {from})))));
  expect_same_as_loops(k);
}

Lowered golden(const fs::path& path) {
  std::ifstream in(path);
  std::string first;
  std::getline(in, first);
  const std::string rest{std::istreambuf_iterator<char>(in), {}};
  const auto graph = parse_graph(rest);
  std::vector<ArgSpec> args;
  for (const Value* v : graph->inputs()) {
    const TensorInfo& info = v->type().info();
    args.push_back({true, info.dtype, info.sizes, info.strides});
  }
  return fuser(first.substr(first.rfind(' ') + 1)).lower(*graph, args, nullptr);
}

TEST(WorkItemLoops, GoldenKernels) {
  int met = 0;
  for (const auto& entry :
       fs::directory_iterator(std::string(FUSILLADE_SOURCE_DIR) + "/suites/golden/kernels")) {
    if (entry.path().extension() != ".ir") continue;
    const Lowered lowered = golden(entry.path());
    if (!wants_work_item_loops(lowered.kernel, llvm_backend())) continue;
    ++met;
    expect_same_as_loops(lowered.kernel, false);
    ASSERT_FALSE(HasFatalFailure()) << entry.path();
  }
  EXPECT_GE(met, 4);
}

TEST(WorkItemLoops, WhatDoesNotMeetStays) {
  const Kernel k = affine_kernel(1);
  EXPECT_FALSE(wants_work_item_loops(k, llvm_backend()));
  EXPECT_EQ(body_of(loops_of(k).kernel), body_of(k));
  EXPECT_TRUE(wants_work_item_loops(tree_sum(3, 64), llvm_backend()));
  EXPECT_FALSE(wants_work_item_loops(tree_sum(3, 64), backend("interp")));
  EXPECT_FALSE(wants_work_item_loops(loops_of(tree_sum(3, 64)).kernel, llvm_backend()));
}

// On the stack there is room for half a mebibyte.
TEST(WorkItemLoops, TooMuchMemoryIsDeclined) {
  Kernel k = warp_sum(DType::F64, 1, 1024);
  EXPECT_TRUE(supports(llvm_backend(), loops_of(k).kernel).yes);
  const ExprPool::Scope scope(*k.pool);
  const int mine = add_buffer(k, BufferRole::Register, DType::F64, Dims{64});
  k.body[0].body[0].body.push_back(store_to(mine, {whole(0)}, Expr::imm_f(1, Model::F64)));
  const Support s = supports(llvm_backend(), loops_of(k).kernel);
  EXPECT_FALSE(s.yes);
  EXPECT_EQ(s.why_not, "540672 bytes of a thread's own");
}

}  // namespace
}  // namespace fusillade::fuse
