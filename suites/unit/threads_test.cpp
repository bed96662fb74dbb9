// One pool of threads: how many there are changes no bit of what operators, products and graphs
// compute, and what a piece throws reaches the caller.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/ir/graph.h"
#include "engine/ops/call.h"
#include "engine/run/plan.h"
#include "engine/tensor/random.h"

namespace fusillade {
namespace {

class ThreadPool : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* before = std::getenv("FUSILLADE_THREADS")) before_ = before;
  }
  void TearDown() override { use(before_.empty() ? "1" : before_.c_str()); }
  static void use(const char* n) { setenv("FUSILLADE_THREADS", n, 1); }

 private:
  std::string before_;
};

TEST_F(ThreadPool, EachPieceRunsOnce) {
  use("5");
  std::vector<std::atomic<int>> seen(100003);
  parallel(100003, 7, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
    // A loop inside a piece is run by the piece.
    parallel(3, 1, [&](int64_t first, int64_t last) { EXPECT_EQ(last - first, 3); });
  });
  for (const std::atomic<int>& n : seen) ASSERT_EQ(n, 1);
  parallel(0, 1, [&](int64_t begin, int64_t end) { EXPECT_EQ(begin, end); });
}

TEST_F(ThreadPool, WhatAPieceThrowsReachesTheCaller) {
  use("3");
  for (int i = 0; i < 20; ++i) {
    EXPECT_THROW(parallel(1000, 1,
                          [](int64_t begin, int64_t end) {
                            if (begin <= 500 && 500 < end) throw std::runtime_error("piece");
                          }),
                 std::runtime_error);
  }
  int sum = 0;
  parallel(10, 10, [&](int64_t begin, int64_t end) { sum += static_cast<int>(end - begin); });
  EXPECT_EQ(sum, 10) << "the pool goes on";
  use("-1");
  EXPECT_THROW(thread_count(), Error);
}

Tensor normal(const Dims& sizes, DType dtype = DType::F32, uint64_t seed = 1) {
  Tensor t = Tensor::empty(sizes, dtype);
  fill_normal(t, seed, 0);
  return t;
}

using Values = std::vector<IValue>;

Values call_by_name(const char* name, const Values& args) {
  const Operator* op = OperatorTable::instance().find(name);
  Values out;
  EXPECT_TRUE(op) << name;
  if (op) call(*op, Site(), args, out);
  return out;
}

// The same bits on one thread, two and five, several times each.
template <class F>
void expect_same(const char* what, F f) {
  setenv("FUSILLADE_THREADS", "1", 1);
  const Values wanted = f();
  for (const char* n : {"2", "5", "5", "5"}) {
    setenv("FUSILLADE_THREADS", n, 1);
    const Values got = f();
    ASSERT_EQ(got.size(), wanted.size()) << what;
    for (size_t k = 0; k < got.size(); ++k) {
      const Tensor a = got[k].as_tensor(), b = wanted[k].as_tensor();
      EXPECT_TRUE(a.sizes() == b.sizes() && bitwise_equal(a, b)) << what << " on " << n;
    }
  }
}

Tensor transpose(const Tensor& t) {
  return Tensor::view_of(t, t.offset(), Dims{t.sizes()[1], t.sizes()[0]},
                         Dims{t.strides()[1], t.strides()[0]});
}

IValue ints(std::initializer_list<int64_t> all) { return IValue::int_list(Dims(all)); }

TEST_F(ThreadPool, OperatorsComputeTheSameBits) {
  for (DType dtype : {DType::F32, DType::F64}) {
    const Tensor x = normal({517, 803}, dtype), y = normal({517, 803}, dtype, 2);
    const Tensor t = transpose(normal({803, 517}, dtype, 3)), line = normal({803}, dtype, 4);
    const std::pair<const char*, Values> calls[] = {
        {"aten::add.Tensor", {x, y, int64_t{1}}},
        {"aten::add.Tensor", {t, line, int64_t{2}}},
        {"aten::mul.Tensor", {t, y}},
        {"aten::exp", {x}},
        {"aten::tanh", {t}},
        {"aten::gelu", {x, IValue::str("none")}},
        {"aten::lt.Tensor", {x, t}},
        {"aten::clone", {t, IValue()}},
        {"aten::softmax.int", {x, int64_t{1}, IValue()}},
        {"aten::log_softmax.int", {x, int64_t{0}, IValue()}},
        {"aten::layer_norm", {x, ints({803}), line, IValue(), 1e-5, true}},
        {"aten::sum.dim_IntList", {x, ints({0}), false, IValue()}},
        {"aten::sum.dim_IntList", {x, ints({1}), true, IValue()}},
        {"aten::mean.dim", {t, ints({1}), false, IValue()}},
        {"aten::amax", {x, ints({0}), false}},
        {"aten::mm", {x, transpose(y)}},
        {"aten::mm", {transpose(x), y}},
        {"aten::mm", {x, transpose(t)}},
        {"aten::bmm", {normal({7, 90, 64}, dtype), normal({7, 64, 110}, dtype, 2)}},
        {"aten::matmul", {normal({3, 4, 130, 70}, dtype), normal({4, 70, 96}, dtype, 2)}},
        {"aten::mv", {normal({1200, 1024}, dtype), normal({1024}, dtype, 2)}},
        {"aten::linear",
         {normal({5, 900}, dtype), normal({700, 900}, dtype, 2), normal({700}, dtype, 3)}},
        {"aten::conv2d",
         {normal({2, 9, 60, 61}, dtype), normal({32, 9, 3, 3}, dtype, 2), IValue(), ints({1}),
          ints({1}), ints({1}), int64_t{1}}},
        {"aten::max_pool2d",
         {normal({4, 32, 50, 50}, dtype), ints({3}), ints({2}), ints({1}), ints({1}), false}},
    };
    for (const auto& [name, args] : calls)
      expect_same(name, [&name, &args] { return call_by_name(name, args); });
  }
}

TEST_F(ThreadPool, GraphsComputeTheSameBits) {
  const char* text = R"(graph(%x : Tensor, %w : Tensor, %b : Tensor):
  %one : int = prim::Constant[value=1]()
  %last : int = prim::Constant[value=-1]()
  %none : NoneType = prim::Constant()
  %h : Tensor = aten::linear(%x, %w, %b)
  %r : Tensor = aten::relu(%h)
  %s : Tensor = aten::add(%r, %x, %one)
  %p : Tensor = aten::softmax(%s, %last, %none)
  %q : Tensor = aten::mul(%p, %s)
  %o : Tensor = aten::linear(%q, %w, %b)
  return (%o, %p)
)";
  const Values in{normal({300, 512}), normal({512, 512}, DType::F32, 2),
                  normal({512}, DType::F32, 3)};
  for (const char* plan : {"eager", "vm/o2", "vm/o2,fuse(loopnest,llvm)"})
    expect_same(plan, [&] { return prepare(*parse_graph(text), parse_plan(plan))->run(in); });
}

}  // namespace
}  // namespace fusillade
