// Blocks and threads under the checking back end: what they mean, and each kind of fault seen.
#include "suites/unit/grid_kernels.h"

namespace fusillade::kernel {
namespace {

using namespace built;

// "" or what the interpreter objects to.
std::string fault(const Kernel& k) {
  Memory m = memory_of(k, 1);
  try {
    launch(*backend("interp").compile(k), k, m);
  } catch (const Bug& e) {
    return e.what();
  }
  return "";
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

float* floats(Memory& m, size_t i) { return reinterpret_cast<float*>(m[i].data()); }

// in and out of 8 floats, a grid of 2 blocks of 4 threads
struct Scene {
  Kernel k = empty_kernel();
  ExprPool::Scope scope{*k.pool};
  int in = add_buffer(k, BufferRole::In, DType::F32, Dims{8});
  int out = add_buffer(k, BufferRole::Out, DType::F32, Dims{8});
  int shared = add_buffer(k, BufferRole::Shared, DType::F32, Dims{4});
  int own = add_buffer(k, BufferRole::Register, DType::F32, Dims{2});
  Expr mine = at(0) * whole(4) + at(1);
  Expr one = Expr::imm_f(1, Model::F32);
  Expr load(int buffer, Expr i) { return Expr::load(buffer, DType::F32, {i}); }
  Kernel& with(Body body) {
    k.body.clear();
    k.body.push_back(grid(2, 4, std::move(body)));
    return k;
  }
};

TEST(Grid, TreeSumInSharedMemory) {
  const Kernel k = tree_sum(3, 64);
  EXPECT_EQ(refusal(k), "");
  Memory m = memory_of(k, 1);
  for (int i = 0; i < 3 * 64; ++i) floats(m, 0)[i] = static_cast<float>(i);
  launch(*backend("interp").compile(k), k, m);
  for (int b = 0; b < 3; ++b) EXPECT_EQ(floats(m, 1)[b], static_cast<float>(64 * 64 * b + 2016));
}

TEST(Grid, TransposeThroughATile) {
  const Kernel k = transpose(DType::F32, 19, 13);
  EXPECT_EQ(refusal(k), "");
  Memory m = memory_of(k, 1);
  for (int i = 0; i < 19 * 13; ++i) floats(m, 0)[i] = static_cast<float>(i);
  launch(*backend("interp").compile(k), k, m);
  for (int i = 0; i < 19; ++i)
    for (int j = 0; j < 13; ++j)
      ASSERT_EQ(floats(m, 1)[j * 19 + i], static_cast<float>(i * 13 + j));
}

TEST(Grid, SumByShuffles) {
  const Kernel k = warp_sum(DType::F32, 2, 64);
  EXPECT_EQ(refusal(k), "");
  Memory m = memory_of(k, 1);
  for (int i = 0; i < 128; ++i) floats(m, 0)[i] = static_cast<float>(i);
  launch(*backend("interp").compile(k), k, m);
  for (int i = 0; i < 128; ++i)
    ASSERT_EQ(floats(m, 1)[i], static_cast<float>(i / 32 * 32 * 32 + 496)) << i;
}

TEST(Grid, RegistersAreEachThreadsOwn) {
  Scene s;
  const Expr step = at(2);
  EXPECT_EQ(fault(s.with(several(
                loop(2, 2, several(store_to(s.own, {step}, s.load(s.in, s.mine)))),
                store_to(s.out, {s.mine}, s.load(s.own, whole(0)) + s.load(s.own, whole(1)))))),
            "");
  Memory m = memory_of(s.k, 1);
  for (int i = 0; i < 8; ++i) floats(m, 0)[i] = static_cast<float>(i);
  launch(*backend("interp").compile(s.k), s.k, m);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(floats(m, 1)[i], static_cast<float>(2 * i));
}

TEST(Grid, MissingBarrierIsARace) {
  EXPECT_TRUE(says(fault(tree_sum(2, 64, false)), "race"));
  EXPECT_TRUE(says(fault(transpose(DType::F32, 16, 16, false)), "b2"));
}

TEST(Grid, RaceBetweenThreads) {
  Scene s;
  const Expr next = floor_mod(at(1) + whole(1), whole(4));
  EXPECT_TRUE(says(fault(s.with(several(store_to(s.shared, {whole(0)}, s.one),
                                        store_to(s.out, {s.mine}, s.one)))),
                   "race"))
      << "two write one element";
  EXPECT_TRUE(says(fault(s.with(several(store_to(s.shared, {at(1)}, s.one), barrier(),
                                        store_to(s.out, {s.mine}, s.load(s.shared, next)),
                                        store_to(s.shared, {at(1)}, s.one)))),
                   "race"))
      << "one writes what another read, with no barrier between";
  EXPECT_EQ(fault(s.with(several(store_to(s.shared, {at(1)}, s.one), barrier(),
                                 store_to(s.out, {s.mine}, s.load(s.shared, next)), barrier(),
                                 store_to(s.shared, {at(1)}, s.one)))),
            "");
}

// A barrier is of one block: it orders nothing between two.
TEST(Grid, RaceBetweenBlocks) {
  Scene s;
  const Expr other = (whole(1) - at(0)) * whole(4) + at(1);
  const int temp = add_buffer(s.k, BufferRole::Temp, DType::F32, Dims{8});
  const std::string message = fault(s.with(several(
      store_to(temp, {s.mine}, s.one), barrier(), store_to(s.out, {s.mine}, s.load(temp, other)))));
  EXPECT_TRUE(says(message, "race") || says(message, "before it is written")) << message;
  EXPECT_TRUE(says(fault(s.with(several(store_to(s.out, {at(1)}, s.one), barrier()))), "race"));
  // In two grids, one after the other, it is in order.
  s.with(several(store_to(temp, {s.mine}, s.one)));
  s.k.body.push_back(grid(2, 4, several(store_to(s.out, {s.mine}, s.load(temp, other)))));
  EXPECT_EQ(fault(s.k), "");
}

// Read by the first block, then twice in the second: its own reads do not hide the first's.
TEST(Grid, RaceWithABlockThatReadBeforeOthers) {
  Scene s;
  const int temp = add_buffer(s.k, BufferRole::Temp, DType::F32, Dims{1});
  const Expr read = s.load(temp, whole(0));
  Body body = several(
      store_to(s.out, {s.mine}, read), barrier(), set(Stmt::Kind::Let, 2, read), barrier(),
      when((at(0) < whole(1)) & (at(1) < whole(1)), several(store_to(temp, {whole(0)}, s.one))));
  s.with(std::move(body));
  s.k.body.insert(s.k.body.begin(), store_to(temp, {whole(0)}, s.one));
  EXPECT_TRUE(says(fault(s.k), "race"));
}

TEST(Grid, BarrierInDivergentCode) {
  Scene s;
  const auto body = [&](Expr condition, Stmt inside) {
    return several(store_to(s.out, {s.mine}, s.one), when(condition, several(std::move(inside))));
  };
  EXPECT_TRUE(says(fault(s.with(body(at(1) < whole(2), barrier()))), "divergent"));
  EXPECT_TRUE(says(refusal(s.k), "barrier"));
  EXPECT_TRUE(
      says(fault(s.with(body(at(1) < whole(2), shuffle(3, s.one, whole(0))))), "divergent"));
  EXPECT_TRUE(says(refusal(s.k), "shuffle"));
  EXPECT_EQ(fault(s.with(body(at(0) < whole(1), barrier()))), "") << "the same for all of a block";
  EXPECT_EQ(refusal(s.k), "");
}

// Through an accumulator that only some threads change, in a loop, and after it is tested.
TEST(Grid, DivergenceGoesThroughVariables) {
  Scene s;
  const Expr count = Expr::var(5, Model::I64);
  Body iteration = several(when(count < whole(1), several(barrier())),
                           when(at(1) < whole(2), several(set(Stmt::Kind::Update, 5, whole(1)))));
  s.with(several(store_to(s.out, {s.mine}, s.one), set(Stmt::Kind::Declare, 5, whole(0)),
                 loop(2, 2, std::move(iteration))));
  EXPECT_TRUE(says(refusal(s.k), "barrier"));
  EXPECT_TRUE(says(fault(s.k), "divergent"));
}

TEST(Grid, UninitialisedMemory) {
  Scene s;
  const Expr left = s.load(s.shared, at(1));
  EXPECT_TRUE(
      says(fault(s.with(several(store_to(s.out, {s.mine}, left)))), "before it is written"));
  EXPECT_TRUE(
      says(fault(s.with(several(when(at(0) < whole(1), several(store_to(s.shared, {at(1)}, s.one))),
                                barrier(), store_to(s.out, {s.mine}, left)))),
           "before it is written"))
      << "what another block left";
  EXPECT_TRUE(says(fault(s.with(several(store_to(s.out, {s.mine}, s.load(s.own, whole(1)))))),
                   "before it is written"));
}

TEST(Grid, OutOfBounds) {
  Scene s;
  EXPECT_TRUE(says(fault(s.with(several(store_to(s.out, {s.mine + whole(1)}, s.one)))), "outside"));
  EXPECT_TRUE(says(refusal(s.k), "lies in"));
  EXPECT_TRUE(says(
      fault(s.with(several(store_to(s.own, {at(1)}, s.one), store_to(s.out, {s.mine}, s.one)))),
      "outside"));
  EXPECT_TRUE(says(
      fault(s.with(several(shuffle(3, s.one, at(1) + whole(1)), store_to(s.out, {s.mine}, s.one)))),
      "shuffles from thread 4 of a warp of 4"));
}

// A mask narrows what check() knows of a variable.
TEST(Grid, MaskOfTheTail) {
  Scene s;
  const auto refusal_with_limit = [&](int64_t limit) {
    Body body;
    body.push_back(set(Stmt::Kind::Let, 2, at(0) * whole(5) + at(1)));
    body.push_back(when(at(2) < whole(limit), several(store_to(s.out, {at(2)}, s.one))));
    Kernel& k = s.with({});
    k.body[0] = grid(2, 5, std::move(body));
    return refusal(k);
  };
  EXPECT_EQ(refusal_with_limit(8), "");
  EXPECT_TRUE(says(refusal_with_limit(9), "lies in [0, 8]"));
}

TEST(Grid, ShapesThatAreRefused) {
  Scene s;
  const auto masked_store = [&] {
    return several(when(at(1) < whole(8), several(store_to(s.out, {at(1)}, s.one))));
  };
  s.with({}).body[0] = grid(1, 2048, masked_store());
  EXPECT_TRUE(says(refusal(s.k), "2048 threads"));
  s.k.body[0] = loop(1, 8, masked_store(), LoopKind::Block);
  EXPECT_TRUE(says(refusal(s.k), "0 thread loops"));
  s.k.body[0] = loop(1, 8, masked_store(), LoopKind::Thread);
  EXPECT_TRUE(says(refusal(s.k), "0 block loops"));
  s.k.body[0] = loop(2, 3, several(grid(1, 8, masked_store())));
  EXPECT_TRUE(says(refusal(s.k), "inside what is no grid"));
  s.k.body[0] = barrier();
  EXPECT_TRUE(says(refusal(s.k), "inside what is no grid"));
  s.k.body[0] = store_to(s.shared, {whole(0)}, s.one);
  EXPECT_TRUE(says(refusal(s.k), "outside a grid"));
  s.k.body[0] = grid(1, 8, several(loop(2, 4, masked_store(), LoopKind::Parallel)));
  EXPECT_NE(refusal(s.k), "");
  s.with(several(store_to(s.out, {s.mine}, s.one)));
  EXPECT_EQ(refusal(s.k), "");
  const int large = add_buffer(s.k, BufferRole::Shared, DType::F64, Dims{6144});
  s.k.body.push_back(grid(2, 4, several(store_to(large, {at(1)}, Expr::imm_f(1, Model::F64)))));
  EXPECT_EQ(refusal(s.k), "") << "all that there is, in a grid of its own";
  s.k.body.push_back(grid(2, 4,
                          several(store_to(large, {at(1)}, Expr::imm_f(1, Model::F64)),
                                  store_to(s.shared, {at(1)}, s.one))));
  EXPECT_TRUE(says(refusal(s.k), "bytes of shared memory"));
}

TEST(Grid, Printed) {
  const std::string text = print(warp_sum(DType::F32, 2, 64));
  for (const char* line : {"block v0 in 2\n", "thread v1 in 64\n", "v3 = shuffle v2 of thread e"})
    EXPECT_TRUE(says(text, line));
  const std::string tree = print(tree_sum(2, 4));
  for (const char* line : {"b2: shared f32[4]", "  barrier\n", "  if e"})
    EXPECT_TRUE(says(tree, line));
}

// A grid whose threads never meet is loops to a machine without threads.
TEST(Grid, LlvmRunsThoseThatDoNotMeet) {
  Kernel k = elementwise(
      Domain::Real, {DType::F32, DType::F32}, DType::F32, [](Exprs& in) { return in[0] * in[1]; },
      100);
  ExprPool::Scope scope(*k.pool);
  Stmt store = std::move(k.body[0].body[0]);
  for (Expr& e : store.indices) e = at(2);
  store.value = Expr::load(0, DType::F32, {at(2)}) * Expr::load(1, DType::F32, {at(2)});
  Body body = several(set(Stmt::Kind::Let, 2, at(0) * whole(32) + at(1)),
                      when(at(2) < whole(100), several(std::move(store))));
  k.body.clear();
  k.body.push_back(grid(4, 32, std::move(body)));
  EXPECT_EQ(refusal(k), "");
  expect_same(k);
  for (const Kernel& meets : {tree_sum(2, 8), transpose(DType::F32, 8, 8)})
    EXPECT_THROW((void)compile_cached(meets, llvm_backend()), Unsupported);
}

// b2[i] = b0[i] * b1[i] where `mask` of i holds, each of 3 blocks of 32 threads taking two
// iterations; elsewhere what it was before.
Kernel masked_product(Expr (*mask)(Expr)) {
  Kernel k = empty_kernel();
  ExprPool::Scope scope(*k.pool);
  for (BufferRole role : {BufferRole::In, BufferRole::In, BufferRole::Out})
    add_buffer(k, role, DType::F32, Dims{192});
  Body all = several(
      store_to(2, {at(0) * whole(32) + at(1) + at(3) * whole(96)}, Expr::imm_f(7, Model::F32)));
  k.body.push_back(grid(3, 32, several(loop(3, 2, std::move(all)))));
  const Expr product = Expr::load(0, DType::F32, {at(2)}) * Expr::load(1, DType::F32, {at(2)});
  Body iteration = several(set(Stmt::Kind::Let, 2, at(0) * whole(32) + at(1) + at(3) * whole(96)),
                           when(mask(at(2)), several(store_to(2, {at(2)}, product))));
  k.body.push_back(grid(3, 32, several(loop(3, 2, std::move(iteration)))));
  return k;
}

// Threads are the innermost loop, which ends where the mask does, so that it has vectors; masks of
// another kind stay what they are.
TEST(Grid, LlvmMakesVectorsOfThreads) {
  const Kernel tail = masked_product([](Expr i) { return i < whole(150); });
  expect_same(tail);
  const std::string text = llvm_backend().compile(tail)->disassembly();
  EXPECT_TRUE(text.find("vmulps") != std::string::npos || text.find("mulps") != std::string::npos)
      << text;
  for (auto mask :
       {+[](Expr i) { return i < whole(0); }, +[](Expr i) { return i < whole(192); },
        +[](Expr i) { return i < whole(97); }, +[](Expr i) { return i + i < whole(99); },
        +[](Expr i) { return whole(20) < i; }, +[](Expr i) { return i <= whole(40); },
        +[](Expr i) { return whole(5) - i < whole(-60); },
        +[](Expr i) { return floor_mod(i, whole(7)) < whole(3); },
        +[](Expr i) { return i - whole(3) < whole(33); },
        +[](Expr i) { return i < floor_div(i, whole(2)) + whole(9); }})
    expect_same(masked_product(mask));
}

}  // namespace
}  // namespace fusillade::kernel
