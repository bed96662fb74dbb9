// Softmax, log_softmax, norms and the loss of classes natively: line by line of the last
// dimensions, so that what the body's operators would carry through memory stays in the cache.
//
// Each step is the body's: the same formulas over the same elements in the same order (fold.h), so
// results are equal bit by bit. Contiguous floats, doubles and halves; what else there is, is the
// body's.
#include "engine/ops/native.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/base/thread_pool.h"
#include "engine/ops/fold.h"
#include "engine/tensor/block.h"
#include "engine/tensor/memory_pool.h"

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
T fold_values(F f, const T* x, int64_t n) {
  static const Fold fold = fold_of(f);
  static const NativeLoop combine = &formula::lanes_loop<2, Lanes<T>, T, F>;
  DType dtype = sizeof(T) == 4 ? DType::F32 : DType::F64;
  return fold_line<T>({dtype, reinterpret_cast<const uint8_t*>(x), n, 1, 1, 1, nullptr}, combine,
                      fold);
}

// A line of one number, as an operand: operators broadcast it.
template <class T>
class Spread {
 public:
  explicit Spread(int64_t n) : values_(static_cast<size_t>(n)) {}
  const T* of(T v) {
    std::fill(values_.begin(), values_.end(), v);
    return values_.data();
  }

 private:
  Scratch<T> values_;
};

// Shifts a line so that its largest element is 0, and gives the sum of the exponentials, left in e.
template <class T>
T exponentials(const T* x, int64_t n, T* shifted, T* e) {
  const T top = fold_values(kGreater, x, n);
  for (int64_t i = 0; i < n; ++i) shifted[i] = x[i] - top;
  each<T, 1>([](auto a) { return exp(a); }, {shifted}, e, n);
  return T(0) + fold_values(kAdd, e, n);
}

// Of some lines at a time, so that the logarithms of their sums are taken together.
constexpr int64_t kLines = 32;

// `count` lines of n elements, which may be those of `out`; e: room for one.
template <class T>
void softmax_lines(const T* x, int64_t n, int64_t count, bool logarithm, T* e, T* out) {
  if (!logarithm) {
    for (int64_t k = 0; k < count; ++k, x += n, out += n) {
      const T total = exponentials(x, n, e, e);
      for (int64_t i = 0; i < n; ++i) out[i] = e[i] / total;
    }
    return;
  }
  T totals[kLines];
  for (int64_t k = 0; k < count; ++k) totals[k] = exponentials(x + k * n, n, out + k * n, e);
  each<T, 1>([](auto a) { return log(a); }, {totals}, totals, count);
  for (int64_t k = 0; k < count; ++k, out += n)
    for (int64_t i = 0; i < n; ++i) out[i] -= totals[k];
}

bool is_half(const Tensor& t) { return t.dtype() == DType::F16 || t.dtype() == DType::BF16; }

bool is_plain(const Tensor& t) {
  return t.is_contiguous() && t.numel() > 0 && (t.dtype() == DType::F32 || t.dtype() == DType::F64);
}

constexpr int64_t kPiece = 1 << 15;  // elements that are worth a thread's while

// Room for lines side by side.
template <class T>
struct Side {
  std::vector<T> fold;
  Scratch<T> e;
  T tops[kFoldLines], totals[kFoldLines];
};

// `lines` lines of n elements, at stride `step`.
template <class T>
void softmax_across(const T* x, int64_t n, int64_t step, int64_t lines, bool logarithm,
                    Side<T>& side, T* out) {
  static const NativeLoop greater = &formula::lanes_loop<2, Lanes<T>, T, decltype(kGreater)>;
  static const NativeLoop add = &formula::lanes_loop<2, Lanes<T>, T, decltype(kAdd)>;
  const DType dtype = sizeof(T) == 4 ? DType::F32 : DType::F64;
  auto bytes = [](const T* at) { return reinterpret_cast<const uint8_t*>(at); };
  T* e = side.e.data();
  fold_lines<T>({dtype, bytes(x), n, step, lines, 1, nullptr}, greater, side.fold, side.tops);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t c = 0; c < lines; ++c) e[i * lines + c] = x[i * step + c] - side.tops[c];
  for (int64_t i = 0; logarithm && i < n; ++i) std::copy_n(e + i * lines, lines, out + i * step);
  each<T, 1>([](auto a) { return exp(a); }, {e}, e, n * lines);
  fold_lines<T>({dtype, bytes(e), n, lines, lines, 1, nullptr}, add, side.fold, side.totals);
  for (int64_t c = 0; c < lines; ++c) side.totals[c] = T(0) + side.totals[c];
  if (logarithm) each<T, 1>([](auto a) { return log(a); }, {side.totals}, side.totals, lines);
  for (int64_t i = 0; i < n; ++i, e += lines, out += step) {
    if (logarithm)
      for (int64_t c = 0; c < lines; ++c) out[c] -= side.totals[c];
    else
      for (int64_t c = 0; c < lines; ++c) out[c] = e[c] / side.totals[c];
  }
}

template <class T>
void softmax_along(const Tensor& self, const Tensor& out, int64_t n, int64_t step, bool logarithm) {
  constexpr int64_t kSide = 1 << 15, kFewest = 64;
  if (step == 1) {
    parallel(self.numel() / n, kPiece / n + 1, [&](int64_t begin, int64_t end) {
      Scratch<T> e(static_cast<size_t>(n));
      for (int64_t k = begin; k < end; k += kLines)
        softmax_lines(self.data<T>() + k * n, n, std::min(kLines, end - k), logarithm, e.data(),
                      out.data<T>() + k * n);
    });
    return;
  }
  const int64_t lines = std::min({step, kFoldLines, std::max(kFewest, kSide / n)});
  const int64_t chunks = (step + lines - 1) / lines;
  parallel(self.numel() / (n * step) * chunks, kPiece / (n * lines) + 1,
           [&](int64_t begin, int64_t end) {
             Side<T> side;
             side.e.resize(static_cast<size_t>(n * lines));
             for (int64_t k = begin; k < end; ++k) {
               const int64_t first = k % chunks * lines, at = k / chunks * n * step + first;
               softmax_across(self.data<T>() + at, n, step, std::min(lines, step - first),
                              logarithm, side, out.data<T>() + at);
             }
           });
}

// Lines of halves, in floats, rounded once.
void softmax_halves(const Tensor& self, const Tensor& out, int64_t n, bool logarithm) {
  const DType dtype = self.dtype();
  const int64_t bytes = n * static_cast<int64_t>(size_of(dtype));
  parallel(self.numel() / n, kPiece / n + 1, [&](int64_t begin, int64_t end) {
    Scratch<float> x(static_cast<size_t>(n)), e(static_cast<size_t>(n)),
        line(static_cast<size_t>(n));
    for (int64_t k = begin; k < end; ++k) {
      load_block<float>(dtype, self.raw() + k * bytes, 1, n, x.data());
      softmax_lines(x.data(), n, 1, logarithm, e.data(), line.data());
      store_block<float>(dtype, out.raw() + k * bytes, 1, n, line.data());
    }
  });
}

template <bool logarithm>
bool run_softmax(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  int64_t dim = args[1].as_int(), rank = self.rank();
  const bool halves = is_half(self) && self.is_contiguous() && self.numel() > 0;
  if (rank == 0 || dim < -rank || dim >= rank || !args[2].is_none() || (!halves && !is_plain(self)))
    return false;
  int d = wrap_dim(dim, self.rank());
  int64_t n = self.sizes()[d], step = 1;
  for (int k = d + 1; k < rank; ++k) step *= self.sizes()[k];
  if (halves && step != 1) return false;
  Tensor out = Tensor::empty(self.sizes(), self.dtype());
  if (halves) softmax_halves(self, out, n, logarithm);
  else if (self.dtype() == DType::F32) softmax_along<float>(self, out, n, step, logarithm);
  else softmax_along<double>(self, out, n, step, logarithm);
  results.emplace_back(out);
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
  T mean = (T(0) + fold_values(kAdd, x, n)) / count;
  each<T, 2>([](auto a, auto b) { return a - b; }, {x, spread.of(mean)}, centered, n);
  each<T, 2>([](auto a, auto b) { return a * b; }, {centered, centered}, out, n);
  T variance = (T(0) + fold_values(kAdd, out, n)) / count;
  T scale = T(1) / std::sqrt(variance + static_cast<T>(eps));
  each<T, 4>([](auto a, auto b, auto w, auto c) { return a * b * w + c; },
             {centered, spread.of(scale), affine.weight.data(), affine.bias.data()}, out, n);
}

// A line of the parameter, or of the default that its absence means.
template <class T>
std::vector<T> line_of(const IValue& v, int64_t n, double absent) {
  if (v.is_none()) return std::vector<T>(static_cast<size_t>(n), static_cast<T>(absent));
  const Tensor t = v.as_tensor();
  std::vector<T> line(static_cast<size_t>(n));
  load_block<T>(t.dtype(), t.raw(), 1, n, line.data());
  return line;
}

// Halves are computed as floats.
template <class T>
Tensor layer_norm_of(const Tensor& self, int64_t n, Values args) {
  Tensor out = Tensor::empty(self.sizes(), self.dtype());
  Affine<T> affine{line_of<T>(args[2], n, 1), line_of<T>(args[3], n, -0.0)};
  const double eps = args[4].as_double();
  parallel(self.numel() / n, kPiece / n + 1, [&](int64_t begin, int64_t end) {
    Spread<T> spread(n);
    Scratch<T> centered(static_cast<size_t>(n)), line(is_half(self) ? static_cast<size_t>(n) : 0);
    for (int64_t at = begin * n; at < end * n; at += n) {
      if (!is_half(self)) {
        norm_line(self.data<T>() + at, n, eps, affine, spread, centered.data(), out.data<T>() + at);
        continue;
      }
      load_block<T>(self.dtype(), self.raw() + 2 * at, 1, n, line.data());
      norm_line(line.data(), n, eps, affine, spread, centered.data(), line.data());
      store_block<T>(self.dtype(), out.raw() + 2 * at, 1, n, line.data());
    }
  });
  return out;
}

bool run_layer_norm(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  Dims shape = args[1].as_dims();
  const bool plain = is_plain(self) || (is_half(self) && self.is_contiguous() && self.numel() > 0);
  if (!plain || shape.empty() || shape.rank() > self.rank()) return false;
  for (int d = 1; d <= shape.rank(); ++d) {
    if (shape[shape.rank() - d] != self.sizes()[self.rank() - d]) return false;
  }
  // Those of halves may be floats, both of them.
  std::optional<DType> wanted;
  for (const IValue& v : {args[2], args[3]}) {
    if (v.is_none()) continue;
    Tensor t = v.as_tensor();
    if (!wanted) wanted = is_half(self) && t.dtype() == DType::F32 ? DType::F32 : self.dtype();
    if (t.dtype() != *wanted || !(t.sizes() == shape) || !t.is_contiguous()) return false;
  }
  int64_t n = numel_of(shape);
  results.emplace_back(self.dtype() == DType::F64 ? layer_norm_of<double>(self, n, args)
                                                  : layer_norm_of<float>(self, n, args));
  return true;
}

// self [n, channels, the rest] by groups of channels.
template <class T>
Tensor group_norm_of(const Tensor& self, Values args) {
  Tensor out = Tensor::empty(self.sizes(), self.dtype());
  const int64_t channels = self.sizes()[1], plane = self.numel() / (self.sizes()[0] * channels);
  const int64_t each_group = channels / args[1].as_int(), n = each_group * plane;
  const std::vector<T> weight = line_of<T>(args[2], channels, 1),
                       bias = line_of<T>(args[3], channels, -0.0);
  const T eps = static_cast<T>(args[4].as_double());
  parallel(self.numel() / n, kPiece / n + 1, [&](int64_t begin, int64_t end) {
    Scratch<T> centered(static_cast<size_t>(n));
    for (int64_t g = begin; g < end; ++g) {
      const T* x = self.data<T>() + g * n;
      T* to = out.data<T>() + g * n;
      const T mean = (T(0) + fold_values(kAdd, x, n)) / static_cast<T>(n);
      for (int64_t i = 0; i < n; ++i) {
        centered[static_cast<size_t>(i)] = x[i] - mean;
        to[i] = centered[static_cast<size_t>(i)] * centered[static_cast<size_t>(i)];
      }
      const T variance = (T(0) + fold_values(kAdd, to, n)) / static_cast<T>(n);
      const T scale = T(1) / std::sqrt(variance + eps);
      const T *from = centered.data(), *w = weight.data() + g * each_group % channels,
              *b = bias.data() + g * each_group % channels;
      for (int64_t c = 0; plane == 1 && c < each_group; ++c) to[c] = from[c] * scale * w[c] + b[c];
      for (int64_t c = 0; plane != 1 && c < each_group; ++c)
        for (int64_t i = c * plane; i < (c + 1) * plane; ++i) to[i] = from[i] * scale * w[c] + b[c];
    }
  });
  return out;
}

bool fits_channels(const IValue& v, const Tensor& self) {
  if (v.is_none()) return true;
  const Tensor t = v.as_tensor();
  return t.dtype() == self.dtype() && t.sizes() == Dims{self.sizes()[1]} && t.is_contiguous();
}

// input, num_groups, weight, bias, eps
bool run_group_norm(Values args, std::vector<IValue>& results) {
  const Tensor self = args[0].as_tensor();
  const int64_t groups = args[1].as_int();
  if (!is_plain(self) || self.rank() < 2 || groups <= 0 || self.sizes()[1] % groups != 0 ||
      !fits_channels(args[2], self) || !fits_channels(args[3], self))
    return false;
  results.emplace_back(self.dtype() == DType::F32 ? group_norm_of<float>(self, args)
                                                  : group_norm_of<double>(self, args));
  return true;
}

template <class T>
Tensor batch_norm_of(const Tensor& self, Values args) {
  Tensor out = Tensor::empty(self.sizes(), self.dtype());
  int64_t channels = self.sizes()[1], plane = self.numel() / (self.sizes()[0] * channels);
  std::vector<T> weight = line_of<T>(args[1], channels, 1),
                 bias = line_of<T>(args[2], channels, -0.0);
  std::vector<T> mean = line_of<T>(args[3], channels, 0), spread = line_of<T>(args[4], channels, 0);
  const T eps = static_cast<T>(args[7].as_double());
  for (T& v : spread) v = T(1) / std::sqrt(v + eps);
  parallel(self.sizes()[0], kPiece / (plane * channels) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T* x = self.data<T>() + i * plane * channels;
      T* to = out.data<T>() + i * plane * channels;
      const T *m = mean.data(), *scale = spread.data(), *w = weight.data(), *b = bias.data();
      for (int64_t c = 0; plane == 1 && c < channels; ++c)
        to[c] = (x[c] - m[c]) * scale[c] * w[c] + b[c];
      for (int64_t c = 0; plane != 1 && c < channels; ++c)
        for (int64_t k = c * plane; k < (c + 1) * plane; ++k)
          to[k] = (x[k] - m[c]) * scale[c] * w[c] + b[c];
    }
  });
  return out;
}

// input, weight, bias, running_mean, running_var, training, momentum, eps: with statistics given.
bool run_batch_norm(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  if (!is_plain(self) || self.rank() < 2 || args[5].as_bool() || args[3].is_none() ||
      args[4].is_none())
    return false;
  for (size_t i = 1; i <= 4; ++i)
    if (!fits_channels(args[i], self)) return false;
  results.emplace_back(self.dtype() == DType::F32 ? batch_norm_of<float>(self, args)
                                                  : batch_norm_of<double>(self, args));
  return true;
}

// Lines longer than `most` are scaled to that length.
template <class T>
void shorten(const T* x, int64_t lines, int64_t n, T most, T* out) {
  for (; lines > 0; --lines, x += n, out += n) {
    each<T, 1>([](auto a) { return a * a; }, {x}, out, n);
    const T length = std::sqrt(T(0) + fold_values(kAdd, out, n));
    const T share = length > most ? T(1) / (length + static_cast<T>(1e-7)) * most : T(1);
    for (int64_t i = 0; i < n; ++i) out[i] = x[i] * share;
  }
}

// self, p, dim, maxnorm: Euclidean lengths, of what lies under each place of the first dimension.
bool run_renorm(Values args, std::vector<IValue>& results) {
  const Tensor self = args[0].as_tensor();
  const int64_t dim = args[2].as_int();
  const double most =
      args[3].is_int() ? static_cast<double>(args[3].as_int()) : args[3].as_double();
  const bool two = args[1].is_int() ? args[1].as_int() == 2 : args[1].as_double() == 2;
  if (!two || !is_plain(self) || self.rank() < 2 || (dim != 0 && dim != -self.rank()) ||
      !(most >= 0))
    return false;
  const int64_t lines = self.sizes()[0], n = self.numel() / lines;
  const Tensor out = Tensor::empty(self.sizes(), self.dtype());
  if (self.dtype() == DType::F32)
    shorten(self.data<float>(), lines, n, static_cast<float>(most), out.data<float>());
  else shorten(self.data<double>(), lines, n, most, out.data<double>());
  results.emplace_back(out);
  return true;
}

// What each line of self [images, classes, positions] has at its class; false where a class is out
// of range.
template <class T>
bool pick_losses(const Tensor& self, const Tensor& target, int64_t ignored, int64_t reduction,
                 T* out) {
  const int64_t lines = target.numel(), n = self.sizes()[1];
  const int64_t positions = lines / self.sizes()[0];
  const int64_t* classes = target.data<int64_t>();
  Scratch<T> losses(static_cast<size_t>(reduction ? lines : 0)), counted(losses.size());
  T* loss = reduction ? losses.data() : out;
  for (int64_t i = 0; i < lines; ++i) {
    bool counts = classes[i] != ignored;
    if (counts && (classes[i] < 0 || classes[i] >= n)) return false;
    const int64_t line = i / positions * n * positions + i % positions;
    loss[i] = counts ? -self.data<T>()[line + classes[i] * positions] : T(0);
    if (reduction) counted[static_cast<size_t>(i)] = counts;
  }
  if (!reduction) return true;
  *out = T(0) + fold_values(kAdd, losses.data(), lines);
  if (reduction == 1) *out /= T(0) + fold_values(kAdd, counted.data(), lines);
  return true;
}

// self [images, classes, ...], target, weight, reduction, ignore_index
bool run_nll(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor(), target = args[1].as_tensor();
  int64_t reduction = args[3].as_int(), ignored = args[4].as_int();
  if (!is_plain(self) || self.rank() < 2 || !args[2].is_none() || reduction < 0 || reduction > 2 ||
      target.dtype() != DType::I64 || !target.is_contiguous())
    return false;
  Dims sizes = self.sizes();
  sizes.erase(1);
  if (!(target.sizes() == sizes)) return false;
  Tensor out = Tensor::empty(reduction ? Dims() : sizes, self.dtype());
  bool good = self.dtype() == DType::F32
                  ? pick_losses<float>(self, target, ignored, reduction, out.data<float>())
                  : pick_losses<double>(self, target, ignored, reduction, out.data<double>());
  if (good) results.emplace_back(out);
  return good;
}

[[maybe_unused]] const bool kRegistered = [] {
  add_native({"aten::softmax.int", &run_softmax<false>});
  add_native({"aten::log_softmax.int", &run_softmax<true>});
  add_native({"aten::layer_norm", &run_layer_norm});
  add_native({"aten::group_norm", &run_group_norm});
  add_native({"aten::batch_norm", &run_batch_norm});
  add_native({"prim::batch_normal", &run_batch_norm});
  add_native({"aten::nll_loss_nd", &run_nll});
  add_native({"aten::renorm", &run_renorm});
  return true;
}();

}  // namespace
}  // namespace fusillade
