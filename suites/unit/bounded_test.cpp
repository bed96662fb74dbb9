// Bounded against evaluation: whatever a correct float or double implementation may give for
// operands inside the sets lies inside the resulting set. The reference is long double, rounded
// once, and libm's own result; wider operands give wider results; and the sets stay narrow enough
// to find errors.
#include "engine/scalar/bounded.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/scalar/half_steps.h"
#include "engine/scalar/native.h"
#include "engine/tensor/random.h"

namespace fusillade {
namespace {

struct Draw {
  uint64_t seed;
  uint64_t at = 0;
  uint64_t bits() {
    auto r = random_bits(seed, at++);
    return r[0] | static_cast<uint64_t>(r[1]) << 32;
  }
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
};

constexpr double kSpecial[] = {
    0.0,    -0.0,   1,    -1,    0.5,   -0.5,     1.5,          2,        -2,        2.5,
    3,      -3,     10,   88.5,  -104,  709.5,    1e-3,         M_PI,     -M_PI / 2, 1e-40,
    -1e-45, 1e-310, 3e38, -3e38, 1e300, 16777217, 4294967296.0, INFINITY, -INFINITY, NAN};

// A value of the precision: special, of ordinary size, or of any size.
double draw_value(Draw& d, Model m) {
  uint64_t kind = d.bits() % 8;
  double v = 0;
  if (kind < 2) v = kSpecial[d.bits() % std::size(kSpecial)];
  else if (kind < 6) v = (d.unit() - 0.5) * 20;
  else v = std::ldexp(d.unit() - 0.5, static_cast<int>(d.bits() % 160) - 80);
  return m == Model::F32 ? static_cast<double>(static_cast<float>(v)) : v;
}

double neighbour(double x, Model m, int steps) {
  for (; steps > 0; --steps) {
    x = m == Model::F32 ? static_cast<double>(std::nextafterf(static_cast<float>(x), INFINITY))
                        : std::nextafter(x, INFINITY);
  }
  return x;
}

// A set that holds `v`, and how wide.
Bounded around(Draw& d, double v, Model m) {
  if (std::isnan(v)) return d.bits() % 2 ? Bounded::exact(v) : Bounded::range(-1, 1, true);
  uint64_t kind = d.bits() % 4;
  if (kind == 0) return Bounded::exact(v);
  if (kind == 1)
    return Bounded::range(v, neighbour(v, m, static_cast<int>(d.bits() % 8)), d.bits() % 2);
  double radius = std::fabs(v) * d.unit() + (kind == 3 ? d.unit() * 4 : 0);
  double lo = v - radius;
  double hi = v + radius;
  if (m == Model::F32) {
    lo = std::min(v, static_cast<double>(static_cast<float>(lo)));
    hi = std::max(v, static_cast<double>(static_cast<float>(hi)));
  }
  if (std::isnan(lo) || std::isnan(hi)) return Bounded::exact(v);
  return Bounded::range(lo, hi, d.bits() % 8 == 0);
}

std::string text(const Bounded& b) {
  return fmt::format("[{:a}, {:a}]{}{}", b.lo, b.hi, b.may_nan ? " nan?" : "",
                     b.must_nan ? " nan" : "");
}

double round_to_model(long double v, Model m) {
  return m == Model::F32 ? static_cast<double>(static_cast<float>(v)) : static_cast<double>(v);
}

template <class T>
T native_of(double v) {
  return T::of(static_cast<decltype(T::v)>(v));
}

struct Unary {
  const char* name;
  Bounded (*bounded)(Bounded);
  Native<float> (*single)(Native<float>);
  Native<double> (*twice)(Native<double>);
  long double (*wide)(long double);
};
#define ROW(f, op)                                                                \
  Unary{#f, [](Bounded a) { return f(a); }, [](Native<float> a) { return f(a); }, \
        [](Native<double> a) { return f(a); },                                    \
        [](long double a) -> long double { return wide_##f(a); }},
#define WIDE(f) \
  long double wide_##f(long double x) { return ::f##l(x); }
long double wide_abs(long double x) { return fabsl(x); }
WIDE(floor)
WIDE(ceil)
WIDE(trunc)
WIDE(rint)
WIDE(sqrt)
WIDE(exp)
WIDE(exp2)
WIDE(expm1)
WIDE(log)
WIDE(log1p)
WIDE(log2)
WIDE(log10)
WIDE(sin)
WIDE(cos)
WIDE(tan)
WIDE(asin)
WIDE(acos)
WIDE(atan)
WIDE(sinh)
WIDE(cosh)
WIDE(tanh)
WIDE(asinh)
WIDE(erf)
WIDE(erfc)
long double wide_erfcx(long double x) { return libm::erfcx(x); }
long double wide_lgamma(long double x) {
  int sign;
  return lgammal_r(x, &sign);
}
const Unary kUnary[] = {FUS_SCALAR_UNARY(ROW)};

struct Binary {
  const char* name;
  Bounded (*bounded)(Bounded, Bounded);
  Native<float> (*single)(Native<float>, Native<float>);
  Native<double> (*twice)(Native<double>, Native<double>);
  long double (*wide)(long double, long double);
};
#define PAIR(name, expression, wide)                                    \
  Binary{name, [](Bounded a, Bounded b) { return expression; },         \
         [](Native<float> a, Native<float> b) { return expression; },   \
         [](Native<double> a, Native<double> b) { return expression; }, \
         [](long double a, long double b) { return wide; }},
const Binary kBinary[] = {
    PAIR("add", a + b, a + b) PAIR("sub", a - b, a - b) PAIR("mul", a* b, a* b)
        PAIR("div", a / b, a / b) PAIR("pow", pow(a, b), powl(a, b))
            PAIR("atan2", atan2(a, b), atan2l(a, b)) PAIR("fmod", fmod(a, b), fmodl(a, b))};

constexpr Model kModels[] = {Model::F32, Model::F64};
constexpr int kTrials = 40000;

class UnaryTest : public testing::TestWithParam<Unary> {};

TEST_P(UnaryTest, HoldsEveryLegalResult) {
  const Unary& f = GetParam();
  for (Model m : kModels) {
    Precision precision(m);
    Draw d{1};
    for (int i = 0; i < kTrials; ++i) {
      double x = draw_value(d, m);
      Bounded in = around(d, x, m);
      ASSERT_TRUE(admits(in, x));
      Bounded set = f.bounded(in);
      double libm = m == Model::F32 ? static_cast<double>(f.single(native_of<Native<float>>(x)).v)
                                    : f.twice(native_of<Native<double>>(x)).v;
      ASSERT_TRUE(admits(set, libm)) << f.name << fmt::format("({:a}) = {:a} not in ", x, libm)
                                     << text(set) << " from " << text(in);
      double exact = round_to_model(f.wide(x), m);
      ASSERT_TRUE(admits(set, exact))
          << f.name << fmt::format("({:a}) = {:a} exactly, not in ", x, exact) << text(set)
          << " from " << text(in);
    }
  }
}

TEST_P(UnaryTest, WiderInWiderOut) {
  const Unary& f = GetParam();
  for (Model m : kModels) {
    Precision precision(m);
    Draw d{2};
    for (int i = 0; i < kTrials / 4; ++i) {
      double x = draw_value(d, m);
      if (std::isnan(x)) continue;
      Bounded in = around(d, x, m);
      Bounded out = f.bounded(in);
      Bounded point = f.bounded(Bounded::exact(x));
      if (point.must_nan) {
        ASSERT_TRUE(out.may_nan) << f.name << text(in);
      } else {
        // A point may be known exactly where an interval is rounded outward, never the other way
        // round.
        ASSERT_LE(out.lo, point.lo) << f.name << text(in) << fmt::format(" x={:a}", x);
        ASSERT_GE(out.hi, point.hi) << f.name << text(in) << fmt::format(" x={:a}", x);
      }
    }
  }
}

TEST_P(UnaryTest, PointsAreTight) {
  const Unary& f = GetParam();
  for (Model m : kModels) {
    Precision precision(m);
    Draw d{3};
    int tight = 0;
    for (int i = 0; i < 1000; ++i) {
      double x = round_to_model(d.unit() * 4 + 2.5, m);
      if (std::isnan(f.wide(x))) x = round_to_model(d.unit() * 0.9, m);
      tight += is_tight(f.bounded(Bounded::exact(x)));
    }
    EXPECT_GT(tight, 990) << f.name;
  }
}

std::string name_of_operator(const testing::TestParamInfo<Unary>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Bounded, UnaryTest, testing::ValuesIn(kUnary), name_of_operator);

class BinaryTest : public testing::TestWithParam<Binary> {};

TEST_P(BinaryTest, HoldsEveryLegalResult) {
  const Binary& f = GetParam();
  for (Model m : kModels) {
    Precision precision(m);
    Draw d{4};
    for (int i = 0; i < 2 * kTrials; ++i) {
      double x = draw_value(d, m);
      double y = draw_value(d, m);
      Bounded a = around(d, x, m);
      Bounded b = around(d, y, m);
      Bounded set = f.bounded(a, b);
      double libm = m == Model::F32
                        ? static_cast<double>(
                              f.single(native_of<Native<float>>(x), native_of<Native<float>>(y)).v)
                        : f.twice(native_of<Native<double>>(x), native_of<Native<double>>(y)).v;
      ASSERT_TRUE(admits(set, libm))
          << f.name << fmt::format("({:a}, {:a}) = {:a} not in ", x, y, libm) << text(set)
          << " from " << text(a) << text(b);
      // A long double rounds twice on its way to double, so it refers to float only where half an
      // ulp counts.
      bool basic = f.name == std::string("add") || f.name == std::string("sub") ||
                   f.name == std::string("mul") || f.name == std::string("div");
      if (basic && m == Model::F64) continue;
      double exact = round_to_model(f.wide(x, y), m);
      ASSERT_TRUE(admits(set, exact))
          << f.name << fmt::format("({:a}, {:a}) = {:a} exactly, not in ", x, y, exact) << text(set)
          << " from " << text(a) << text(b);
    }
  }
}

// A point known exactly may be narrower than the interval around it, never outside of it.
TEST_P(BinaryTest, WiderInWiderOut) {
  const Binary& f = GetParam();
  for (Model m : kModels) {
    Precision precision(m);
    Draw d{5};
    for (int i = 0; i < kTrials / 2; ++i) {
      double x = draw_value(d, m);
      double y = draw_value(d, m);
      if (std::isnan(x) || std::isnan(y)) continue;
      Bounded a = around(d, x, m);
      Bounded b = around(d, y, m);
      Bounded out = f.bounded(a, b);
      Bounded point = f.bounded(Bounded::exact(x), Bounded::exact(y));
      if (point.must_nan) {
        ASSERT_TRUE(out.may_nan) << f.name << text(a) << text(b);
      } else {
        ASSERT_LE(out.lo, point.lo)
            << f.name << text(a) << text(b) << fmt::format(" {:a} {:a}", x, y);
        ASSERT_GE(out.hi, point.hi)
            << f.name << text(a) << text(b) << fmt::format(" {:a} {:a}", x, y);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bounded, BinaryTest, testing::ValuesIn(kBinary),
                         [](const auto& info) { return std::string(info.param.name); });

bool allows(Tri t, bool answer) { return t == Tri::Unsure || (t == Tri::Yes) == answer; }

TEST(Bounded, ComparisonsNeverDecideWrongly) {
  Draw d{6};
  int decided = 0;
  for (int i = 0; i < kTrials; ++i) {
    double x = draw_value(d, Model::F64);
    double y = i % 3 ? draw_value(d, Model::F64) : x;
    Bounded a = around(d, x, Model::F64);
    Bounded b = around(d, y, Model::F64);
    ASSERT_TRUE(allows(a < b, x < y)) << text(a) << text(b);
    ASSERT_TRUE(allows(a <= b, x <= y)) << text(a) << text(b);
    ASSERT_TRUE(allows(a > b, x > y)) << text(a) << text(b);
    ASSERT_TRUE(allows(a >= b, x >= y)) << text(a) << text(b);
    ASSERT_TRUE(allows(a == b, x == y)) << text(a) << text(b);
    ASSERT_TRUE(allows(a != b, x != y)) << text(a) << text(b);
    decided += (a < b) != Tri::Unsure;
    Bounded chosen = select(a < b, a, b);
    ASSERT_TRUE(admits(chosen, x < y ? x : y)) << text(a) << text(b) << text(chosen);
  }
  EXPECT_GT(decided, kTrials / 4);
}

// `x != x` is how formulas ask for NaN: an inexact number is no NaN, whatever it is.
TEST(Bounded, ANumberEqualsItself) {
  const auto greater = [](Bounded a, Bounded b) {
    return select(a != a, a, select(b != b, b, select(a < b, b, a)));
  };
  const Bounded x = Bounded::range(1, 2), y = Bounded::range(3, 4), any = Bounded::all();
  EXPECT_EQ(x == x, Tri::Yes);
  EXPECT_EQ(any == any, Tri::Unsure);
  const Bounded same = Bounded::range(1, 2);
  EXPECT_EQ(x == same, Tri::Unsure);
  EXPECT_EQ(greater(x, y).lo, 3);
  EXPECT_EQ(greater(y, x).hi, 4);
  EXPECT_TRUE(greater(any, x).may_nan);
}

TEST(Bounded, ThreeValuedLogic) {
  constexpr Tri all[] = {Tri::No, Tri::Yes, Tri::Unsure};
  for (Tri a : all) {
    for (Tri b : all) {
      for (bool x : {false, true}) {
        for (bool y : {false, true}) {
          if (!allows(a, x) || !allows(b, y)) continue;
          EXPECT_TRUE(allows(a & b, x && y));
          EXPECT_TRUE(allows(a | b, x || y));
          EXPECT_TRUE(allows(!a, !x));
        }
      }
    }
  }
  EXPECT_EQ(Tri::Yes & Tri::Yes, Tri::Yes);
  EXPECT_EQ(Tri::No & Tri::Unsure, Tri::No);
  EXPECT_EQ(Tri::Yes | Tri::Unsure, Tri::Yes);
}

// a * b + c with one rounding, and with two, both lie inside.
TEST(Bounded, ContractionStaysInside) {
  for (Model m : kModels) {
    Precision precision(m);
    Draw d{7};
    for (int i = 0; i < kTrials; ++i) {
      double x = draw_value(d, m), y = draw_value(d, m);
      double z = i % 2 ? draw_value(d, m)
                       : -round_to_model(static_cast<long double>(x) * y, m);  // cancellation
      Bounded set = Bounded::exact(x) * Bounded::exact(y) + Bounded::exact(z);
      double once = m == Model::F32
                        ? static_cast<double>(fmaf(static_cast<float>(x), static_cast<float>(y),
                                                   static_cast<float>(z)))
                        : std::fma(x, y, z);
      double twice = round_to_model(
          static_cast<long double>(round_to_model(static_cast<long double>(x) * y, m)) + z, m);
      ASSERT_TRUE(admits(set, once))
          << fmt::format("fma({:a}, {:a}, {:a}) = {:a} ", x, y, z, once) << text(set);
      ASSERT_TRUE(admits(set, twice))
          << fmt::format("{:a} * {:a} + {:a} = {:a} ", x, y, z, twice) << text(set);
    }
  }
}

TEST(Bounded, StoresRound) {
  Precision precision(Model::F32);
  Draw d{8};
  for (int i = 0; i < kTrials; ++i) {
    double x = draw_value(d, Model::F32);
    Bounded in = around(d, x, Model::F32);
    Tensor t = Tensor::zeros({1}, DType::F32);
    set_element(t, 0, x);
    for (DType to : {DType::F16, DType::BF16, DType::Bool}) {
      Tensor stored = to_dtype(t, to);
      double got = to == DType::Bool ? static_cast<double>(element_as_int(stored, 0))
                                     : element_as_double(stored, 0);
      ASSERT_TRUE(admits(round_to(in, to), got))
          << name_of(to) << fmt::format(" {:a} -> {:a} ", x, got) << text(in);
    }
  }
}

TEST(Bounded, AdmitsAndTightness) {
  EXPECT_TRUE(admits(Bounded::all(), NAN));
  EXPECT_TRUE(admits(Bounded::all(), -INFINITY));
  EXPECT_FALSE(admits(Bounded::exact(1), std::nextafter(1, 2)));
  EXPECT_FALSE(admits(Bounded::exact(1), NAN));
  EXPECT_FALSE(admits(Bounded::exact(NAN), 0));
  EXPECT_TRUE(is_tight(Bounded::exact(0)));
  EXPECT_TRUE(is_tight(Bounded::exact(NAN)));
  EXPECT_FALSE(is_tight(Bounded::all()));
  EXPECT_FALSE(is_tight(Bounded::range(1, 1.01)));
  EXPECT_TRUE(is_tight(Bounded::range(1, 1.0001)));
  EXPECT_FALSE(is_tight(Bounded::range(-1e-9, 1e-9)));
}

TEST(Bounded, LiteralsRoundToThePrecision) {
  {
    Precision single(Model::F32);
    EXPECT_EQ(Bounded(0.1).lo, static_cast<double>(0.1f));
    EXPECT_EQ(Bounded(1e39).hi, INFINITY);
  }
  Precision twice(Model::F64);
  EXPECT_EQ(Bounded(0.1).lo, 0.1);
  EXPECT_TRUE(Bounded(NAN).must_nan);
}

TEST(Bounded, SubnormalsMayBeZeroWhereTheyAreFlushed) {
  Precision precision(Model::F32);
  AllowedDeviation flushing{.flushes_subnormals = true, .ulp = {}};
  auto product = [] { return Bounded::exact(1e-30f) * Bounded::exact(1e-10f); };
  EXPECT_FALSE(admits(product(), 0));
  EXPECT_FALSE(admits(read_from(Bounded::exact(0x1p-140), DType::F32), 0));
  {
    Allowing allowing(&flushing);
    EXPECT_TRUE(admits(product(), 0));
    EXPECT_TRUE(admits(product(), 0x1.16c2p-133));
    EXPECT_TRUE(admits(read_from(Bounded::exact(0x1p-140), DType::F32), 0));
    EXPECT_FALSE(admits(read_from(Bounded::exact(0x1p-120), DType::F32), 0));
    EXPECT_FALSE(admits(read_from(Bounded::exact(0x1p-20), DType::F16), 0));
    EXPECT_FALSE(admits(Bounded::exact(1e-30f) * Bounded::exact(1), 0));
    Bounded inverse = Bounded::exact(1) / product();
    EXPECT_TRUE(admits(inverse, INFINITY));
  }
  EXPECT_FALSE(admits(product(), 0));
}

TEST(Bounded, StepsOfHalvesAreRoundedOrNot) {
  Precision precision(Model::F32);
  Bounded a = Bounded::exact(2048), b = Bounded::exact(1);
  EXPECT_TRUE((a + b).is_exact());
  HalfSteps steps(DType::F16);
  EXPECT_TRUE(admits(a + b, 2048) && admits(a + b, 2049) && !admits(a + b, 2050));
  EXPECT_TRUE(admits(Bounded(0.1), 0.1F) && admits(Bounded(0.1), 0x1.998p-4));
  EXPECT_TRUE(admits(exp(Bounded::exact(12)), INFINITY));  // beyond 65504
  Bounded tiny = Bounded::exact(0x1p-20) * Bounded::exact(-0x1p-20);
  EXPECT_TRUE(admits(tiny, -0.0) && admits(tiny, -0x1p-40) && !tiny.zero_sign_known);
  HalfSteps none(std::nullopt);
  EXPECT_FALSE(admits(a + b, 2048));
}

TEST(Bounded, FunctionsAreAsFarOffAsTheDeviationSays) {
  Precision precision(Model::F32);
  AllowedDeviation allowed{.flushes_subnormals = false,
                           .ulp = {{"sinh", 32}, {"cosh", 1}, {"div", 2}}};
  float there = std::sinh(3.0f);
  double far = there + 20 * 0x1p-20;  // 10.0 has ulps of 2^-20
  auto quotient = [] { return Bounded::exact(1) / Bounded::exact(3); };
  float third = 1.0f / 3;
  double next = std::nextafter(third, 1.0f);
  EXPECT_FALSE(admits(sinh(Bounded::exact(3)), far));
  EXPECT_FALSE(admits(quotient(), next));
  double ours = cosh(Bounded::exact(3)).hi;
  Allowing allowing(&allowed);
  EXPECT_TRUE(admits(sinh(Bounded::exact(3)), far));
  EXPECT_TRUE(admits(quotient(), next));
  EXPECT_EQ(cosh(Bounded::exact(3)).hi, ours);  // never less than ours
}

}  // namespace
}  // namespace fusillade
