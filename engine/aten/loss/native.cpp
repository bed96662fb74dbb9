// The CTC loss natively: the body's recursion over time, of a whole batch at once.
//
// A line of labels with blanks between them is a lattice of states; alpha is how likely each is
// after so many steps. Steps are the body's, bit by bit. Contiguous floats and doubles with a
// batch, targets of int64.
#include "engine/ops/native.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/ops/fold.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

constexpr auto kAdd = [](auto a, auto b) { return a + b; };
// log(exp(a) + exp(b))
constexpr auto kJoin = [](auto a, auto b) {
  using N = decltype(a);
  const auto larger = select(a != a, a, select(b != b, b, select(a < b, b, a)));
  const auto sum = larger + log1p(exp(-abs(a - b)));
  return select((a == b) & (abs(a) == N(INFINITY)), larger, sum);
};

template <class T>
void join(const T* a, const T* b, T* out, int64_t n) {
  const void* in[2] = {a, b};
  formula::lanes_loop<2, Lanes<T>, T, decltype(kJoin)>(in, out, n);
}

struct Lattice {
  int64_t images = 0, width = 0;  // how many states each has, blanks between labels
  std::vector<int64_t> labels;    // of each state: which class
  std::vector<int64_t> lengths, input_lengths;
  std::vector<uint8_t> skips;  // whether a state is reached over the blank in front of it
  int64_t states() const { return images * width; }
};

bool numbers_of(const IValue& v, int64_t count, std::vector<int64_t>& out) {
  const Tensor t = v.as_tensor();
  if (t.dtype() != DType::I64 || !t.is_contiguous() || t.numel() != count) return false;
  out.assign(t.data<int64_t>(), t.data<int64_t>() + count);
  return true;
}

// Where each image's labels begin; false where targets do not fit their lengths.
bool starts_of(const Tensor& targets, const Lattice& x, int64_t most, std::vector<int64_t>& out) {
  if (targets.dtype() != DType::I64 || !targets.is_contiguous()) return false;
  const bool line = targets.rank() == 1;
  if (!line && (targets.rank() != 2 || targets.sizes()[0] != x.images || targets.sizes()[1] < most))
    return false;
  int64_t at = 0;
  for (int64_t length : x.lengths) {
    out.push_back(at);
    if (length > targets.numel()) return false;
    at += line ? length : targets.sizes()[1];
  }
  return !line || at == targets.numel();
}

// log_probs [steps, images, classes], targets, input_lengths, target_lengths, blank
bool lattice_of(Values args, Lattice& x) {
  const Tensor self = args[0].as_tensor(), targets = args[1].as_tensor();
  const int64_t blank = args[4].as_int(), classes = self.sizes()[2];
  x.images = self.sizes()[1];
  if (blank < 0 || blank >= classes || !numbers_of(args[2], x.images, x.input_lengths) ||
      !numbers_of(args[3], x.images, x.lengths))
    return false;
  if (std::ranges::max(x.input_lengths) > self.sizes()[0] || std::ranges::min(x.lengths) < 0)
    return false;
  const int64_t most = std::ranges::max(x.lengths);
  std::vector<int64_t> starts;
  if (!starts_of(targets, x, most, starts)) return false;
  x.width = 2 * most + 1;
  x.labels.assign(static_cast<size_t>(x.states()), blank);
  x.skips.assign(x.labels.size(), 0);
  for (size_t i = 0; i < starts.size(); ++i) {
    int64_t* labels = x.labels.data() + static_cast<int64_t>(i) * x.width;
    uint8_t* skips = x.skips.data() + static_cast<int64_t>(i) * x.width;
    for (int64_t k = 0; k < x.lengths[i]; ++k) {
      const int64_t label = targets.data<int64_t>()[starts[i] + k];
      if (label < 0 || label >= classes) return false;
      labels[2 * k + 1] = label;
    }
    for (int64_t s = 2; s < x.width; ++s)
      skips[s] = labels[s] != labels[s - 2] && labels[s] != blank;
  }
  return true;
}

// What each image's labels cost.
template <class T>
std::vector<T> losses_of(const Tensor& self, const Lattice& x) {
  constexpr T kLow = -std::numeric_limits<T>::infinity();
  const int64_t n = x.states(), classes = self.sizes()[2];
  const size_t room = static_cast<size_t>(n);
  std::vector<T> alpha(room, kLow), before(room, kLow), skipped(room, kLow), joined(room);
  auto likely = [&](int64_t t, int64_t s) {
    return self
        .data<T>()[(t * x.images + s / x.width) * classes + x.labels[static_cast<size_t>(s)]];
  };
  for (int64_t i = 0; i < x.images; ++i)
    for (int64_t s = i * x.width; s < i * x.width + std::min<int64_t>(x.width, 2); ++s)
      alpha[static_cast<size_t>(s)] = likely(0, s);
  for (int64_t t = 1; t < self.sizes()[0]; ++t) {
    for (int64_t i = 0; i < x.images; ++i) {
      const int64_t first = i * x.width, end = first + x.width;
      std::copy_n(alpha.data() + first, x.width - 1, before.data() + first + 1);
      for (int64_t s = first + 2; s < end; ++s)
        skipped[static_cast<size_t>(s)] =
            x.skips[static_cast<size_t>(s)] ? alpha[static_cast<size_t>(s - 2)] : kLow;
    }
    join(alpha.data(), before.data(), joined.data(), n);
    join(joined.data(), skipped.data(), joined.data(), n);
    for (int64_t i = 0; i < x.images; ++i) {
      if (x.input_lengths[static_cast<size_t>(i)] <= t) continue;
      for (int64_t s = i * x.width; s < (i + 1) * x.width; ++s)
        alpha[static_cast<size_t>(s)] = joined[static_cast<size_t>(s)] + likely(t, s);
    }
  }
  std::vector<T> ends, last, out(static_cast<size_t>(x.images));
  for (int64_t i = 0; i < x.images; ++i) {
    const int64_t length = x.lengths[static_cast<size_t>(i)];
    const T* end = alpha.data() + i * x.width + 2 * length;
    ends.push_back(*end);
    last.push_back(length ? end[-1] : kLow);
  }
  join(ends.data(), last.data(), out.data(), x.images);
  for (T& v : out) v = -v;
  return out;
}

template <class T>
Tensor reduce_losses(const Tensor& self, const Lattice& x, int64_t reduction, bool zero_infinity) {
  static const Fold fold = fold_of(kAdd);
  std::vector<T> losses = losses_of<T>(self, x);
  const int64_t n = x.images;
  for (T& v : losses)
    if (zero_infinity && std::isinf(v)) v = 0;
  for (size_t i = 0; reduction == 1 && i < losses.size(); ++i)
    losses[i] /= static_cast<T>(std::max<int64_t>(x.lengths[i], 1));
  const bool whole = reduction == 1 || reduction == 2;
  const Tensor out = Tensor::empty(whole ? Dims() : Dims{n}, self.dtype());
  if (!whole) {
    std::ranges::copy(losses, out.data<T>());
    return out;
  }
  const Lines line{self.dtype(), reinterpret_cast<const uint8_t*>(losses.data()), n, 1, 1, 1,
                   nullptr};
  const T sum =
      T(0) + fold_line<T>(line, &formula::lanes_loop<2, Lanes<T>, T, decltype(kAdd)>, fold);
  *out.data<T>() = reduction == 1 ? sum / static_cast<T>(n) : sum;
  return out;
}

// log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity
bool run_loss(Values args, std::vector<IValue>& results) {
  const Tensor self = args[0].as_tensor();
  const bool real = self.dtype() == DType::F32 || self.dtype() == DType::F64;
  Lattice x;
  if (!real || self.rank() != 3 || self.numel() == 0 || !self.is_contiguous() ||
      !lattice_of(args, x))
    return false;
  const int64_t reduction = args[5].as_int();
  const bool zero_infinity = args[6].as_bool();
  results.emplace_back(self.dtype() == DType::F32
                           ? reduce_losses<float>(self, x, reduction, zero_infinity)
                           : reduce_losses<double>(self, x, reduction, zero_infinity));
  return true;
}

[[maybe_unused]] const bool kRegistered = [] {
  add_native({"aten::ctc_loss.Tensor", &run_loss});
  return true;
}();

}  // namespace
}  // namespace fusillade
