// Softmax, log_softmax and layer_norm natively: line by line of the last dimensions, so that what
// the body's rows would carry through memory stays in the cache.
//
// Each step is the body's: the same formulas over the same elements in the same order (fold.h), so
// results are equal bit by bit. Contiguous floats and doubles; what else there is, is the body's.
#include <algorithm>
#include <cmath>

#include "engine/ops/fold.h"
#include "engine/ops/native.h"
#include "engine/tensor/block.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

constexpr auto kAdd = [](auto a, auto b) { return a + b; };
constexpr auto kGreater = [](auto a, auto b) {
  return select(a != a, a, select(b != b, b, select(a < b, b, a)));
};

// One formula over a line of T.
template <class T, int A, class F>
void each(F, std::initializer_list<const T*> in, T* out, int64_t n) {
  const void* operands[A];
  std::copy(in.begin(), in.end(), operands);
  formula::lanes_loop<A, Lanes<T>, T, F>(operands, out, n);
}

template <class T, class F>
T folded(F f, const T* x, int64_t n) {
  static const Fold fold = fold_of(f);
  static const NativeLoop combine = &formula::lanes_loop<2, Lanes<T>, T, F>;
  DType dtype = sizeof(T) == 4 ? DType::F32 : DType::F64;
  return fold_line<T>({dtype, reinterpret_cast<const uint8_t*>(x), n, 1, 1, 1}, combine, fold);
}

// A line of one number, as an operand: rows broadcast it.
template <class T>
class Spread {
 public:
  explicit Spread(int64_t n) : values_(static_cast<size_t>(n)) {}
  const T* of(T v) {
    std::fill(values_.begin(), values_.end(), v);
    return values_.data();
  }

 private:
  std::vector<T> values_;
};

template <class T>
void softmax_line(const T* x, int64_t n, bool logarithm, Spread<T>& spread, T* e, T* out) {
  constexpr auto kShift = [](auto a, auto b) { return a - b; };
  T top = folded(kGreater, x, n);
  T* shifted = logarithm ? out : e;
  each<T, 2>(kShift, {x, spread.of(top)}, shifted, n);
  each<T, 1>([](auto a) { return exp(a); }, {shifted}, e, n);
  T total = T(0) + folded(kAdd, e, n);
  if (logarithm) {
    T log_of = total;
    each<T, 1>([](auto a) { return log(a); }, {&total}, &log_of, 1);
    each<T, 2>(kShift, {shifted, spread.of(log_of)}, out, n);
  } else {
    each<T, 2>([](auto a, auto b) { return a / b; }, {e, spread.of(total)}, out, n);
  }
}

bool is_plain(const Tensor& t) {
  return t.is_contiguous() && t.numel() > 0 && (t.dtype() == DType::F32 || t.dtype() == DType::F64);
}

template <class T>
Tensor softmax_of(const Tensor& self, bool logarithm) {
  Tensor out = Tensor::empty(self.sizes(), self.dtype());
  int64_t n = self.sizes().back();
  Spread<T> spread(n);
  std::vector<T> e(static_cast<size_t>(n));
  for (int64_t at = 0; at < self.numel(); at += n)
    softmax_line(self.data<T>() + at, n, logarithm, spread, e.data(), out.data<T>() + at);
  return out;
}

template <bool logarithm>
bool run_softmax(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  int64_t dim = args[1].as_int();
  bool last = self.rank() > 0 && (dim == -1 || dim == self.rank() - 1);
  if (!last || !args[2].is_none() || !is_plain(self)) return false;
  results.emplace_back(self.dtype() == DType::F32 ? softmax_of<float>(self, logarithm)
                                                  : softmax_of<double>(self, logarithm));
  return true;
}

// What a line is multiplied by and what is added, each as long as a line.
template <class T>
struct Affine {
  std::vector<T> weight, bias;
};

template <class T>
void norm_line(const T* x, int64_t n, double eps, const Affine<T>& affine, Spread<T>& spread,
               T* centered, T* out) {
  T count = static_cast<T>(n);
  T mean = (T(0) + folded(kAdd, x, n)) / count;
  each<T, 2>([](auto a, auto b) { return a - b; }, {x, spread.of(mean)}, centered, n);
  each<T, 2>([](auto a, auto b) { return a * b; }, {centered, centered}, out, n);
  T variance = (T(0) + folded(kAdd, out, n)) / count;
  T scale = T(1) / std::sqrt(variance + static_cast<T>(eps));
  each<T, 4>([](auto a, auto b, auto w, auto c) { return a * b * w + c; },
             {centered, spread.of(scale), affine.weight.data(), affine.bias.data()}, out, n);
}

// A line of the parameter, or of what its absence stands for.
template <class T>
std::vector<T> line_of(const IValue& v, int64_t n, double absent) {
  if (v.is_none()) return std::vector<T>(static_cast<size_t>(n), static_cast<T>(absent));
  const T* data = v.as_tensor().data<T>();
  return {data, data + n};
}

template <class T>
Tensor layer_norm_of(const Tensor& self, int64_t n, Values args) {
  Tensor out = Tensor::empty(self.sizes(), self.dtype());
  Affine<T> affine{line_of<T>(args[2], n, 1), line_of<T>(args[3], n, -0.0)};
  Spread<T> spread(n);
  std::vector<T> centered(static_cast<size_t>(n));
  for (int64_t at = 0; at < self.numel(); at += n) {
    norm_line(self.data<T>() + at, n, args[4].as_double(), affine, spread, centered.data(),
              out.data<T>() + at);
  }
  return out;
}

bool run_layer_norm(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  Dims shape = args[1].as_dims();
  if (!is_plain(self) || shape.empty() || shape.rank() > self.rank()) return false;
  for (int d = 1; d <= shape.rank(); ++d) {
    if (shape[shape.rank() - d] != self.sizes()[self.rank() - d]) return false;
  }
  for (const IValue& v : {args[2], args[3]}) {
    if (v.is_none()) continue;
    Tensor t = v.as_tensor();
    if (t.dtype() != self.dtype() || !(t.sizes() == shape) || !t.is_contiguous()) return false;
  }
  int64_t n = numel_of(shape);
  results.emplace_back(self.dtype() == DType::F32 ? layer_norm_of<float>(self, n, args)
                                                  : layer_norm_of<double>(self, n, args));
  return true;
}

[[maybe_unused]] const bool kRegistered = [] {
  add_native({"aten::softmax.int", &run_softmax<false>});
  add_native({"aten::log_softmax.int", &run_softmax<true>});
  add_native({"aten::layer_norm", &run_layer_norm});
  return true;
}();

}  // namespace
}  // namespace fusillade
