// Ranges of integers: all results of an operation on two small ranges lie in the computed range,
// and no range is computed where the operation may wrap.
#include "engine/kernel/int_range.h"

#include "engine/scalar/native.h"
#include "suites/unit/grid_kernels.h"

namespace fusillade::kernel {
namespace {

int64_t evaluate(ExprOp op, int64_t a, int64_t b) {
  switch (op) {
    case ExprOp::Neg:
      return -a;
    case ExprOp::Add:
      return a + b;
    case ExprOp::Sub:
      return a - b;
    case ExprOp::Mul:
      return a * b;
    case ExprOp::FloorDiv:
      return integer::floor_div(a, b);
    case ExprOp::FloorMod:
      return integer::floor_mod(a, b);
    case ExprOp::TruncDiv:
      return integer::trunc_div(a, b);
    default:
      return integer::trunc_mod(a, b);
  }
}

TEST(IntRange, HoldsAllThatAnOperationMakes) {
  int known = 0;
  for (ExprOp op : {ExprOp::Neg, ExprOp::Add, ExprOp::Sub, ExprOp::Mul, ExprOp::FloorDiv,
                    ExprOp::FloorMod, ExprOp::TruncDiv, ExprOp::TruncMod}) {
    for (int64_t lo = -6; lo <= 6; ++lo)
      for (int64_t hi = lo; hi <= 6; ++hi)
        for (int64_t from = -5; from <= 5; ++from)
          for (int64_t to = from; to <= 5; ++to) {
            const std::optional<Range> range = range_of(op, {lo, hi}, {from, to});
            if (!range) continue;
            ++known;
            for (int64_t a = lo; a <= hi; ++a)
              for (int64_t b = from; b <= to; ++b) {
                const int64_t value = evaluate(op, a, b);
                ASSERT_TRUE(value >= range->lo && value <= range->hi)
                    << static_cast<int>(op) << " of " << a << " and " << b << " is " << value
                    << ", told [" << range->lo << ", " << range->hi << "]";
              }
          }
  }
  EXPECT_GT(known, 20000);
}

TEST(IntRange, IsExactForSumsAndProducts) {
  EXPECT_EQ(range_of(ExprOp::Add, {-3, 5}, {2, 4}), (Range{-1, 9}));
  EXPECT_EQ(range_of(ExprOp::Sub, {-3, 5}, {2, 4}), (Range{-7, 3}));
  EXPECT_EQ(range_of(ExprOp::Mul, {-3, 5}, {-2, 4}), (Range{-12, 20}));
  EXPECT_EQ(range_of(ExprOp::FloorDiv, {-7, 7}, {2, 2}), (Range{-4, 3}));
  EXPECT_EQ(range_of(ExprOp::FloorMod, {0, 3}, {8, 8}), (Range{0, 3}));
  EXPECT_EQ(range_of(ExprOp::FloorMod, {0, 9}, {8, 8}), (Range{0, 7}));
}

TEST(IntRange, WhatMayWrapIsNotKnown) {
  const int64_t far = int64_t{1} << 40;
  EXPECT_EQ(range_of(ExprOp::Add, {0, far}, {0, 1}), std::nullopt);
  EXPECT_EQ(range_of(ExprOp::Mul, {INT64_MIN, 1}, {-1, INT64_MAX}), std::nullopt);
  EXPECT_EQ(range_of(ExprOp::Neg, {INT64_MIN, 0}, {}), std::nullopt);
  EXPECT_EQ(range_of(ExprOp::FloorDiv, {0, 9}, {0, 3}), std::nullopt);
  EXPECT_EQ(range_of(ExprOp::Shl, {1, 1}, {1, 1}), std::nullopt);
}

TEST(IntRange, FitsABitWidth) {
  EXPECT_TRUE((Range{-128, 127}).fits(8));
  EXPECT_FALSE((Range{0, 128}).fits(8));
  EXPECT_FALSE((Range{-129, 0}).fits(8));
  EXPECT_TRUE((Range{INT32_MIN, INT32_MAX}).fits(32));
  EXPECT_FALSE((Range{0, int64_t{INT32_MAX} + 1}).fits(32));
  EXPECT_TRUE((Range{INT64_MIN, INT64_MAX}).fits(64));
}

Stmt of_kind(Stmt::Kind kind, int var) {
  Stmt s;
  s.kind = kind;
  s.var = var;
  return s;
}

TEST(IntRange, FollowsVariables) {
  Kernel k = built::empty_kernel(Domain::Real);
  ExprPool::Scope scope(*k.pool);
  const Expr i = Expr::var(0, Model::I64);
  const Expr j = Expr::var(1, Model::I64);
  const Expr sum = i * Expr::imm_i(10) + j;
  Stmt outer = of_kind(Stmt::Kind::For, 0);
  outer.extent = 5;
  Stmt let = of_kind(Stmt::Kind::Let, 1);
  let.value = i * Expr::imm_i(2);
  IntRanges ranges(k);
  EXPECT_EQ(ranges.of(sum.node()), std::nullopt);
  ranges.define(outer);
  ranges.define(let);
  EXPECT_EQ(ranges.of_variable(1), (Range{0, 8}));
  EXPECT_EQ(ranges.of(sum.node()), (Range{0, 48}));
  // The same number means another variable further on.
  Stmt accumulator = of_kind(Stmt::Kind::Declare, 1);
  accumulator.value = Expr::imm_i(0);
  ranges.define(accumulator);
  EXPECT_EQ(ranges.of(sum.node()), std::nullopt);
  ranges.forget(outer);
  EXPECT_EQ(ranges.of(i.node()), std::nullopt);
}

TEST(IntRange, ExtentsLieWhereTheKernelSays) {
  Kernel k = built::empty_kernel(Domain::Real);
  ExprPool::Scope scope(*k.pool);
  k.scalars = {{3, Model::I64, 2, 9}, {4, Model::I64, 2}, {5, Model::I64}};
  IntRanges ranges(k);
  const Expr i = Expr::var(0, Model::I64);
  const Expr n = Expr::var(3, Model::I64);
  EXPECT_EQ(ranges.of_variable(3), (Range{2, 9}));
  EXPECT_EQ(ranges.of_variable(4), std::nullopt);  // up to any number
  EXPECT_EQ(ranges.of_variable(5), std::nullopt);
  Stmt loop = of_kind(Stmt::Kind::For, 0);
  loop.extent = dynamic_number(0);
  ranges.define(loop);
  EXPECT_EQ(ranges.of(i.node()), (Range{0, 8}));
  EXPECT_EQ(ranges.of((i * n).node()), (Range{0, 72}));
  EXPECT_EQ(ranges.of(floor_div(i, n).node()), (Range{0, 4}));
  EXPECT_EQ(ranges.of(floor_mod(i, n).node()), (Range{0, 8}));
  loop.extent = dynamic_number(1);
  ranges.define(loop);
  EXPECT_EQ(ranges.of(i.node()), std::nullopt);
}

TEST(IntRange, OfElementsChoicesAndRoundings) {
  Kernel k = built::empty_kernel(Domain::Real);
  ExprPool::Scope scope(*k.pool);
  IntRanges ranges(k);
  const Expr byte = Expr::load(0, DType::U8, {Expr::imm_i(0)});
  const Expr any = Expr::load(1, DType::I64, {Expr::imm_i(0)});
  EXPECT_EQ(ranges.of(byte.node()), (Range{0, 255}));
  EXPECT_EQ(ranges.of(any.node()), std::nullopt);
  EXPECT_EQ(ranges.of(round_to(any, DType::I8).node()), (Range{-128, 127}));
  EXPECT_EQ(ranges.of(round_to(byte + byte, DType::U8).node()), (Range{0, 255}));
  EXPECT_EQ(ranges.of(select(any < byte, byte, Expr::imm_i(-3)).node()), (Range{-3, 255}));
  EXPECT_EQ(ranges.of(convert(any < byte, Model::I64).node()), (Range{0, 1}));
}

}  // namespace
}  // namespace fusillade::kernel
