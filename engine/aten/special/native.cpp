// Functions of one or two floats natively, an element at a time: what the bodies of
// ops.py here and in pointwise carry through memory step by step.
//
// A formula is written over registers of the type that the body computes in: doubles, rounded once,
// or the operands' own. The steps are the body's, bit by bit. Contiguous operands of one dtype and
// size.
#include "engine/ops/native.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/aten/special/quantile.h"
#include "engine/base/thread_pool.h"
#include "engine/ops/formula.h"
#include "engine/tensor/block.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

constexpr int64_t kPiece = 1 << 14;  // elements that are worth a thread's while

template <class N>
N copysign(N size, N sign) {
  for (int i = 0; i < N::kCount; ++i) size.v[i] = std::copysign(size.v[i], sign.v[i]);
  return size;
}
template <class C>
bool any(C condition) {
  int64_t found = 0;
  for (size_t i = 0; i < sizeof condition.v / sizeof condition.v[0]; ++i) found |= condition.v[i];
  return found != 0;
}

// f over blocks of T; `arity` operands of one dtype, which are blocks of `out` in turn.
template <class T, int kArity, class F>
void run_blocks(const Tensor* operands, const Tensor& out) {
  const int64_t size = static_cast<int64_t>(size_of(out.dtype()));
  parallel(out.numel(), kPiece, [&](int64_t begin, int64_t end) {
    T blocks[kArity][kBlock];
    for (int64_t at = begin; at < end; at += kBlock) {
      const int64_t n = std::min(kBlock, end - at);
      const void* in[kArity];
      for (int k = 0; k < kArity; ++k) {
        load_block<T>(out.dtype(), operands[k].raw() + at * size, 1, n, blocks[k]);
        in[k] = blocks[k];
      }
      formula::lanes_loop<kArity, Lanes<T>, T, F>(in, blocks[0], n);
      store_block<T>(out.dtype(), out.raw() + at * size, 1, n, blocks[0]);
    }
  });
}

// kWide: in doubles, whatever the dtype; else floats and doubles in their own.
template <int kArity, bool kWide, class F>
bool run_formula(Values args, std::vector<IValue>& results) {
  Tensor operands[kArity];
  for (size_t k = 0; k < kArity; ++k) {
    operands[k] = args[k].as_tensor();
    const DType dtype = operands[k].dtype();
    const bool real = kWide ? is_float(dtype) : dtype == DType::F32 || dtype == DType::F64;
    if (!real || dtype != operands[0].dtype() || !operands[k].is_contiguous() ||
        !(operands[k].sizes() == operands[0].sizes()))
      return false;
  }
  Tensor out = Tensor::empty(operands[0].sizes(), operands[0].dtype());
  if (kWide || out.dtype() == DType::F64) run_blocks<double, kArity, F>(operands, out);
  else run_blocks<float, kArity, F>(operands, out);
  results.emplace_back(out);
  return true;
}

template <int kArity, bool kWide, class F>
void add(const char* name, F) {
  add_native({name, &run_formula<kArity, kWide, F>});
}

constexpr double kInf = INFINITY;

// ---------------------------------------------------------------------------- hyperbolic inverses

constexpr auto kAcosh = [](auto x) {
  using N = decltype(x);
  const N over = x - N(1.0);
  const N moderate = log1p(over + sqrt(select(x < N(1.0), over, over * (over + N(2.0)))));
  return select(x > N(1e9), log(x) + N(0.6931471805599453), moderate);
};

constexpr auto kAtanh = [](auto x) {
  using N = decltype(x);
  return copysign(log1p(N(2.0) * abs(x) / (N(1.0) - abs(x))) * N(0.5), x);
};

constexpr auto kLogAddExp = [](auto a, auto b) {
  using N = decltype(a);
  const N larger = select(a != a, a, select(b != b, b, select(a < b, b, a)));
  return select((a == b) & (abs(a) == N(kInf)), larger, larger + log1p(exp(-abs(a - b))));
};

// The bits of floats of one sign count upwards with their size.
constexpr auto kNextAfter = [](auto x, auto y) {
  using N = decltype(x);
  auto next = x;
  for (int i = 0; i < N::kCount; ++i) {
    typename N::Bits bits;
    std::memcpy(&bits, reinterpret_cast<const char*>(&x.v) + i * sizeof bits, sizeof bits);
    bits += (x.v[i] < y.v[i]) == (x.v[i] > 0) ? 1 : -1;
    const typename N::Bits least = 1;
    std::memcpy(reinterpret_cast<char*>(&next.v) + i * sizeof bits, x.v[i] == 0 ? &least : &bits,
                sizeof bits);
  }
  next = select(x == N(0.0), copysign(next, y), next);
  return select((x != x) | (y != y), x + y, select(x == y, y, next));
};

// ---------------------------------------------------------------------------- in doubles

template <class N>
N horner(const double (&c)[8], N x) {
  N sum(c[7]);
  for (int i = 6; i >= 0; --i) sum = sum * x + N(c[i]);
  return sum;
}
template <class N>
N quotient(const quantile::Quotient& q, N x) {
  return horner(q.top, x) / horner(q.bottom, x);
}

constexpr auto kErfInv = [](auto x) {
  using N = decltype(x);
  const N q = x * N(0.5), size = abs(q);
  const auto is_central = size <= N(quantile::kSplit);
  N central(0.0), far(0.0);
  if (any(is_central)) {
    const N r = N(quantile::kCentralOffset) - q * q;
    central = q * horner(quantile::kCentral.top, r) / horner(quantile::kCentral.bottom, r);
  }
  if (any(size > N(quantile::kSplit))) {
    const N share = N(0.5) - size;
    const N r = sqrt(-log(share));
    far = quotient(quantile::kMiddle, r - N(quantile::kMiddleOffset));
    const auto is_far = r > N(quantile::kFarOffset);
    if (any(is_far))
      far = select(is_far, quotient(quantile::kFar, r - N(quantile::kFarOffset)), far);
    far = copysign(select(share == N(0.0), N(kInf), far), x);
  }
  far = select(size <= N(0.5), far, N(NAN));
  return select(is_central, central, far) * N(0.7071067811865476);
};

constexpr auto kDigamma = [](auto x) {
  using N = decltype(x);
  const auto low = x < N(0.5);
  N t = select(low, N(1.0) - x, x), shift(0.0);
  for (int i = 0; i < 10; ++i) {
    const auto small = t < N(10.0);
    if (!any(small)) break;
    shift = select(small, shift + N(1.0) / t, shift);
    t = select(small, t + N(1.0), t);
  }
  const N r = N(1.0) / (t * t);
  N series = N(691.0 / 32760) - r / N(12.0);
  for (double part : {1.0 / 132, 1.0 / 240, 1.0 / 252, 1.0 / 120, 1.0 / 12})
    series = N(part) - r * series;
  N found = log(t) - N(0.5) / t - r * series - shift;
  if (any(low)) {
    const N rest = (x - rint(x)) * N(M_PI);
    found = select(low, found - N(1.0) / tan(rest) * N(M_PI), found);
  }
  const N pole = select(x == N(0.0), copysign(N(kInf), -x), N(NAN));
  return select((x <= N(0.0)) & (x == floor(x)), pole, found);
};

// I of order 0 or 1, times exp(-|x|): the power series up to 20, the asymptotic one beyond.
template <class N>
N bessel_scaled(N given, int order) {
  const N x = abs(given);
  N series(0.0), far(0.0);
  if (any(x <= N(20.0))) {
    N term = order == 0 ? N(1.0) : x / N(2.0);
    const N square = x * x / N(4.0);
    series = term;
    for (int k = 1; k < 60; ++k) {
      term = term * square / N(k * (k + order));
      const N sum = series + term;
      if (!any(sum != series)) break;  // nor do later ones, which are smaller, change any bit
      series = sum;
    }
    series = series * exp(-x);
  }
  if (any(!(x <= N(20.0)))) {
    N term(1.0);
    far = term;
    for (int k = 1; k < 41; ++k) {
      term = term * N((2 * k - 1) * (2 * k - 1) - 4 * order) / (N(8.0 * k) * x);
      far = far + term;
    }
    far = far / sqrt(x * N(6.283185307179586));
  }
  return select(x <= N(20.0), series, far);
}

[[maybe_unused]] const bool kRegistered = [] {
  add<1, false>("aten::acosh", kAcosh);
  add<1, false>("aten::atanh", kAtanh);
  add<2, false>("aten::logaddexp", kLogAddExp);
  add<2, false>("aten::nextafter", kNextAfter);
  add<1, true>("aten::erfinv", kErfInv);
  add<1, true>("aten::digamma", kDigamma);
  add<1, true>("aten::i0", [](auto x) { return bessel_scaled(x, 0) * exp(abs(x)); });
  add<1, true>("aten::special_i0e", [](auto x) { return bessel_scaled(x, 0); });
  add<1, true>("aten::special_i1",
               [](auto x) { return copysign(bessel_scaled(x, 1) * exp(abs(x)), x); });
  add<1, true>("aten::special_i1e", [](auto x) { return copysign(bessel_scaled(x, 1), x); });
  return true;
}();

}  // namespace
}  // namespace fusillade
