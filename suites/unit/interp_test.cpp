// The checking back end on kernels written by hand: each kind of fault is found, and faultless
// kernels pass.
#include "suites/unit/llvm_backend_kernels.h"

namespace fusillade::kernel {
namespace {

using built::add_buffer;
using built::at;
using built::empty_kernel;
using built::loop;
using built::set;
using built::store_to;

std::string outcome(const Kernel& k) {
  built::Memory m = built::memory_of(k, 1);
  try {
    built::launch(*backend("interp").compile(k), k, m);
  } catch (const Bug& e) {
    return e.what();
  }
  return "fine";
}

struct Scene {
  Kernel k = empty_kernel();
  ExprPool::Scope scope{*k.pool};
  int in = add_buffer(k, BufferRole::In, DType::F32, Dims{8});
  int out = add_buffer(k, BufferRole::Out, DType::F32, Dims{8});
  Expr load(Expr i) { return Expr::load(in, DType::F32, {i}); }
};

TEST(Interp, FaultlessKernelPasses) {
  Scene s;
  s.k.body.push_back(loop(0, 8,
                          {store_to(s.out, {at(0)}, s.load(at(0)) + Expr::imm_f(1, Model::F32))},
                          LoopKind::Parallel));
  EXPECT_EQ(outcome(s.k), "fine");
}

TEST(Interp, ReadOutOfBounds) {
  Scene s;
  s.k.body.push_back(loop(0, 8, {store_to(s.out, {at(0)}, s.load(at(0) + Expr::imm_i(1)))}));
  EXPECT_NE(outcome(s.k).find("8"), std::string::npos);
  EXPECT_NE(outcome(s.k), "fine");
}

TEST(Interp, ReadAtNegativeIndex) {
  Scene s;
  s.k.body.push_back(loop(0, 8, {store_to(s.out, {at(0)}, s.load(at(0) - Expr::imm_i(1)))}));
  EXPECT_NE(outcome(s.k), "fine");
}

TEST(Interp, WriteOutOfBounds) {
  Scene s;
  s.k.body.push_back(loop(0, 9, {store_to(s.out, {at(0)}, Expr::imm_f(1, Model::F32))}));
  EXPECT_NE(outcome(s.k), "fine");
}

// The second dimension runs over, though the address is inside the buffer.
TEST(Interp, OutOfOneDimensionOnly) {
  Scene s;
  int wide = add_buffer(s.k, BufferRole::In, DType::F32, Dims{2, 4});
  Expr bad = Expr::load(wide, DType::F32, {Expr::imm_i(0), at(0)});
  s.k.body.push_back(loop(0, 8, {store_to(s.out, {at(0)}, bad)}));
  EXPECT_NE(outcome(s.k), "fine");
}

TEST(Interp, UnwrittenResult) {
  Scene s;
  s.k.body.push_back(loop(0, 7, {store_to(s.out, {at(0)}, s.load(at(0)))}));
  EXPECT_NE(outcome(s.k), "fine");
}

TEST(Interp, ReadOfUnwrittenTemp) {
  Scene s;
  int temp = add_buffer(s.k, BufferRole::Temp, DType::F32, Dims{8});
  Expr t = Expr::load(temp, DType::F32, {at(0)});
  s.k.body.push_back(loop(0, 4, {store_to(temp, {at(0)}, s.load(at(0)))}));
  s.k.body.push_back(loop(0, 8, {store_to(s.out, {at(0)}, t)}));
  EXPECT_NE(outcome(s.k), "fine");
}

TEST(Interp, TempWrittenThenReadPasses) {
  Scene s;
  int temp = add_buffer(s.k, BufferRole::Temp, DType::F32, Dims{8});
  Expr t = Expr::load(temp, DType::F32, {at(0)});
  s.k.body.push_back(loop(0, 8, {store_to(temp, {at(0)}, s.load(at(0)))}, LoopKind::Parallel));
  s.k.body.push_back(loop(0, 8, {store_to(s.out, {at(0)}, t)}, LoopKind::Parallel));
  EXPECT_EQ(outcome(s.k), "fine");
}

// Every iteration of the parallel loop writes element v0 / 2: two meet.
TEST(Interp, TwoIterationsWriteOneElement) {
  Scene s;
  Expr half = floor_div(at(0), Expr::imm_i(2));
  s.k.body.push_back(loop(0, 8, {store_to(s.out, {half}, s.load(at(0)))}, LoopKind::Parallel));
  EXPECT_NE(outcome(s.k), "fine");
}

TEST(Interp, IterationReadsWhatAnotherWrote) {
  Scene s;
  int temp = add_buffer(s.k, BufferRole::Temp, DType::F32, Dims{8});
  Expr before = Expr::load(temp, DType::F32, {floor_mod(at(0) + Expr::imm_i(7), Expr::imm_i(8))});
  Body body;
  body.push_back(store_to(temp, {at(0)}, s.load(at(0))));
  body.push_back(store_to(s.out, {at(0)}, before));
  s.k.body.push_back(loop(1, 8, {store_to(temp, {at(1)}, Expr::imm_f(0, Model::F32))}));
  s.k.body.push_back(loop(0, 8, std::move(body), LoopKind::Parallel));
  EXPECT_NE(outcome(s.k), "fine");
}

TEST(Interp, IterationWritesWhatAnotherRead) {
  Scene s;
  int temp = add_buffer(s.k, BufferRole::Temp, DType::F32, Dims{8});
  Expr after = Expr::load(temp, DType::F32, {floor_mod(at(0) + Expr::imm_i(1), Expr::imm_i(8))});
  Body body;
  body.push_back(store_to(s.out, {at(0)}, after));
  body.push_back(store_to(temp, {at(0)}, s.load(at(0))));
  s.k.body.push_back(loop(1, 8, {store_to(temp, {at(1)}, Expr::imm_f(0, Model::F32))}));
  s.k.body.push_back(loop(0, 8, std::move(body), LoopKind::Parallel));
  EXPECT_NE(outcome(s.k), "fine");
}

// The same program as a serial loop is legal.
TEST(Interp, SerialLoopMayCarry) {
  Scene s;
  int temp = add_buffer(s.k, BufferRole::Temp, DType::F32, Dims{8});
  Expr after = Expr::load(temp, DType::F32, {floor_mod(at(0) + Expr::imm_i(1), Expr::imm_i(8))});
  Body body;
  body.push_back(store_to(s.out, {at(0)}, after));
  body.push_back(store_to(temp, {at(0)}, s.load(at(0))));
  s.k.body.push_back(loop(1, 8, {store_to(temp, {at(1)}, Expr::imm_f(0, Model::F32))}));
  s.k.body.push_back(loop(0, 8, std::move(body)));
  EXPECT_EQ(outcome(s.k), "fine");
}

TEST(Interp, StridedBuffersAndReductionsPass) {
  EXPECT_EQ(
      outcome(built::reduction(Domain::Real, DType::F32, 5, 7, 0, Dims{7, 1}, &built::sum_of)),
      "fine");
  EXPECT_EQ(
      outcome(built::reduction(Domain::Real, DType::F32, 5, 7, 0, Dims{1, 5}, &built::sum_of)),
      "fine");
  EXPECT_EQ(
      outcome(built::reduction(Domain::Ring, DType::F64, 5, 7, 0, Dims{0, 1}, &built::sum_of)),
      "fine");
}

TEST(KernelCheck, RefusesWhatIsIllFormed) {
  Scene s;
  auto is_refused = [&](Body body) {
    s.k.body = std::move(body);
    try {
      check(s.k);
    } catch (const Bug&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(is_refused({loop(0, 8, {store_to(s.out, {at(0)}, s.load(at(0)))})}));
  EXPECT_TRUE(is_refused({store_to(s.out, {at(0)}, s.load(Expr::imm_i(0)))}))
      << "undefined variable";
  EXPECT_TRUE(is_refused({loop(0, 8, {store_to(s.in, {at(0)}, Expr::imm_f(1, Model::F32))})}))
      << "store to an input";
  EXPECT_TRUE(is_refused({loop(0, 9, {store_to(s.out, {at(0)}, Expr::imm_f(1, Model::F32))})}))
      << "index";
  EXPECT_TRUE(is_refused({store_to(s.out, {}, Expr::imm_f(1, Model::F32))})) << "number of indices";
  EXPECT_TRUE(is_refused({store_to(s.out, {Expr::imm_i(0)}, Expr::imm_f(1, Model::F64))}))
      << "model";
  EXPECT_TRUE(is_refused({set(Stmt::Kind::Update, 3, Expr::imm_f(1, Model::F32))}))
      << "undeclared accumulator";
  EXPECT_TRUE(is_refused({loop(
      0, 8, {store_to(s.out, {Expr::imm_i(0)}, Expr::imm_f(1, Model::F32))}, LoopKind::Parallel)}))
      << "a parallel loop's store without its variable";
}

}  // namespace
}  // namespace fusillade::kernel
