// One generic lambda, instantiated for every number model: the Formula that all subsystems read.
//
//   const Formula& f = real_formula<2>([](auto a, auto b) { return a + b; });
//
// The lambda is stateless; literals are written N(1.0) with `using N = decltype(a)`.
#pragma once

#include <cstring>
#include <deque>

#include "engine/ops/operator.h"
#include "engine/scalar/lanes.h"
#include "engine/scalar/ring.h"

namespace fusillade {

namespace formula {

template <int A, class N, class F, class Read>
inline auto apply(F f, Read read) {
  if constexpr (A == 1) return f(read(0));
  else if constexpr (A == 2) return f(read(0), read(1));
  else if constexpr (A == 3) return f(read(0), read(1), read(2));
  else return f(read(0), read(1), read(2), read(3));
}

template <int A, class N, class F>
constexpr bool is_predicate() {
  // & and | of two bools are ints.
  using R = decltype(apply<A, N>(F(), [](int) { return N(); }));
  return std::is_same_v<R, bool> || std::is_same_v<R, int>;
}

// N wraps the raw type T (Native<T> or Ring<T>).
template <int A, class N, class T, class F>
void loop(const void* const* in, void* out, int64_t n) {
  F f;
  const T* p[4] = {};
  for (int k = 0; k < A; ++k) p[k] = static_cast<const T*>(in[k]);
  if constexpr (is_predicate<A, N, F>()) {
    auto* o = static_cast<uint8_t*>(out);
    for (int64_t i = 0; i < n; ++i) o[i] = apply<A, N>(f, [&](int k) { return N::of(p[k][i]); });
  } else {
    auto* o = static_cast<T*>(out);
    for (int64_t i = 0; i < n; ++i) o[i] = apply<A, N>(f, [&](int k) { return N::of(p[k][i]); }).v;
  }
}

// One register at a time. Results and operands are the same memory or disjoint, so reading a whole
// register before it is written is as good as going by element. The remainder is computed in a
// register padded with its first element.
template <int A, class N, class T, class F>
void lanes_loop(const void* const* in, void* out, int64_t n) {
  constexpr int64_t kCount = N::kCount;
  F f;
  const T* p[4] = {};
  for (int k = 0; k < A; ++k) p[k] = static_cast<const T*>(in[k]);
  auto* o = static_cast<T*>(out);
  int64_t i = 0;
  for (; i + kCount <= n; i += kCount) {
    N result = apply<A, N>(f, [&](int k) {
      N x;
      std::memcpy(&x.v, p[k] + i, sizeof x.v);
      return x;
    });
    std::memcpy(o + i, &result.v, sizeof result.v);
  }
  if (i == n) return;
  N last = apply<A, N>(f, [&](int k) {
    N x;
    for (int64_t j = 0; j < kCount; ++j) x.v[j] = p[k][i + j < n ? i + j : i];
    return x;
  });
  for (int64_t j = 0; i + j < n; ++j) o[i + j] = last.v[j];
}

template <int A, class F>
Expr symbolic(const Expr* in) {
  return apply<A, Expr>(F(), [&](int k) { return in[k]; });
}

inline Bounded as_bounded(Bounded b) { return b; }
inline Bounded as_bounded(Tri t) {
  return t == Tri::Unsure ? Bounded::range(0, 1) : Bounded::exact(t == Tri::Yes ? 1 : 0);
}

template <int A, class F>
void apply_bounded(const Bounded* const* in, Bounded* out, int64_t n) {
  F f;
  for (int64_t i = 0; i < n; ++i) {
    out[i] = as_bounded(apply<A, Bounded>(f, [&](int k) { return in[k][i]; }));
  }
}

inline Dual as_dual(Dual x) { return x; }
inline Dual as_dual(bool truth) { return Dual(truth); }

template <int A, class F>
void dual(const Dual* const* in, Dual* out, int64_t n) {
  F f;
  for (int64_t i = 0; i < n; ++i)
    out[i] = as_dual(apply<A, Dual>(f, [&](int k) { return in[k][i]; }));
}

inline const Formula& keep(Formula f) {
  static std::deque<Formula> kept;
  return kept.emplace_back(f);
}

template <int A, class F>
void fill_real(Formula& f) {
  f.arity = A;
  f.predicate = is_predicate<A, Native<float>, F>();
  constexpr int kF32 = static_cast<int>(Model::F32);
  constexpr int kF64 = static_cast<int>(Model::F64);
  if constexpr (is_predicate<A, Native<float>, F>()) {
    f.loop[0][kF32] = &loop<A, Native<float>, float, F>;
    f.loop[0][kF64] = &loop<A, Native<double>, double, F>;
  } else {
    f.loop[0][kF32] = &lanes_loop<A, Lanes<float>, float, F>;
    f.loop[0][kF64] = &lanes_loop<A, Lanes<double>, double, F>;
  }
  f.loop[1][kF32] = &loop<A, Ring<uint32_t>, uint32_t, F>;
  f.loop[1][kF64] = &loop<A, Ring<uint64_t>, uint64_t, F>;
  f.expr = &symbolic<A, F>;
  f.bounded = &apply_bounded<A, F>;
  f.dual = &dual<A, F>;
}

template <int A, class F>
void fill_int(Formula& f) {
  f.arity = A;
  f.predicate = is_predicate<A, NativeInt, F>();
  constexpr int kI64 = static_cast<int>(Model::I64);
  f.loop[0][kI64] = f.loop[1][kI64] = &loop<A, NativeInt, int64_t, F>;
  f.expr = &symbolic<A, F>;
}

template <int A, class F>
void fill_narrow(Formula& f) {
  f.narrow[0] = &loop<A, Native<uint8_t>, uint8_t, F>;
  f.narrow[1] = &loop<A, Native<int8_t>, int8_t, F>;
  f.narrow[2] = &loop<A, Native<int16_t>, int16_t, F>;
  f.narrow[3] = &loop<A, Native<int32_t>, int32_t, F>;
}

}  // namespace formula

// For floats only.
template <int A, class F>
const Formula& real_formula(F) {
  Formula f;
  formula::fill_real<A, F>(f);
  return formula::keep(f);
}

// For integers and bools only; the shadow runs exact integers natively.
template <int A, class F>
const Formula& int_formula(F) {
  Formula f;
  formula::fill_int<A, F>(f);
  return formula::keep(f);
}

// For integers and bools, by sums, products, bits and comparisons alone, so that integers of each
// size may be computed in their own.
template <int A, class F>
const Formula& narrow_int_formula(F) {
  Formula f;
  formula::fill_int<A, F>(f);
  formula::fill_narrow<A, F>(f);
  return formula::keep(f);
}

// The same for floats too.
template <int A, class F>
const Formula& narrow_formula(F) {
  Formula f;
  formula::fill_real<A, F>(f);
  formula::fill_int<A, F>(f);
  formula::fill_narrow<A, F>(f);
  return formula::keep(f);
}

// For both. Bounded covers integers too (exact below 2^53).
template <int A, class F>
const Formula& any_formula(F) {
  Formula f;
  formula::fill_real<A, F>(f);
  formula::fill_int<A, F>(f);
  return formula::keep(f);
}

}  // namespace fusillade
