// Expressions of the `llvm` back end: every operation, every dtype, both domains, on special
// values.
//
// libm functions, which the back end may compute by vector variants, are compared in ulps against a
// wider type; everything else bit for bit.
#include <limits>
#include <string_view>

#include "engine/scalar/accuracy.h"
#include "engine/scalar/native.h"
#include "engine/scalar/number.h"
#include "suites/unit/llvm_backend_kernels.h"

namespace fusillade::kernel::built {
namespace {

TEST(LlvmBackend, FloatArithmeticIsEagersBitForBit) {
  Expr (*const ops[])(Expr, Expr) = {
      [](Expr a, Expr b) { return a + b; },
      [](Expr a, Expr b) { return a - b; },
      [](Expr a, Expr b) { return a * b; },
      [](Expr a, Expr b) { return a / b; },
      [](Expr a, Expr b) { return fmod(a, b); },
      [](Expr a, Expr) { return -a; },
      [](Expr a, Expr) { return abs(a); },
      [](Expr a, Expr) { return floor(a); },
      [](Expr a, Expr) { return ceil(a); },
      [](Expr a, Expr) { return trunc(a); },
      [](Expr a, Expr) { return rint(a); },
      [](Expr a, Expr) { return sqrt(a); },
      [](Expr a, Expr b) { return select((a < b) | (a != a), a, b); },
      [](Expr a, Expr b) { return a * b + a; },
      [](Expr a, Expr b) { return a * b - b * a; },
      [](Expr a, Expr b) { return (a + b) - a; },
      [](Expr a, Expr) { return a + Expr(0.0); },
      [](Expr a, Expr) { return a / Expr(3.0) + a * Expr(0.1); },
      [](Expr a, Expr) { return a * Expr(0.0); },
      [](Expr a, Expr) { return Expr(1.0) / sqrt(a); }};
  for (Domain domain : kDomains) {
    for (DType d : kFloats) {
      FormulaModel model(compute_of(d));
      for (size_t i = 0; i < std::size(ops); ++i) {
        SCOPED_TRACE(testing::Message()
                     << "op " << i << " " << name_of(d) << " domain " << int(domain));
        expect_same(elementwise(domain, {d, d}, d, [&](Exprs x) { return ops[i](x[0], x[1]); }), i);
      }
    }
  }
}

TEST(LlvmBackend, ComparisonsAndConditions) {
  Expr (*const ops[])(Expr, Expr) = {[](Expr a, Expr b) { return a < b; },
                                     [](Expr a, Expr b) { return a <= b; },
                                     [](Expr a, Expr b) { return a > b; },
                                     [](Expr a, Expr b) { return a >= b; },
                                     [](Expr a, Expr b) { return a == b; },
                                     [](Expr a, Expr b) { return a != b; },
                                     [](Expr a, Expr b) { return (a < b) & !(a == a); },
                                     [](Expr a, Expr b) { return (a < b) | (b <= a); },
                                     [](Expr a, Expr b) { return (a < b) == (b < a); },
                                     [](Expr a, Expr b) { return (a < b) != (a != b); },
                                     [](Expr a, Expr) { return convert(a, Model::Bool); }};
  for (Domain domain : kDomains) {
    for (DType d : {DType::F32, DType::F64, DType::I64, DType::I8, DType::U8, DType::BF16}) {
      for (auto op : ops) {
        expect_same(
            elementwise(domain, {d, d}, DType::Bool, [&](Exprs x) { return op(x[0], x[1]); }));
      }
    }
  }
}

TEST(LlvmBackend, IntegerOperations) {
  Expr (*const ops[])(Expr, Expr) = {[](Expr a, Expr b) { return a + b; },
                                     [](Expr a, Expr b) { return a - b; },
                                     [](Expr a, Expr b) { return a * b; },
                                     [](Expr a, Expr) { return -a; },
                                     [](Expr a, Expr) { return abs(a); },
                                     [](Expr a, Expr) { return bit_not(a); },
                                     floor_div,
                                     floor_mod,
                                     trunc_div,
                                     trunc_mod,
                                     bit_and,
                                     bit_or,
                                     bit_xor,
                                     shl,
                                     shr,
                                     pow,
                                     [](Expr a, Expr) { return floor_div(a, Expr::imm_i(7)); },
                                     [](Expr a, Expr) { return floor_mod(a, Expr::imm_i(-3)); },
                                     [](Expr a, Expr) { return trunc_div(a, Expr::imm_i(-1)); },
                                     [](Expr a, Expr) { return floor_div(a, Expr::imm_i(0)); },
                                     [](Expr, Expr b) { return floor_mod(at(0), b); },
                                     [](Expr, Expr) {
                                       return floor_div(at(0), Expr::imm_i(5)) *
                                              floor_mod(at(0), Expr::imm_i(4));
                                     }};
  for (Domain domain : kDomains) {
    for (DType d : {DType::I64, DType::I32, DType::U8}) {
      for (size_t i = 0; i < std::size(ops); ++i) {
        SCOPED_TRACE(testing::Message() << "op " << i << " " << name_of(d));
        expect_same(elementwise(domain, {d, d}, d, [&](Exprs x) { return ops[i](x[0], x[1]); }), i);
      }
    }
  }
}

TEST(LlvmBackend, EveryDtypeToEveryDtype) {
  for (Domain domain : kDomains) {
    for (int from = 0; from < kNumDTypes; ++from) {
      for (int to = 0; to < kNumDTypes; ++to) {
        DType f = static_cast<DType>(from), t = static_cast<DType>(to);
        SCOPED_TRACE(testing::Message()
                     << name_of(f) << " to " << name_of(t) << " domain " << int(domain));
        expect_same(
            elementwise(domain, {f}, t, [&](Exprs x) { return convert(x[0], compute_of(t)); }), 2);
      }
    }
  }
}

TEST(LlvmBackend, RoundsToEveryDtypeOfItsModel) {
  for (Domain domain : kDomains) {
    for (DType d : {DType::F32, DType::F64, DType::I64}) {
      for (int to = 0; to < kNumDTypes; ++to) {
        DType t = static_cast<DType>(to);
        if (compute_of(t) != compute_of(d)) continue;
        SCOPED_TRACE(testing::Message()
                     << name_of(d) << " through " << name_of(t) << " domain " << int(domain));
        expect_same(elementwise(domain, {d, d}, d,
                                [&](Exprs x) { return round_to(x[0] + x[1], t) * x[1]; }));
      }
    }
  }
}

TEST(LlvmBackend, RingFunctionsAreHashes) {
  for (DType d : kFloats) {
#define FUS_CASE(f, op) \
  expect_same(elementwise(Domain::Ring, {d}, d, [](Exprs x) { return f(x[0]); }));
    FUS_SCALAR_UNARY(FUS_CASE)
#undef FUS_CASE
#define FUS_CASE(f, op) \
  expect_same(elementwise(Domain::Ring, {d, d}, d, [](Exprs x) { return f(x[0], x[1]); }));
    FUS_SCALAR_BINARY(FUS_CASE)
#undef FUS_CASE
    FormulaModel model(compute_of(d));
    expect_same(
        elementwise(Domain::Ring, {d}, d, [](Exprs x) { return x[0] * Expr(0.1) + Expr(-2.0); }));
  }
}

// |got - truth| in ulps of T at the truth; special values must agree in kind.
template <class T>
double ulps_off(T got, long double truth) {
  T nearest = static_cast<T>(truth);
  if (std::isnan(truth)) return std::isnan(got) ? 0 : INFINITY;
  if (std::isinf(nearest) || std::isinf(got)) {
    if (got == nearest) return 0;
    long double big = std::numeric_limits<T>::max();  // one rounded over the edge, the other not
    bool edge = std::signbit(got) == (truth < 0) && std::fabs(truth) > big * 0.999L &&
                std::fabs(truth) < big * 1.001L;
    return edge ? 1 : INFINITY;
  }
  if (nearest == 0 && got == 0)
    return truth == 0 && std::signbit(got) != std::signbit(truth) ? INFINITY : 0;
  int exponent = std::max(std::ilogb(nearest == 0 ? std::numeric_limits<T>::min() : nearest),
                          std::numeric_limits<T>::min_exponent - 1);
  long double ulp = std::ldexp(1.0L, exponent - (std::numeric_limits<T>::digits - 1));
  return static_cast<double>(std::fabs(static_cast<long double>(got) - truth) / ulp);
}

template <class T>
void expect_accurate(const char* name, DType d, double limit, Expr (*op)(Expr, Expr),
                     long double (*truth)(long double, long double)) {
  constexpr int64_t kMany = 60001;
  Kernel k = elementwise(Domain::Real, {d, d}, d, [&](Exprs x) { return op(x[0], x[1]); }, kMany);
  Memory m = memory_of(k, 77);
  launch(*llvm_backend().compile(k), k, m);
  double worst = 0;
  for (size_t i = 0; i < kMany; ++i) {
    T v[3];
    for (size_t b = 0; b < 3; ++b) std::memcpy(&v[b], m[b].data() + i * sizeof(T), sizeof(T));
    long double t = truth(v[0], v[1]);
    double off = ulps_off<T>(v[2], t);
    worst = std::max(worst, off);
    ASSERT_LE(off, limit) << name << " " << name_of(d) << " at " << v[0] << ", " << v[1] << ": "
                          << v[2] << ", want " << t;
  }
  EXPECT_LE(worst, limit);
}

TEST(LlvmBackend, FunctionsWithinTheirUlps) {
  // lgamma is bounded in ulps of max(1, |value|) and has no such reference here: see the bitwise
  // test.
#define FUS_CASE(f, upper)                                                             \
  if (std::string_view(#f) != "lgamma") {                                              \
    auto op = [](Expr a, Expr) { return f(a); };                                       \
    auto truth = [](long double a, long double) -> long double { return libm::f(a); }; \
    expect_accurate<float>(#f, DType::F32, accuracy::kTranscendental, op, truth);      \
    expect_accurate<double>(#f, DType::F64, accuracy::kTranscendental, op, truth);     \
  }
  FUS_SCALAR_UNARY(FUS_CASE)
#undef FUS_CASE
#define FUS_CASE(f)                                                                        \
  {                                                                                        \
    auto op = [](Expr a, Expr b) { return f(a, b); };                                      \
    auto truth = [](long double a, long double b) -> long double { return std::f(a, b); }; \
    expect_accurate<float>(#f, DType::F32, accuracy::kTranscendental, op, truth);          \
    expect_accurate<double>(#f, DType::F64, accuracy::kTranscendental, op, truth);         \
  }
  FUS_CASE(atan2)
  FUS_CASE(fmod)
#undef FUS_CASE
  auto op = [](Expr a, Expr b) { return pow(a, b); };
  auto truth = [](long double a,
                  long double b) -> long double {  // powl(-inf, -2^63) is wrong in glibc
    if (!std::isfinite(a)) return std::pow(static_cast<double>(a), static_cast<double>(b));
    return std::pow(a, b);
  };
  expect_accurate<float>("pow", DType::F32, accuracy::kTranscendental, op, truth);
  expect_accurate<double>("pow", DType::F64, accuracy::kTranscendental, op, truth);
}

TEST(LlvmBackend, FunctionsWithoutVectorVariantsAreLibms) {
  for (DType d : kFloats) {
    expect_same(elementwise(Domain::Real, {d}, d, [](Exprs x) { return lgamma(x[0]); }));
    expect_same(
        elementwise(Domain::Real, {d}, d, [](Exprs x) { return lgamma(x[0] * x[0]) - x[0]; }));
  }
}

TEST(LlvmBackend, DenormalsAreKept) {
  Kernel k = elementwise(Domain::Real, {DType::F32}, DType::F32,
                         [](Exprs x) { return x[0] * Expr::imm_f(0.5, Model::F32); });
  Memory m = memory_of(k, 1);
  auto* in = reinterpret_cast<float*>(m[0].data());
  auto* out = reinterpret_cast<float*>(m[1].data());
  std::fill(in, in + kCount, 1e-40f);
  launch(*llvm_backend().compile(k), k, m);
  for (int64_t i = 0; i < kCount; ++i) ASSERT_EQ(out[i], 1e-40f * 0.5f);
  ASSERT_NE(out[0], 0);
}

}  // namespace
}  // namespace fusillade::kernel::built
