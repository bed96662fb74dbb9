// Recurrent layers of floats and doubles natively: LSTM, GRU and RNN over whole sequences.
//
// Each step is the body's, but the inputs of many steps meet their weights in one product, the
// weights of the state are turned once for all steps (small matrices that lie in rows BLAS reads in
// their place, others it packs at each call), and what follows the products is one pass over the
// gates. Dropout between layers, and what is illegal, are the body's.
#include "engine/ops/native.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "engine/aten/recurrent/cells.h"
#include "engine/scalar/lanes.h"
#include "engine/tensor/gemm.h"
#include "engine/tensor/memory_pool.h"
#include "engine/tensor/product.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

// The cells for this machine.
template <class T>
const CellKernels<T>& cells() {
#if defined(__x86_64__) && defined(__clang__)
  if (has_avx512()) {
    if constexpr (std::is_same_v<T, float>) return avx512::kFloatCells;
    else return avx512::kDoubleCells;
  }
#endif
  return Cells<T, kLaneBytes>::kKernels;
}

template <int kNumber, auto kWhich>
struct Cell {
  static constexpr int kGates = kNumber;
  template <class T>
  static void run(const CellLine<T>& line) {
    static const auto kernel = kWhich(cells<T>());
    kernel(line);
  }
};
using Lstm = Cell<4, [](const auto& all) { return all.lstm; }>;
using Gru = Cell<3, [](const auto& all) { return all.gru; }>;
using Tanh = Cell<1, [](const auto& all) { return all.tanh; }>;
using Relu = Cell<1, [](const auto& all) { return all.relu; }>;

// ---------------------------------------------------------------------------- layers

// What a call is given: sequences [steps, batch, features], states [layers * directions, batch,
// ...].
struct Given {
  Tensor x, h, c;  // c of LSTM alone
  std::vector<IValue> params;
  int64_t gates, layers, directions, steps, batch;
  int64_t cell, width;  // of a cell's state and of h, which may be projected to fewer
  bool biased, batch_first;
  bool has_projection() const { return cell != width; }
  int64_t per_side() const { return 2 + 2 * biased + has_projection(); }
};

// Parameters of one layer and direction, contiguous; undefined where there is none.
struct Weights {
  Tensor input, state, input_bias, state_bias, projection;
};

std::optional<Weights> weights_of(const Given& g, int64_t at, int64_t features) {
  const IValue* next = g.params.data() + at * g.per_side();
  bool good = true;
  auto take = [&](bool present, const Dims& sizes) {
    if (!present) return Tensor();
    Tensor t = (next++)->as_tensor();
    good = good && t.dtype() == g.x.dtype() && t.sizes() == sizes;
    return contiguous(t);
  };
  Weights w;
  const int64_t rows = g.gates * g.cell;
  w.input = take(true, Dims{rows, features});
  w.state = take(true, Dims{rows, g.width});
  w.input_bias = take(g.biased, Dims{rows});
  w.state_bias = take(g.biased, Dims{rows});
  w.projection = take(g.has_projection(), Dims{g.width, g.cell});
  return good ? std::optional(w) : std::nullopt;
}

// A matrix [rows, columns] as the right side of x @ m', where x has so many lines; `kept` owns its
// copy.
template <class T>
MatrixIn<T> right_side(const Tensor& m, int64_t lines, Tensor& kept) {
  int64_t rows = m.sizes()[0], columns = m.sizes()[1];
  Tensor turned = Tensor::view_of(m, m.offset(), Dims{columns, rows}, Dims{1, columns});
  if (lines == 1) return {m.data<T>(), columns, rows, 1, columns};
  // Rows with a power-of-two stride would share few lines of the cache.
  const int64_t stride = rows + 64 / static_cast<int64_t>(sizeof(T));
  kept = Tensor::empty(Dims{columns, stride}, m.dtype());
  copy_into(Tensor::view_of(kept, 0, turned.sizes(), Dims{stride, 1}), turned);
  return {kept.data<T>(), columns, rows, stride, 1};
}

constexpr int64_t kProducts = 1 << 18;  // elements of the inputs' product computed at a time

// One layer in one direction over all steps. h and c are the states, changed from step to step; the
// states go to `out`, one line at stride `lead` for each step and sequence.
template <class Kind, class T>
class Side {
 public:
  Side(const Given& g, const Weights& w, T* h, T* c) : g_(g), h_(h), c_(c), input_(w.input) {
    const size_t rows = static_cast<size_t>(g.gates * g.cell);
    auto bias = [&](const Tensor& t) {
      return t.is_defined() ? std::vector<T>(t.data<T>(), t.data<T>() + rows)
                            : std::vector<T>(rows);
    };
    input_bias_ = bias(w.input_bias);
    state_bias_ = bias(w.state_bias);
    state_ = right_side<T>(w.state, g.batch, kept_state_);
    if (g.has_projection()) projection_ = right_side<T>(w.projection, g.batch, kept_projection_);
    from_state_.resize(static_cast<size_t>(g.batch) * rows);
    wide_.resize(g.has_projection() ? static_cast<size_t>(g.batch * g.cell) : 0);
  }

  void run(const Tensor& x, bool backward, T* out, int64_t lead) {
    const int64_t features = x.sizes()[2], rows = g_.gates * g_.cell;
    const int64_t most = std::clamp<int64_t>(kProducts / (g_.batch * rows), 1, g_.steps);
    const MatrixIn<T> weights{input_.data<T>(), features, rows, 1, features};
    Scratch<T> from_input(static_cast<size_t>(most * g_.batch * rows));
    for (int64_t done = 0, count = 0; done < g_.steps; done += count) {
      count = std::min(most, g_.steps - done);
      const int64_t first = backward ? g_.steps - done - count : done;
      const T* inputs = x.data<T>() + first * g_.batch * features;
      multiply(MatrixIn<T>{inputs, count * g_.batch, features, features, 1}, weights,
               from_input.data());
      for (int64_t k = 0; k < count; ++k) {
        const int64_t t = backward ? count - 1 - k : k;
        step(from_input.data() + t * g_.batch * rows);
        T* to = out + (first + t) * g_.batch * lead;
        for (int64_t b = 0; b < g_.batch; ++b)
          std::copy_n(h_ + b * g_.width, g_.width, to + b * lead);
      }
    }
  }

 private:
  void step(const T* from_input) {
    const int64_t rows = g_.gates * g_.cell;
    multiply(MatrixIn<T>{h_, g_.batch, g_.width, g_.width, 1}, state_, from_state_.data());
    T* h = g_.has_projection() ? wide_.data() : h_;
    for (int64_t b = 0; b < g_.batch; ++b) {
      const CellLine<T> line{from_input + b * rows,
                             from_state_.data() + b * rows,
                             input_bias_.data(),
                             state_bias_.data(),
                             h + b * g_.cell,
                             c_ ? c_ + b * g_.cell : nullptr,
                             g_.cell};
      Kind::run(line);
    }
    if (g_.has_projection())
      multiply(MatrixIn<T>{wide_.data(), g_.batch, g_.cell, g_.cell, 1}, projection_, h_);
  }

  const Given& g_;
  T *h_, *c_;
  const Tensor input_;
  Tensor kept_state_, kept_projection_;
  MatrixIn<T> state_, projection_;
  std::vector<T> input_bias_, state_bias_, from_state_, wide_;
};

// input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first
std::optional<Given> parse_args(Values args, int64_t gates) {
  Given g;
  g.x = args[0].as_tensor();
  const bool two = gates == Lstm::kGates;
  if (two && args[1].items().size() != 2) return std::nullopt;
  g.h = two ? args[1].items()[0].as_tensor() : args[1].as_tensor();
  g.c = two ? args[1].items()[1].as_tensor() : g.h;
  g.params = args[2].items();
  g.gates = gates;
  g.biased = args[3].as_bool();
  g.layers = args[4].as_int();
  g.directions = 1 + args[7].as_bool();
  g.batch_first = args[8].as_bool();
  const double dropout = args[5].as_double();
  const bool drops = !(dropout == 0 || (!args[6].as_bool() && dropout > 0 && dropout <= 1));
  const DType dtype = g.x.dtype();
  const bool real = dtype == DType::F32 || dtype == DType::F64;
  if (!real || drops || g.h.dtype() != dtype || g.c.dtype() != dtype) return std::nullopt;
  if (g.x.rank() != 3 || g.h.rank() != 3 || g.c.rank() != 3 || g.layers < 1) return std::nullopt;
  g.steps = g.x.sizes()[g.batch_first ? 1 : 0];
  g.batch = g.x.sizes()[g.batch_first ? 0 : 1];
  g.cell = g.c.sizes()[2];
  g.width = g.h.sizes()[2];
  const int64_t sides = g.layers * g.directions;
  const bool fits = g.h.sizes() == Dims{sides, g.batch, g.width} &&
                    g.c.sizes() == Dims{sides, g.batch, g.cell} && g.x.numel() > 0 &&
                    g.h.numel() > 0 && g.c.numel() > 0 &&
                    static_cast<int64_t>(g.params.size()) == sides * g.per_side();
  return fits ? std::optional(g) : std::nullopt;
}

Tensor swap_first_dims(const Tensor& t) {
  const Dims &sizes = t.sizes(), &strides = t.strides();
  return Tensor::view_of(t, t.offset(), Dims{sizes[1], sizes[0], sizes[2]},
                         Dims{strides[1], strides[0], strides[2]});
}

template <class Kind, class T>
bool run_layers(const Given& g, std::vector<IValue>& results) {
  std::vector<Weights> weights;
  for (int64_t at = 0; at < g.layers * g.directions; ++at) {
    const int64_t features = at < g.directions ? g.x.sizes()[2] : g.directions * g.width;
    std::optional<Weights> w = weights_of(g, at, features);
    if (!w) return false;
    weights.push_back(*w);
  }
  const bool two = Kind::kGates == Lstm::kGates;
  Tensor h = contiguous(g.h, true), c = two ? contiguous(g.c, true) : Tensor();
  Tensor x = contiguous(g.batch_first ? swap_first_dims(g.x) : g.x);
  for (int64_t at = 0, layer = 0; layer < g.layers; ++layer) {
    Tensor out = Tensor::empty(Dims{g.steps, g.batch, g.directions * g.width}, x.dtype());
    for (int64_t side = 0; side < g.directions; ++side, ++at) {
      T* memory = two ? c.data<T>() + at * g.batch * g.cell : nullptr;
      Side<Kind, T> one(g, weights[static_cast<size_t>(at)], h.data<T>() + at * g.batch * g.width,
                        memory);
      one.run(x, side != 0, out.data<T>() + side * g.width, g.directions * g.width);
    }
    x = out;
  }
  results.emplace_back(g.batch_first ? swap_first_dims(x) : x);
  results.emplace_back(h);
  if (two) results.emplace_back(c);
  return true;
}

template <class Kind>
bool run_native(Values args, std::vector<IValue>& results) {
  std::optional<Given> g = parse_args(args, Kind::kGates);
  if (!g) return false;
  return g->x.dtype() == DType::F32 ? run_layers<Kind, float>(*g, results)
                                    : run_layers<Kind, double>(*g, results);
}

[[maybe_unused]] const bool kRegistered = [] {
  add_native({"aten::lstm.input", &run_native<Lstm>});
  add_native({"aten::gru.input", &run_native<Gru>});
  add_native({"aten::rnn_tanh.input", &run_native<Tanh>});
  add_native({"aten::rnn_relu.input", &run_native<Relu>});
  return true;
}();

}  // namespace
}  // namespace fusillade
