// Lanes: what a register computes, against the same formulas on one element, and at every length.
#include "engine/scalar/lanes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "engine/ops/formula.h"
#include "engine/scalar/accuracy.h"

namespace fusillade {
namespace {

template <class T>
std::vector<T> values() {
  constexpr T kInf = std::numeric_limits<T>::infinity();
  std::vector<T> all = {T(0),    T(-0.0), kInf,     -kInf,   std::numeric_limits<T>::quiet_NaN(),
                        T(1),    T(-1),   T(1e-30), T(1e30), std::numeric_limits<T>::denorm_min(),
                        T(-2.5), T(88),   T(-100),  T(0.5)};
  for (int i = 0; i < 500; ++i) all.push_back(static_cast<T>((i - 250) * 0.037));
  return all;
}

// Within 4 ulp of T of what the wider type gives.
template <class T>
void expect_close(const char* name, T x, T got, long double wanted) {
  T nearest = static_cast<T>(wanted);
  if (std::isnan(nearest) || std::isinf(nearest) || std::isinf(got)) {
    EXPECT_TRUE(nearest == got || (std::isnan(nearest) && std::isnan(got))) << name << ' ' << x;
    return;
  }
  T step =
      std::nextafter(std::fabs(nearest), std::numeric_limits<T>::infinity()) - std::fabs(nearest);
  EXPECT_LE(std::fabs(static_cast<long double>(got) - wanted),
            static_cast<long double>(accuracy::kTranscendental) * step)
      << name << ' ' << x;
}

template <class T>
void check_functions() {
  std::vector<T> in = values<T>();
  for (size_t at = 0; at < in.size(); ++at) {
    Lanes<T> x;
    for (int i = 0; i < Lanes<T>::kCount; ++i)
      x.v[i] = in[(at + static_cast<size_t>(i)) % in.size()];
    T first = x.v[0];
#define FUS_CHECK_ONE(f) \
  expect_close<T>(#f, first, f(x).v[0], libm::f(static_cast<long double>(first)));
    FUS_CHECK_ONE(abs)
    FUS_CHECK_ONE(floor)
    FUS_CHECK_ONE(ceil)
    FUS_CHECK_ONE(trunc)
    FUS_CHECK_ONE(rint)
    FUS_CHECK_ONE(sqrt)
    FUS_CHECK_ONE(exp)
    FUS_CHECK_ONE(exp2)
    FUS_CHECK_ONE(expm1)
    FUS_CHECK_ONE(log)
    FUS_CHECK_ONE(log1p)
    FUS_CHECK_ONE(log2)
    FUS_CHECK_ONE(log10)
    FUS_CHECK_ONE(sin)
    FUS_CHECK_ONE(cos)
    FUS_CHECK_ONE(tan)
    FUS_CHECK_ONE(asin)
    FUS_CHECK_ONE(acos)
    FUS_CHECK_ONE(atan)
    FUS_CHECK_ONE(sinh)
    FUS_CHECK_ONE(cosh)
    FUS_CHECK_ONE(tanh)
    FUS_CHECK_ONE(erf)
    FUS_CHECK_ONE(erfc)
    FUS_CHECK_ONE(erfcx)
#undef FUS_CHECK_ONE
  }
}

TEST(Lanes, FunctionsAreWithinTheirAccuracy) {
  check_functions<float>();
  check_functions<double>();
}

// An element's result depends neither on its position nor on its neighbours, and nothing behind the
// last is written.
template <class T>
void check_lengths(Model model) {
  const Formula& f = real_formula<2>([](auto x, auto y) {
    using N = decltype(x);
    return select(x < y, exp(x) * tanh(y), -abs(x) + N(0.25)) / (N(1.0) + y * y);
  });
  NativeLoop loop = f.loop[0][static_cast<int>(model)];
  std::vector<T> x = values<T>(), y(x.rbegin(), x.rend());
  std::vector<T> whole(x.size());
  const void* in[2] = {x.data(), y.data()};
  loop(in, whole.data(), static_cast<int64_t>(x.size()));
  for (size_t start : {0, 1, 5}) {
    for (size_t n = 0; n <= 40; ++n) {
      std::vector<T> part(n + 1, T(77));
      const void* from[2] = {x.data() + start, y.data() + start};
      loop(from, part.data(), static_cast<int64_t>(n));
      for (size_t i = 0; i < n; ++i) {
        bool nan = std::isnan(part[i]) && std::isnan(whole[start + i]);
        EXPECT_TRUE(nan || part[i] == whole[start + i]) << start << ' ' << n << ' ' << i;
      }
      EXPECT_EQ(part[n], T(77));
    }
  }
}

TEST(Lanes, AnElementDoesNotDependOnItsPlace) {
  check_lengths<float>(Model::F32);
  check_lengths<double>(Model::F64);
}

// fmod is exact: all lanes give C's bits, whatever their neighbours.
template <class T>
void check_remainders() {
  constexpr T kInf = std::numeric_limits<T>::infinity();
  std::vector<T> in = values<T>();
  for (T v : {std::numeric_limits<T>::max(), std::numeric_limits<T>::min(), T(3), T(7), T(1e7),
              std::nextafter(T(3), kInf), std::nextafter(T(21), T(0)), T(0x1p28), T(0x1p53)})
    in.insert(in.end(), {v, -v});
  for (size_t i = 0; i < in.size(); ++i) {
    for (size_t k = 0; k < in.size(); ++k) {
      Lanes<T> x, y;
      for (size_t lane = 0; lane < static_cast<size_t>(Lanes<T>::kCount); ++lane) {
        x.v[lane] = in[(i + (k % 2) * lane) % in.size()];
        y.v[lane] = in[(k + (k % 3) * lane) % in.size()];
      }
      const Lanes<T> got = fmod(x, y);
      for (int lane = 0; lane < Lanes<T>::kCount; ++lane) {
        const T wanted = std::fmod(x.v[lane], y.v[lane]), v = got.v[lane];
        const bool same = v == wanted && std::signbit(v) == std::signbit(wanted);
        EXPECT_TRUE(same || (std::isnan(v) && std::isnan(wanted)))
            << x.v[lane] << " % " << y.v[lane] << " is " << v << ", not " << wanted;
      }
    }
  }
}

TEST(Lanes, RemaindersAreExact) {
  check_remainders<float>();
  check_remainders<double>();
}

TEST(Lanes, ResultsMayLieInAnOperandsMemory) {
  const Formula& f = real_formula<2>([](auto x, auto y) { return x * y + x; });
  std::vector<float> x(37), y(37);
  for (size_t i = 0; i < 37; ++i) x[i] = static_cast<float>(i), y[i] = static_cast<float>(i % 5);
  std::vector<float> before = x;
  const void* in[2] = {x.data(), y.data()};
  f.loop[0][static_cast<int>(Model::F32)](in, x.data(), 37);
  for (size_t i = 0; i < 37; ++i) EXPECT_EQ(x[i], before[i] * y[i] + before[i]);
}

}  // namespace
}  // namespace fusillade
