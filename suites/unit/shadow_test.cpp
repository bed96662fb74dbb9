// The shadow against legal implementations written out here: sums, products and matrix products in
// random association with fused multiply-adds lie inside the bounds; values off by more do not;
// NaN, infinities, views and in-place writes are followed; control flow that depends on rounding is
// refused.
#include "fuzz/run/shadow.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/tensor/random.h"
#include "fuzz/case/case.h"
#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {
namespace {

struct Draw {
  uint64_t seed;
  uint64_t at = 0;
  uint64_t below(uint64_t n) { return random_bits(seed, at++)[0] % n; }
  double normal() { return random_normal(seed, at++); }
};

// The shadow of one run, and what eager gave.
struct Shadowed {
  Shadow shadow;
  std::vector<IValue> outputs;
  Shadowed(const char* program, const std::vector<IValue>& inputs, Shadow::Of of = Shadow::Of::Ours)
      : shadow(of) {
    std::unique_ptr<Graph> graph = parse_graph(program);
    outputs = shadow.run(*graph, inputs);
  }
  // Would `value` be legal in element i of the first output?
  bool legal(double value, int64_t i = 0) {
    Tensor t = outputs[0].as_tensor();
    Tensor other = contiguous(t, true);
    set_element(other, i, value);
    Verdict v;
    return shadow.admits(IValue(t), IValue(other), "out", v);
  }
  Bounded set(int64_t i = 0) {
    Tensor t = outputs[0].as_tensor();
    return shadow.cells(t).real[static_cast<size_t>(t.offset() + i)];
  }
};

Tensor tensor(const Dims& sizes, const std::vector<double>& values, DType dtype = DType::F32) {
  Tensor t = Tensor::zeros(sizes, dtype);
  for (size_t i = 0; i < values.size(); ++i) set_element(t, static_cast<int64_t>(i), values[i]);
  return t;
}

// Adds the terms in random order and association.
template <class T>
T random_sum(std::vector<T> terms, Draw& d) {
  if (terms.empty()) return 0;
  while (terms.size() > 1) {
    size_t a = d.below(terms.size());
    T x = terms[a];
    terms.erase(terms.begin() + static_cast<long>(a));
    terms[d.below(terms.size())] += x;
  }
  return terms[0];
}

template <class T>
T random_product(std::vector<T> terms, Draw& d) {
  if (terms.empty()) return 1;
  while (terms.size() > 1) {
    size_t a = d.below(terms.size());
    T x = terms[a];
    terms.erase(terms.begin() + static_cast<long>(a));
    terms[d.below(terms.size())] *= x;
  }
  return terms[0];
}

// A dot product whose partial sums take products fused or rounded, at random.
template <class T>
T random_dot(const std::vector<T>& a, const std::vector<T>& b, Draw& d) {
  std::vector<T> lanes(1 + d.below(4), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    T& acc = lanes[d.below(lanes.size())];
    acc = d.below(2) ? std::fma(a[i], b[i], acc) : static_cast<T>(a[i] * b[i]) + acc;
  }
  return random_sum(lanes, d);
}

double value_of(Draw& d, int kind) {
  double v = d.normal();
  if (kind == 1) v = std::ldexp(v, static_cast<int>(d.below(30)) - 15);
  if (kind == 2) v = static_cast<double>(static_cast<int64_t>(v * 4));
  return static_cast<double>(static_cast<float>(v));
}

constexpr const char* kSum =
    "graph(%x : Tensor):\n  %d : NoneType = prim::Constant()\n"
    "  %s : Tensor = aten::sum(%x, %d)\n  return (%s)\n";
constexpr const char* kProd =
    "graph(%x : Tensor):\n  %d : NoneType = prim::Constant()\n"
    "  %s : Tensor = aten::prod(%x, %d)\n  return (%s)\n";
constexpr const char* kMm =
    "graph(%x : Tensor, %y : Tensor):\n  %s : Tensor = aten::mm(%x, %y)\n  return (%s)\n";

template <class T>
void sums_hold(DType dtype) {
  Draw d{1};
  int tight = 0;
  for (int i = 0; i < 400; ++i) {
    size_t n = d.below(200);
    std::vector<double> v(n);
    for (double& x : v) x = value_of(d, i % 3);
    Shadowed s(kSum, {tensor({static_cast<int64_t>(n)}, v, dtype)});
    for (int k = 0; k < 20; ++k) {
      T got = random_sum(std::vector<T>(v.begin(), v.end()), d);
      ASSERT_TRUE(s.legal(static_cast<double>(got))) << fmt::format("{:a} of {} terms", got, n);
    }
    tight += is_tight(s.set());
    double off = element_as_double(s.outputs[0].as_tensor(), 0);
    ASSERT_FALSE(s.legal(off + std::max(1.0, std::fabs(off)) * 0.5 + 1));
  }
  EXPECT_GT(tight, 300);
}

TEST(Shadow, SumsInAnyOrder) {
  sums_hold<float>(DType::F32);
  sums_hold<double>(DType::F64);
}

TEST(Shadow, ProductsInAnyOrder) {
  Draw d{2};
  for (int i = 0; i < 400; ++i) {
    size_t n = d.below(60);
    std::vector<double> v(n);
    for (double& x : v) x = value_of(d, i % 3);
    if (i % 7 == 0 && n) v[0] = 0;
    Shadowed s(kProd, {tensor({static_cast<int64_t>(n)}, v)});
    for (int k = 0; k < 20; ++k) {
      float got = random_product(std::vector<float>(v.begin(), v.end()), d);
      ASSERT_TRUE(s.legal(static_cast<double>(got))) << fmt::format("{:a} of {} terms", got, n);
    }
  }
}

TEST(Shadow, MatrixProductsInAnyOrderWithFma) {
  Draw d{3};
  for (int i = 0; i < 200; ++i) {
    int64_t k = static_cast<int64_t>(d.below(70));
    std::vector<double> a(static_cast<size_t>(k)), b(static_cast<size_t>(k));
    for (double& x : a) x = value_of(d, i % 3);
    for (double& x : b) x = value_of(d, i % 3);
    Shadowed s(kMm, {tensor({1, k}, a), tensor({k, 1}, b)});
    for (int t = 0; t < 20; ++t) {
      float got = random_dot(std::vector<float>(a.begin(), a.end()),
                             std::vector<float>(b.begin(), b.end()), d);
      ASSERT_TRUE(s.legal(static_cast<double>(got))) << fmt::format("{:a} of {} terms", got, k);
    }
    double off = element_as_double(s.outputs[0].as_tensor(), 0);
    ASSERT_FALSE(s.legal(off + std::max(1.0, std::fabs(off)) + 1));
  }
}

TEST(Shadow, SumThatCancelsIsNotTight) {
  Shadowed s(kSum, {tensor({3}, {1e8, 1, -1e8})});
  EXPECT_TRUE(s.legal(1));
  EXPECT_TRUE(s.legal(0));
  EXPECT_FALSE(is_tight(s.set()));
  EXPECT_FALSE(s.legal(1000));
}

TEST(Shadow, SumsOfInfinitiesAndNan) {
  EXPECT_FALSE(Shadowed(kSum, {tensor({2}, {INFINITY, 1})}).legal(1e38));
  EXPECT_TRUE(Shadowed(kSum, {tensor({2}, {INFINITY, 1})}).legal(INFINITY));
  EXPECT_FALSE(Shadowed(kSum, {tensor({2}, {INFINITY, -INFINITY})}).legal(0));
  EXPECT_TRUE(Shadowed(kSum, {tensor({2}, {INFINITY, -INFINITY})}).legal(NAN));
  EXPECT_FALSE(Shadowed(kSum, {tensor({2}, {NAN, 1})}).legal(1));
  // Either order may overflow on the way.
  Shadowed s(kSum, {tensor({3}, {3e38, 3e38, -3e38})});
  EXPECT_TRUE(s.legal(INFINITY));
  EXPECT_TRUE(s.legal(static_cast<double>(3e38f)));
}

TEST(Shadow, SumsSoFar) {
  const auto along = [](int dim) {
    return fmt::format(
        "graph(%x : Tensor):\n  %d : int = prim::Constant[value={}]()\n"
        "  %n : NoneType = prim::Constant()\n"
        "  %s : Tensor = aten::cumsum(%x, %d, %n)\n  return (%s)\n",
        dim);
  };
  Shadowed s(along(1).c_str(), {tensor({2, 3}, {1, 0.1, 1e-8, 4, NAN, 6})});
  EXPECT_TRUE(s.legal(1, 0));
  EXPECT_FALSE(s.legal(1.0000001, 0));  // of one term
  EXPECT_TRUE(s.legal(static_cast<double>(1.1f), 1));
  EXPECT_FALSE(s.legal(1.2, 1));
  EXPECT_TRUE(s.legal(4, 3));
  EXPECT_FALSE(s.legal(10, 5));  // a NaN stays
  EXPECT_TRUE(s.legal(NAN, 5));
  Shadowed down(along(0).c_str(), {tensor({2, 3}, {1, 2, 3, 4, 5, 6}, DType::I32)});
  EXPECT_TRUE(down.legal(2, 1));
  EXPECT_TRUE(down.legal(7, 4));
  EXPECT_FALSE(down.legal(3, 1));
  EXPECT_FALSE(down.legal(8, 4));
  EXPECT_TRUE(Shadowed(along(0).c_str(), {tensor({}, {2})}).legal(2));
}

// Ours holds them wider than they are stored, others need not.
TEST(Shadow, SumsAndProductsSoFarAreKeptWider) {
  const auto scan = [](const char* name) {
    return fmt::format(
        "graph(%x : Tensor):\n  %d : int = prim::Constant[value=0]()\n"
        "  %n : NoneType = prim::Constant()\n"
        "  %s : Tensor = aten::{}(%x, %d, %n)\n  return (%s)\n",
        name);
  };
  const Tensor terms = tensor({4}, {1, 5e-8, 5e-8, 5e-8});
  const double sum = 1 + 3 * static_cast<double>(5e-8f);
  const Tensor factors = tensor({12}, std::vector<double>(12, 1.1));
  double exact = 1;
  float rounded = 1;
  for (int i = 0; i < 12; ++i) exact *= static_cast<double>(1.1f), rounded *= 1.1f;
  const double product = static_cast<double>(static_cast<float>(exact)), in_floats{rounded};
  ASSERT_NE(product, in_floats);
  for (const Shadow::Of of : {Shadow::Of::Ours, Shadow::Of::Any, Shadow::Of::AnyHalf}) {
    const bool others = of != Shadow::Of::Ours;
    Shadowed sums(scan("cumsum").c_str(), {terms}, of);
    EXPECT_TRUE(sums.legal(static_cast<double>(static_cast<float>(sum)), 3));
    EXPECT_EQ(sums.legal(1, 3), others);
    Shadowed products(scan("cumprod").c_str(), {factors}, of);
    EXPECT_TRUE(products.legal(product, 11));
    EXPECT_EQ(products.legal(in_floats, 11), others);
    EXPECT_FALSE(products.legal(product * 1.00001, 11));
    EXPECT_EQ(Shadowed(scan("cumprod").c_str(), {tensor({3}, {1e30, 1e30, 1e-30})}, of)
                  .legal(INFINITY, 2),
              others);
    EXPECT_EQ(Shadowed(scan("cumprod").c_str(), {Tensor::zeros({0}, DType::F32)}, of)
                  .outputs[0]
                  .as_tensor()
                  .numel(),
              0);
  }
  const Tensor halves = tensor({12}, std::vector<double>(12, 0.99), DType::BF16);
  for (const Shadow::Of of : {Shadow::Of::Ours, Shadow::Of::AnyHalf}) {
    Shadowed s(scan("cumprod").c_str(), {halves}, of);
    EXPECT_TRUE(s.legal(0x1.bcp-1, 11));
    EXPECT_EQ(s.legal(0x1.b8p-1, 11), of == Shadow::Of::AnyHalf);  // rounded at each step
  }
}

TEST(Shadow, ExtremaDoNotRound) {
  Shadowed s(
      "graph(%x : Tensor):\n  %d : int[] = prim::Constant[value=[0]]()\n"
      "  %f : bool = prim::Constant[value=0]()\n  %s : Tensor = aten::amax(%x, %d, %f)\n  return "
      "(%s)\n",
      {tensor({3}, {1, 5, 2})});
  EXPECT_TRUE(s.legal(5));
  EXPECT_FALSE(s.legal(std::nextafterf(5, 6)));
}

// Which of two products that overlap is the greater is not known; how great the greatest is, is.
TEST(Shadow, ExtremaOfInexactOnesAreTight) {
  const std::string program =
      "graph(%x : Tensor):\n  %d : int[] = prim::Constant[value=[0]]()\n"
      "  %f : bool = prim::Constant[value=0]()\n  %y : Tensor = aten::exp(%x)\n"
      "  %s : Tensor = aten::amax(%y, %d, %f)\n  return (%s)\n";
  const double values[] = {0.5, 1, std::nextafterf(1, 2), -3, 1};
  for (const bool most : {true, false}) {
    std::string text = program;
    if (!most) text.replace(text.find("amax"), 4, "amin");
    Shadowed s(text.c_str(), {tensor({5}, {std::begin(values), std::end(values)})});
    EXPECT_TRUE(is_tight(s.set()));
    EXPECT_TRUE(s.legal(std::exp(most ? 1.0f : -3.0f)));
    EXPECT_FALSE(s.legal(std::exp(0.5f)));
  }
}

TEST(Shadow, NanIsFollowedThroughArithmetic) {
  const char* program =
      "graph(%x : Tensor, %y : Tensor):\n  %a : Tensor = aten::mul(%x, %y)\n  return (%a)\n";
  Shadowed s(program, {tensor({4}, {INFINITY, NAN, 1, 0}), tensor({4}, {0, 1, 2, 3})});
  EXPECT_TRUE(s.legal(NAN, 0));
  EXPECT_FALSE(s.legal(0, 0));
  EXPECT_FALSE(s.legal(1, 1));
  EXPECT_FALSE(s.legal(NAN, 2));
  EXPECT_TRUE(s.legal(2, 2));
}

// A write through a view is seen through its base and through another view of it.
TEST(Shadow, InPlaceThroughViews) {
  const char* program = R"(graph(%x : Tensor):
  %0 : int = prim::Constant[value=0]()
  %1 : int = prim::Constant[value=1]()
  %2 : int = prim::Constant[value=2]()
  %row : Tensor = aten::select(%x, %0, %1)
  %column : Tensor = aten::select(%x, %1, %0)
  %w : Tensor = aten::mul_(%row, %2)
  return (%column)
)";
  Tensor x = tensor({2, 2}, {1, 2, 3, 4});
  Shadowed s(program, {x});
  Verdict v;
  Tensor right = tensor({2}, {1, 6});
  Tensor stale = tensor({2}, {1, 3});
  EXPECT_TRUE(s.shadow.admits(s.outputs[0], IValue(right), "column", v));
  EXPECT_FALSE(s.shadow.admits(s.outputs[0], IValue(stale), "column", v));
  EXPECT_EQ(v.kind, VerdictKind::Mismatch);
  Verdict of_input;
  EXPECT_FALSE(s.shadow.admits(IValue(x), IValue(tensor({2, 2}, {1, 2, 3, 4})), "x", of_input));
  Verdict fine;
  EXPECT_TRUE(s.shadow.admits(IValue(x), IValue(tensor({2, 2}, {1, 2, 6, 8})), "x", fine));
}

// Uncertainty survives data movement: what a sum left unsure stays unsure after cat, permute and a
// view.
TEST(Shadow, MovementCarriesBounds) {
  const char* program = R"(graph(%x : Tensor):
  %n : NoneType = prim::Constant()
  %0 : int = prim::Constant[value=0]()
  %s : Tensor = aten::sum(%x, %n)
  %u : Tensor = aten::unsqueeze(%s, %0)
  %l : Tensor[] = prim::ListConstruct(%x, %u)
  %c : Tensor = aten::cat(%l, %0)
  return (%c)
)";
  Shadowed s(program, {tensor({3}, {1e8, 1, -1e8})});
  EXPECT_FALSE(s.legal(2, 1));
  EXPECT_TRUE(s.legal(0, 3));
  EXPECT_TRUE(s.legal(1, 3));
}

constexpr const char* kBranch = R"(graph(%x : Tensor):
  %n : NoneType = prim::Constant()
  %0 : float = prim::Constant[value=0.5]()
  %s : Tensor = aten::sum(%x, %n)
  %c : Tensor = aten::gt(%s, %0)
  %b : bool = aten::Bool(%c)
  %r : Tensor = prim::If(%b)
    block0():
      -> (%x)
    block1():
      -> (%s)
  return (%r)
)";

TEST(Shadow, ControlFlowOnRoundingIsUntrusted) {
  EXPECT_THROW(Shadowed(kBranch, {tensor({3}, {1e8, 1, -1e8})}), Untrusted);
  EXPECT_NO_THROW(Shadowed(kBranch, {tensor({3}, {1, 2, 3})}));
}

TEST(Shadow, SizesOnRoundingAreUntrusted) {
  const char* program = R"(graph(%x : Tensor):
  %n : NoneType = prim::Constant()
  %s : Tensor = aten::sum(%x, %n)
  %i : int = aten::Int(%s)
  %l : int[] = prim::ListConstruct(%i)
  %z : Tensor = aten::zeros(%l, %n, %n, %n, %n)
  return (%z)
)";
  EXPECT_THROW(Shadowed(program, {tensor({3}, {1e8, 1, -1e8})}), Untrusted);
  EXPECT_EQ(Shadowed(program, {tensor({2}, {1, 2}, DType::I64)}).outputs[0].as_tensor().numel(), 3);
}

TEST(Shadow, GeometryMustAgree) {
  Shadowed s(kSum, {tensor({2}, {1, 2})});
  Verdict v;
  EXPECT_FALSE(s.shadow.admits(s.outputs[0], IValue(tensor({1}, {3})), "out", v));
  EXPECT_EQ(v.reason, "shape");
  Verdict w;
  EXPECT_FALSE(s.shadow.admits(s.outputs[0], IValue(tensor({}, {3}, DType::F64)), "out", w));
  EXPECT_EQ(w.reason, "dtype");
}

// Half-precision results may be one rounding away in the compute type, never two.
TEST(Shadow, HalvesRoundOnce) {
  const char* program =
      "graph(%x : Tensor, %y : Tensor):\n  %a : Tensor = aten::mul(%x, %y)\n  return (%a)\n";
  Shadowed s(program,
             {tensor({1}, {1.0009765625}, DType::F16), tensor({1}, {1.0009765625}, DType::F16)});
  EXPECT_TRUE(s.legal(1.001953125));
  EXPECT_FALSE(s.legal(1.0029296875));
  EXPECT_FALSE(s.legal(1.0));
}

TEST(Shadow, IntegersAreExact) {
  const char* program =
      "graph(%x : Tensor, %y : Tensor):\n  %a : Tensor = aten::floor_divide(%x, %y)\n  return "
      "(%a)\n";
  Shadowed s(program, {tensor({2}, {-7, 7}, DType::I32), tensor({2}, {2, -2}, DType::I32)});
  EXPECT_TRUE(s.legal(-4, 0));
  EXPECT_FALSE(s.legal(-3, 0));
  EXPECT_FALSE(s.legal(-3, 1));
}

}  // namespace
}  // namespace fusillade::fuzz
