// What is legal of another project's engine, element by element: other formulas for an op, other
// precisions, other orders.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/error.h"
#include "engine/ops/operator.h"
#include "fuzz/run/cell.h"
#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {
namespace {

// What a contract allows an engine for a program's last result.
Cells cells_of(const char* ir, const std::vector<double>& elements, const EngineDeviation& allowed,
               Shadow::Of of = Shadow::Of::Any, DType dtype = DType::F32) {
  Tensor t = Tensor::empty({static_cast<int64_t>(elements.size())}, dtype);
  for (size_t i = 0; i < elements.size(); ++i) set_element(t, static_cast<int64_t>(i), elements[i]);
  Shadow shadow(of, &allowed);
  std::unique_ptr<Graph> program = parse_graph(ir);
  std::vector<IValue> inputs = {IValue(t)};
  std::vector<IValue> results = shadow.run(*program, inputs);
  return shadow.cells(results.back().as_tensor());
}

TEST(Contract, UlpsOfAFunctionWidenItsBoundAndNoOther) {
  auto width = [](const char* op, std::map<std::string, double> ulps) {
    std::string ir =
        fmt::format("graph(%x : Tensor):\n  %y : Tensor = aten::{}(%x)\n  return (%y)\n", op);
    Bounded b = cells_of(ir.c_str(), {0.7}, EngineDeviation{{.ulp = std::move(ulps)}}).real[0];
    return b.hi - b.lo;
  };
  EXPECT_GT(width("exp", {{"exp", 100}}), width("exp", {}) + 150 * 0x1p-23);
  EXPECT_EQ(width("exp_", {{"exp", 100}}), width("exp", {{"exp", 100}}));
  EXPECT_EQ(width("sin", {{"exp", 100}}), width("sin", {}));
}

// 16-bit ops may round once, at each step, or never; what lies beyond all three is wrong.
TEST(Contract, HalvesMayRoundBetweenTheStepsOfAnOp) {
  const char* sum =
      "graph(%x : Tensor):\n  %d : NoneType = prim::Constant()\n"
      "  %s : Tensor = aten::sum(%x, %d)\n  return (%s)\n";
  const std::vector<double> terms = {2048, 1, 1, 1};  // 2051, or 2048 where each step rounds
  Bounded once = cells_of(sum, terms, {}, Shadow::Of::Any, DType::F16).real[0];
  EXPECT_TRUE(admits(once, 2052) && admits(once, 2051) && !admits(once, 2048));
  Bounded steps = cells_of(sum, terms, {}, Shadow::Of::AnyHalf, DType::F16).real[0];
  EXPECT_TRUE(admits(steps, 2048) && admits(steps, 2051) && !admits(steps, 2064));
  Bounded wide = cells_of(sum, terms, {}, Shadow::Of::AnyHalf, DType::F32).real[0];
  EXPECT_FALSE(admits(wide, 2050));
  const char* logit =
      "graph(%x : Tensor):\n  %e : NoneType = prim::Constant()\n"
      "  %y : Tensor = aten::logit(%x, %e)\n  return (%y)\n";
  once = cells_of(logit, {0.1}, {}, Shadow::Of::Any, DType::BF16).real[0];
  steps = cells_of(logit, {0.1}, {}, Shadow::Of::AnyHalf, DType::BF16).real[0];
  EXPECT_LT(steps.lo, once.lo);
  EXPECT_GT(steps.hi, once.hi);
  EXPECT_LT(steps.hi - steps.lo, 0.2);
  EXPECT_FALSE(steps.may_nan);
}

TEST(Contract, OtherFormulasForOneOpAreLegal) {
  const char* lerp =
      "graph(%x : Tensor):\n  %i : int = prim::Constant[value=0]()\n"
      "  %a : Tensor = aten::select(%x, %i, %i)\n  %one : int = prim::Constant[value=1]()\n"
      "  %b : Tensor = aten::select(%x, %i, %one)\n  %two : int = prim::Constant[value=2]()\n"
      "  %w : Tensor = aten::select(%x, %i, %two)\n"
      "  %y : Tensor = aten::lerp(%a, %b, %w)\n  return (%y)\n";
  Bounded b = cells_of(lerp, {-INFINITY, 0, 1.5}, {}).real[0];
  EXPECT_TRUE(admits(b, INFINITY) && admits(b, NAN));
  b = cells_of(lerp, {-INFINITY, 0, 1.5}, {}, Shadow::Of::Ours).real[0];
  EXPECT_TRUE(admits(b, INFINITY) && !admits(b, NAN));
  b = cells_of(lerp, {1, 2, 0.75}, {}).real[0];
  EXPECT_TRUE(admits(b, 1.75) && !admits(b, 1.7501));
  const char* celu =
      "graph(%x : Tensor):\n  %a : float = prim::Constant[value=0.3]()\n"
      "  %y : Tensor = aten::celu(%x, %a)\n  return (%y)\n";
  b = cells_of(celu, {-0.1}, {}).real[0];
  EXPECT_TRUE(admits(b, 0.3F * std::expm1(-0.1F / 0.3F)) && !admits(b, -0.08503));
  const char* elu =
      "graph(%x : Tensor):\n  %a : float = prim::Constant[value=0.]()\n"
      "  %s : float = prim::Constant[value=1.]()\n  %i : float = prim::Constant[value=inf]()\n"
      "  %y : Tensor = aten::elu(%x, %a, %s, %i)\n  return (%y)\n";
  b = cells_of(elu, {0}, {}).real[0];
  EXPECT_TRUE(admits(b, 0) && admits(b, NAN));
  b = cells_of(elu, {0}, {}, Shadow::Of::Ours).real[0];
  EXPECT_TRUE(!admits(b, 0) && admits(b, NAN));
  const char* linspace =
      "graph(%x : Tensor):\n  %a : float = prim::Constant[value=-2.5]()\n"
      "  %b : float = prim::Constant[value=0.001]()\n  %n : int = prim::Constant[value=9]()\n"
      "  %o : NoneType = prim::Constant()\n"
      "  %y : Tensor = aten::linspace(%a, %b, %n, %o, %o, %o, %o)\n  return (%y)\n";
  b = cells_of(linspace, {}, {}).real[4];
  EXPECT_TRUE(admits(b, -0x1.3fdf3ap+0) && admits(b, -0x1.3fdf3cp+0) && !admits(b, -1.2494));
  EXPECT_TRUE(cells_of(linspace, {}, {}, Shadow::Of::Ours).real[4].is_exact());
  const char* erfinv = "graph(%x : Tensor):\n  %y : Tensor = aten::erfinv(%x)\n  return (%y)\n";
  b = cells_of(erfinv, {0.2}, {}).real[0];
  EXPECT_TRUE(b.hi - b.lo > 0x1p-23 && b.hi - b.lo < 1e-5);
}

TEST(Contract, IndicesOfEqualKeysAreAnyUnlessTheSortIsStable) {
  const char* sort =
      "graph(%x : Tensor):\n  %d : int = prim::Constant[value=-1]()\n"
      "  %b : bool = prim::Constant[value=0]()\n"
      "  %v : Tensor, %i : Tensor = aten::sort(%x, %d, %b)\n  return (%v, %i)\n";
  Cells c = cells_of(sort, {2, NAN, 1, 2, NAN}, {});  // 1 2 2 nan nan
  EXPECT_TRUE(c.whole[0].exact());
  for (size_t i = 1; i < 5; ++i) EXPECT_FALSE(c.whole[i].exact()) << i;
  const char* stable =
      "graph(%x : Tensor):\n  %d : int = prim::Constant[value=-1]()\n"
      "  %b : bool = prim::Constant[value=0]()\n  %s : bool = prim::Constant[value=1]()\n"
      "  %v : Tensor, %i : Tensor = aten::sort(%x, %s, %d, %b)\n  return (%v, %i)\n";
  for (const IntRange& r : cells_of(stable, {2, 1, 2}, {}).whole) EXPECT_TRUE(r.exact());
  const char* topk =
      "graph(%x : Tensor):\n  %k : int = prim::Constant[value=2]()\n"
      "  %d : int = prim::Constant[value=-1]()\n  %b : bool = prim::Constant[value=1]()\n"
      "  %v : Tensor, %i : Tensor = aten::topk(%x, %k, %d, %b, %b)\n  return (%v, %i)\n";
  c = cells_of(topk, {3, 1, 2, 2}, {});  // 3, and one of the twos
  EXPECT_TRUE(c.whole[0].exact());
  EXPECT_FALSE(c.whole[1].exact());
}

// The index of 2 in a sequence, taken by the order 1 0 2 3 where `sorter`; found without one too.
bool has_exact_position(const std::vector<double>& sequence, bool sorter = false) {
  const std::string ir = fmt::format(
      "graph(%x : Tensor):\n  %no : bool = prim::Constant[value=0]()\n"
      "  %none : NoneType = prim::Constant()\n  %two : int = prim::Constant[value=2]()\n"
      "  %one : int = prim::Constant[value=1]()\n  %nil : int = prim::Constant[value=0]()\n"
      "  %three : int = prim::Constant[value=3]()\n"
      "  %l : int[] = prim::ListConstruct(%one, %nil, %two, %three)\n"
      "  %o : Tensor = aten::tensor(%l, %none, %none, %no)\n"
      "  %y : Tensor = aten::searchsorted(%x, %two, %no, %no, %none, {})\n  return (%y)\n",
      sorter ? "%o" : "%none");
  EXPECT_TRUE(cells_of(ir.c_str(), sequence, {}, Shadow::Of::Ours).whole[0].exact());
  return cells_of(ir.c_str(), sequence, {}).whole[0].exact();
}

TEST(Contract, WhereAValueStandsInWhatIsNotSortedIsAnyones) {
  EXPECT_TRUE(has_exact_position({1, 1, 2, 3}));
  EXPECT_TRUE(has_exact_position({}));
  EXPECT_FALSE(has_exact_position({1, 3, 2, 3}));
  EXPECT_FALSE(has_exact_position({1, 2, 3, NAN}));
  EXPECT_TRUE(has_exact_position({2, 1, 3, 4}, true));
  EXPECT_FALSE(has_exact_position({1, 2, 3, 4}, true));
  const char* bucketize =
      "graph(%x : Tensor):\n  %no : bool = prim::Constant[value=0]()\n"
      "  %y : Tensor = aten::bucketize(%x, %x, %no, %no)\n  return (%y)\n";
  EXPECT_TRUE(cells_of(bucketize, {1, 2}, {}).whole[1].exact());
  EXPECT_FALSE(cells_of(bucketize, {2, 1}, {}).whole[1].exact());
}

// An operator whose body rounds more than once may be computed by other steps, in another order.
TEST(Contract, WhatABodyRoundsOftenOthersRoundOtherwise) {
  auto of_matrix = [](const char* call, Shadow::Of of) {
    const std::string ir = fmt::format(
        "graph(%x : Tensor):\n  %two : int = prim::Constant[value=2]()\n"
        "  %no : bool = prim::Constant[value=0]()\n  %yes : bool = prim::Constant[value=1]()\n"
        "  %mode : str = prim::Constant[value=\"reduced\"]()\n"
        "  %s : int[] = prim::ListConstruct(%two, %two)\n"
        "  %m : Tensor = aten::reshape(%x, %s)\n  {}\n",
        call);
    return cells_of(ir.c_str(), {0.3, 0.7, 0, 1.1}, {}, of, DType::F64);
  };
  const char* qr = "%q : Tensor, %r : Tensor = aten::linalg_qr(%m, %mode)\n  return (%r)";
  const Bounded ours = of_matrix(qr, Shadow::Of::Ours).real[0];
  const Bounded any = of_matrix(qr, Shadow::Of::Any).real[0];
  EXPECT_TRUE(ours.is_exact());
  EXPECT_TRUE(any.lo < ours.lo && ours.hi < any.hi && any.hi - any.lo < 1e-13);
  // Which pivot is the larger may depend on the steps before: then nothing is known.
  const char* solve = "%y : Tensor = aten::linalg_solve(%m, %m, %yes)\n  return (%y)";
  EXPECT_EQ(of_matrix(solve, Shadow::Of::Ours).real[0].lo, 1);
  EXPECT_THROW(of_matrix(solve, Shadow::Of::Any), Untrusted);
  // One rounding is everyone's.
  const char* outer = "%y : Tensor = aten::outer(%x, %x)\n  return (%y)";
  const Bounded once = of_matrix(outer, Shadow::Of::Any).real[1];
  EXPECT_EQ(once.lo, of_matrix(outer, Shadow::Of::Ours).real[1].lo);
  EXPECT_EQ(once.hi, of_matrix(outer, Shadow::Of::Ours).real[1].hi);
}

// A body that computes in double is run again for the operand's neighbours: close to the root of
// digamma a few ulp of the operand are many of the result. What is infinite stays the only answer.
TEST(Contract, WhatComputesInDoubleOthersComputeInTheOperandsPrecision) {
  auto of_one = [](const char* op, double x, DType dtype, Shadow::Of of) {
    const std::string ir =
        fmt::format("graph(%x : Tensor):\n  %y : Tensor = aten::{}(%x)\n  return (%y)\n", op);
    return cells_of(ir.c_str(), {x}, {}, of, dtype).real[0];
  };
  auto width = [](const Bounded& b) { return b.hi - b.lo; };
  const Bounded root = of_one("digamma", 1.4616, DType::F32, Shadow::Of::Any);
  EXPECT_GT(width(root), 4e-7);
  EXPECT_LT(width(root), 4e-6);
  EXPECT_LT(width(of_one("digamma", 1.4616, DType::F64, Shadow::Of::Any)), 2e-13);
  EXPECT_LT(width(of_one("digamma", 1.4616, DType::F32, Shadow::Of::Ours)), 1e-11);
  const Bounded end = of_one("erfinv", 1, DType::F32, Shadow::Of::Any);
  EXPECT_TRUE(end.lo == INFINITY && end.hi == INFINITY && !end.may_nan);
  // The same of matrices: R of a matrix of one column is its length, up to the sign.
  const char* qr =
      "graph(%x : Tensor):\n  %mode : str = prim::Constant[value=\"reduced\"]()\n"
      "  %one : int = prim::Constant[value=1]()\n"
      "  %m : Tensor = aten::unsqueeze(%x, %one)\n"
      "  %q : Tensor, %r : Tensor = aten::linalg_qr(%m, %mode)\n  return (%r)\n";
  const Bounded length = cells_of(qr, {3, 4}, {}, Shadow::Of::Any).real[0];
  EXPECT_TRUE(admits(length, -5 - 0x1p-21) && !admits(length, -5 - 0x1p-15));
}

// 1 + erf(x), and where a resize samples, round something greater than the result; 0 and -0 are
// equal to a minimum; a convolution's padding meets infinities or does not.
TEST(Contract, OtherUsualFormulasAreLegal) {
  const char* ndtr = "graph(%x : Tensor):\n  %y : Tensor = aten::special_ndtr(%x)\n  return (%y)\n";
  const double tail = 2.866515718791945e-07;  // of -5
  Bounded b = cells_of(ndtr, {-5}, {}).real[0];
  EXPECT_TRUE(admits(b, tail + 0x1p-24) && !admits(b, tail + 0x1p-20));
  // A recurrence rounds at each step, beyond the sixth degree others take a cosine, and terms may
  // overflow that the result does not show; a subnormal number may be taken for zero.
  auto chebyshev = [&](double x, int degree) {
    const std::string t = fmt::format(
        "graph(%x : Tensor):\n  %n : int = prim::Constant[value={}]()\n"
        "  %y : Tensor = aten::special_chebyshev_polynomial_t(%x, %n)\n  return (%y)\n",
        degree);
    return cells_of(t.c_str(), {x}, {}).real[0];
  };
  EXPECT_TRUE(admits(chebyshev(0.5, 4), -0.5 + 0x1p-21) && !admits(chebyshev(0.5, 4), -0.49));
  EXPECT_TRUE(admits(chebyshev(0.5, 7), NAN));
  EXPECT_TRUE(admits(chebyshev(3e16, 2), 1.8e33) && !admits(chebyshev(3e16, 2), INFINITY));
  EXPECT_TRUE(admits(chebyshev(1e19, 2), INFINITY));
  const char* k0 =
      "graph(%x : Tensor):\n  %y : Tensor = aten::special_modified_bessel_k0(%x)\n  return (%y)\n";
  EXPECT_TRUE(admits(cells_of(k0, {0x1p-149}, {}).real[0], INFINITY));
  EXPECT_FALSE(admits(cells_of(k0, {0x1p-120}, {}).real[0], INFINITY));
  const char* least =
      "graph(%x : Tensor):\n  %z : int = prim::Constant[value=0]()\n"
      "  %o : int = prim::Constant[value=1]()\n  %a : Tensor = aten::select(%x, %z, %z)\n"
      "  %b : Tensor = aten::select(%x, %z, %o)\n  %y : Tensor = aten::minimum(%a, %b)\n"
      "  return (%y)\n";
  EXPECT_TRUE(admits(cells_of(least, {0.0, -0.0}, {}).real[0], -0.0));
  EXPECT_FALSE(cells_of(least, {0.0, -0.0}, {}).real[0].zero_sign_known);
  EXPECT_TRUE(cells_of(least, {0.0, -0.0}, {}, Shadow::Of::Ours).real[0].zero_sign_known);
  EXPECT_TRUE(cells_of(least, {0.0, 1.0}, {}).real[0].zero_sign_known);
}

// Of three factors any two may come first: what their product loses where it underflows, or that it
// overflows, shows in the result. Where neither can be, nothing more is legal than before.
TEST(Contract, ProductsOfThreeMayBeTakenInAnyOrder) {
  auto product_bounds = [](const char* op, double a, double b, double value, Shadow::Of of) {
    const std::string ir = fmt::format(
        "graph(%x : Tensor):\n  %i : int = prim::Constant[value=0]()\n"
        "  %one : int = prim::Constant[value=1]()\n  %two : int = prim::Constant[value=2]()\n"
        "  %v : float = prim::Constant[value={}]()\n  %s : Tensor = aten::select(%x, %i, %i)\n"
        "  %a : Tensor = aten::select(%x, %i, %one)\n  %b : Tensor = aten::select(%x, %i, %two)\n"
        "  %y : Tensor = aten::{}(%s, %a, %b, %v)\n  return (%y)\n",
        value, op);
    return cells_of(ir.c_str(), {0, a, b}, {}, of).real[0];
  };
  // 0.4 of the least number is none of it, 364 times which is none, or 146 of it.
  const double least = 0x1p-149;
  Bounded b = product_bounds("addcmul", 0x1.999998p-76, 0x1p-75, 364, Shadow::Of::Any);
  EXPECT_TRUE(admits(b, 0) && admits(b, 146 * least) && !admits(b, 151 * least));
  b = product_bounds("addcmul", 0x1.999998p-76, 0x1p-75, 364, Shadow::Of::Ours);
  EXPECT_TRUE(!admits(b, 0) && admits(b, 146 * least));
  b = product_bounds("addcmul", 1e20, 1e20, 1e-10, Shadow::Of::Any);
  EXPECT_TRUE(admits(b, 1e30F) && admits(b, INFINITY) && !b.may_nan);
  b = product_bounds("addcmul", 3, 5, 7, Shadow::Of::Any);
  EXPECT_TRUE(admits(b, 105) && !admits(b, 105.0001));
  b = product_bounds("addcdiv", 0x1.999998p-76, 0x1p75, 364, Shadow::Of::Any);
  EXPECT_TRUE(admits(b, 0) && admits(b, 146 * least) && !admits(b, 151 * least));
  b = product_bounds("addcdiv", 6, 2, 7, Shadow::Of::Any);
  EXPECT_TRUE(admits(b, 21) && !admits(b, 21.00002));
  auto addr = [](double left, double right, double alpha) {
    const std::string ir = fmt::format(
        "graph(%x : Tensor):\n  %b : float = prim::Constant[value=0.]()\n"
        "  %a : float = prim::Constant[value={}]()\n  %z : int = prim::Constant[value=0]()\n"
        "  %o : int = prim::Constant[value=1]()\n  %two : int = prim::Constant[value=2]()\n"
        "  %l : Tensor = aten::slice(%x, %z, %z, %o, %o)\n"
        "  %r : Tensor = aten::slice(%x, %z, %o, %two, %o)\n"
        "  %y : Tensor = aten::addr(%l, %l, %r, %b, %a)\n  return (%y)\n",
        alpha);
    return cells_of(ir.c_str(), {left, right}, {}).real[0];
  };
  b = addr(0x1.999998p-76, 0x1p-75, 364);
  EXPECT_TRUE(admits(b, 0) && admits(b, 146 * least) && !admits(b, 600 * least));
  EXPECT_TRUE(admits(addr(1e20, 1e20, 1e-10), INFINITY));
  EXPECT_FALSE(admits(addr(3, 5, 7), 105.0001));
}

// The square that smooth_l1_loss divides by beta may underflow before it.
TEST(Contract, ASquareMayUnderflowBeforeItIsDivided) {
  const char* smooth =
      "graph(%x : Tensor):\n  %n : NoneType = prim::Constant()\n"
      "  %b : float = prim::Constant[value=1e-22]()\n"
      "  %r : int = prim::Constant[value=0]()\n"
      "  %z : Tensor = aten::zeros_like(%x, %n, %n, %n, %n, %n)\n"
      "  %y : Tensor = aten::smooth_l1_loss(%x, %z, %r, %b)\n  return (%y)\n";
  Bounded b = cells_of(smooth, {2e-23}, {}).real[0];
  EXPECT_TRUE(admits(b, 0) && admits(b, 2e-24F) && !admits(b, 2e-23F));
  b = cells_of(smooth, {2e-23}, {}, Shadow::Of::Ours).real[0];
  EXPECT_FALSE(admits(b, 2e-24F) && admits(b, 0));
}

// The norm of one number is its magnitude, or a root of its power, which is off by the logarithm of
// it and may overflow.
TEST(Contract, ANormOfOneNumberMayBeARootOfItsPower) {
  auto norm = [](double x, const char* power, DType dtype, Shadow::Of of = Shadow::Of::Any) {
    const std::string ir = fmt::format(
        "graph(%x : Tensor):\n  %p : float = prim::Constant[value={}]()\n"
        "  %y : Tensor = aten::norm(%x, %p)\n  return (%y)\n",
        power);
    return cells_of(ir.c_str(), {x}, {}, of, dtype).real[0];
  };
  const double far = 0x1.9406d0a57fbb8p+257;
  const Bounded b = norm(far, "3.", DType::F64);
  EXPECT_TRUE(admits(b, 0x1.9406d0a57fb72p+257) && !admits(b, far * (1 + 1e-12)));
  EXPECT_TRUE(admits(norm(5, "3.", DType::F32), 0x1.400002p+2));
  EXPECT_FALSE(admits(norm(5, "3.", DType::F32), 5.00002));
  EXPECT_TRUE(admits(norm(1e30, "3.", DType::F32), INFINITY));
  EXPECT_TRUE(norm(5, "3.", DType::F32, Shadow::Of::Ours).is_exact());
  for (const char* power : {"1.", "2.", "inf"})
    EXPECT_FALSE(admits(norm(5, power, DType::F32), 5.00001)) << power;
}

// The position that a grid samples is off by some ulp, which large elements show next to small
// ones; the nearest element is as it is.
TEST(Contract, AGridSamplesNextToItsPlaces) {
  auto sample_bounds = [](int mode) {
    const std::string ir = fmt::format(
        "graph(%x : Tensor):\n  %m : int = prim::Constant[value={}]()\n"
        "  %p : int = prim::Constant[value=0]()\n  %c : bool = prim::Constant[value=1]()\n"
        "  %one : int = prim::Constant[value=1]()\n  %two : int = prim::Constant[value=2]()\n"
        "  %s : int[] = prim::ListConstruct(%one, %one, %one, %two)\n"
        "  %i : Tensor = aten::reshape(%x, %s)\n  %h : float = prim::Constant[value=1e-10]()\n"
        "  %g : Tensor = aten::mul(%i, %h)\n"
        "  %y : Tensor = aten::grid_sampler_2d(%i, %g, %m, %p, %c)\n  return (%y)\n",
        mode);
    return cells_of(ir.c_str(), {0x1p+31, 3}, {}).real[0];
  };
  const Bounded between = sample_bounds(0);
  EXPECT_TRUE(between.hi - between.lo > 1000 && between.hi - between.lo < 100000);
  EXPECT_TRUE(sample_bounds(1).is_exact());
}

// PyTorch rounds the exponent in vector code and not behind it.
TEST(Contract, TheExponentOfAPowerIsRoundedOrNot) {
  const char* power =
      "graph(%x : Tensor):\n  %e : float = prim::Constant[value=-114.09844460422386]()\n"
      "  %y : Tensor = aten::pow(%x, %e)\n  return (%y)\n";
  const double x = 0x1.ffb0cp+0;
  Bounded b = cells_of(power, {x}, {}).real[0];
  EXPECT_TRUE(admits(b, 0x1.003296p-114) && admits(b, 0x1.0032b2p-114));
  EXPECT_FALSE(admits(b, 0x1.0031p-114) || admits(b, 0x1.0034p-114));
  EXPECT_FALSE(admits(cells_of(power, {x}, {}, Shadow::Of::Ours).real[0], 0x1.003296p-114));
}

// A norm of one element is its magnitude, or what its powers come to; a mean may be folded into the
// bias; reflections that make what they reflect longer overflow between the steps.
TEST(Contract, WhatOverflowsOrCancelsBetweenStepsIsLegal) {
  auto norm = [&](double x, double p) {
    const std::string t = fmt::format(
        "graph(%x : Tensor):\n  %p : float = prim::Constant[value={}]()\n"
        "  %d : int[] = prim::Constant[value=[0]]()\n  %k : bool = prim::Constant[value=0]()\n"
        "  %y : Tensor = aten::norm(%x, %p, %d, %k)\n  return (%y)\n",
        p);
    return cells_of(t.c_str(), {x}, {}).real[0];
  };
  EXPECT_TRUE(admits(norm(3, 0.001), 3) && admits(norm(3, 0.001), 3.0003));
  EXPECT_FALSE(admits(norm(3, 0.001), 3.1));
  EXPECT_TRUE(admits(norm(3, 1), 3) && !admits(norm(3, 1), 3.0003));
  EXPECT_TRUE(admits(norm(1e30, 2.0), INFINITY) && admits(norm(1e30, 2.0), 1e30F));
  EXPECT_FALSE(admits(norm(1e10, 2.0), INFINITY));
  const char* layer =
      "graph(%x : Tensor):\n  %n : int[] = prim::Constant[value=[2]]()\n"
      "  %o : NoneType = prim::Constant()\n  %e : float = prim::Constant[value=0.0]()\n"
      "  %f : bool = prim::Constant[value=0]()\n"
      "  %y : Tensor = aten::layer_norm(%x, %n, %o, %o, %e, %f)\n  return (%y)\n";
  Bounded b = cells_of(layer, {1000, 1002}, {}).real[0];  // the terms are about 1000
  EXPECT_TRUE(admits(b, -1.0001) && !admits(b, -1.003));
  b = cells_of(layer, {1, 3}, {}).real[0];
  EXPECT_TRUE(admits(b, -1.000001) && !admits(b, -1.0001));
  const char* none =
      "graph(%x : Tensor):\n  %z : int = prim::Constant[value=0]()\n"
      "  %one : int = prim::Constant[value=1]()\n  %s : int[] = prim::Constant[value=[1, 0]]()\n"
      "  %t : int[] = prim::Constant[value=[0, 1]]()\n  %nan : float = "
      "prim::Constant[value=nan]()\n"
      "  %e : Tensor = aten::slice(%x, %z, %z, %z, %one)\n"
      "  %a : Tensor = aten::reshape(%e, %s)\n  %b : Tensor = aten::reshape(%e, %t)\n"
      "  %y : Tensor = aten::addmm(%x, %a, %b, %one, %nan)\n  return (%y)\n";
  b = cells_of(none, {3}, {}).real[0];  // no terms, times nan
  EXPECT_TRUE(admits(b, 3) && admits(b, NAN) && !admits(b, 4));
  auto reflector_bounds = [&](double tau) {
    const char* orgqr =
        "graph(%x : Tensor):\n  %s : int[] = prim::Constant[value=[2, 1]]()\n"
        "  %z : int = prim::Constant[value=0]()\n  %two : int = prim::Constant[value=2]()\n"
        "  %one : int = prim::Constant[value=1]()\n  %three : int = prim::Constant[value=3]()\n"
        "  %v : Tensor = aten::slice(%x, %z, %z, %two, %one)\n"
        "  %m : Tensor = aten::reshape(%v, %s)\n"
        "  %t : Tensor = aten::slice(%x, %z, %two, %three, %one)\n"
        "  %y : Tensor = aten::orgqr(%m, %t)\n  return (%y)\n";
    return cells_of(orgqr, {0, 1e10, tau}, {}).real[0];
  };
  EXPECT_TRUE(admits(reflector_bounds(1e20), NAN));
  EXPECT_TRUE(admits(reflector_bounds(0.5), 0.5) && !admits(reflector_bounds(0.5), NAN));
}

}  // namespace
}  // namespace fusillade::fuzz
