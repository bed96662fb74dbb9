// Folding into convolutions: what scales or shifts the channels of a convolution of constant
// weights becomes part of the weights.
//
//   %y = aten::conv2d(%x, %w, %b, ...)                     %z = aten::conv2d(%x, %w', %b', ...)
//   %z = aten::batch_norm(%y, %g, %h, %m, %v, ...)   ==>   w' = w s, b' = (b - m) s + h,
//                                                          s = g / sqrt(v + eps)
//
// fold_conv(batch_norm) takes batch_norm in evaluation; fold_conv(all) also mul, div, add and sub
// of a number or of one number per channel. The convolution has no other use; all that is folded is
// constant, of the weights' dtype (f32 or f64) and finite, and nothing writes it. For frozen
// modules. The result may lie further from the program's than its rounding explains, so there is no
// such pass without a word, and campaigns judge it in the ring, where it is exact (the oracle
// `freeze`). There numbers are of the weights' width, else doubles. (law: rules name ops)
#include "engine/passes/fold_conv.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>

#include "engine/base/error.h"
#include "engine/ir/visit.h"
#include "engine/passes/constants.h"
#include "engine/passes/effects.h"
#include "engine/passes/insert.h"
#include "engine/passes/pass.h"
#include "engine/scalar/native.h"
#include "engine/scalar/ring.h"
#include "engine/tensor/block.h"
#include "engine/tensor/domain.h"

namespace fusillade {
namespace {

template <class N>
using Channels = std::vector<N>;

template <class N>
struct Change {
  Channels<N> scale, shift;  // y becomes y * scale + shift
};

using Real = Native<double>;

// The elements of a tensor, in their order, and back.
template <class N>
std::vector<N> numbers_of(const Tensor& t) {
  std::vector<decltype(N::v)> values(static_cast<size_t>(t.numel()));
  const Tensor whole = contiguous(t);
  load_block(t.dtype(), whole.raw(), 1, t.numel(), values.data());
  std::vector<N> out;
  for (auto v : values) out.push_back(N::of(v));
  return out;
}
template <class N>
Tensor tensor_of(const std::vector<N>& numbers, const Dims& sizes, DType dtype) {
  std::vector<decltype(N::v)> values;
  for (N x : numbers) values.push_back(x.v);
  Tensor out = Tensor::empty(sizes, dtype);
  store_block(dtype, out.raw(), 1, out.numel(), values.data());
  return out;
}

bool idle_batch_norm(const Node* node) {
  if (node->op().schema.name != "aten::batch_norm" || node->inputs().size() < 8) return false;
  const IValue* training = constant_of(node->input(5));
  return training && training->is_bool() && !training->as_bool();
}

template <class N>
class Folder {
 public:
  Folder(Graph& graph, Rewriter& rewriter, bool all)
      : effects_(graph), rewriter_(rewriter), all_(all) {}

  bool run(Block* block) {
    return any_node_inside_out(block, [&](Node* node) { return fold(node); });
  }

 private:
  bool fold(Node* conv) {
    const int dims = folded_dims_of(conv);
    if (dims == 0 || conv->inputs().size() < 3 || conv->output()->uses().size() != 1) return false;
    const Type& type = conv->output()->type();
    if (!type.is_tensor() || !type.info().rank_known || type.info().sizes.rank() != dims + 2)
      return false;
    const Tensor* weight = tensor(conv->input(1));
    if (!weight || !is_of_numbers(weight->dtype())) return false;
    const size_t count = static_cast<size_t>(weight->sizes()[0]);
    std::optional<Channels<N>> bias = Channels<N>(count, N(0.0));
    if (!conv->input(2)->type().is(TypeKind::None)) bias = channels(conv->input(2), *weight, -1);
    Node* user = conv->output()->uses()[0].user;
    if (!bias || conv->output()->uses()[0].index != 0 || user->block() != conv->block())
      return false;
    std::optional<Change<N>> change = change_of(user, *weight, dims);
    if (!change || !rewrite(conv, user, *weight, *bias, *change)) return false;
    return true;
  }

  // The tensor behind a constant that nothing writes, but for a batch_norm that is in evaluation.
  const Tensor* tensor(const Value* v) {
    const IValue* constant = constant_of(v);
    if (!constant || !constant->is_tensor()) return nullptr;
    for (const Node* writer : effects_.writers()) {
      if (idle_batch_norm(writer)) continue;
      const std::vector<int> written = effects_.written_classes(writer);
      if (std::count(written.begin(), written.end(), effects_.class_of(v))) return nullptr;
    }
    owned_.push_back(constant->as_tensor());
    return owned_.back().is_defined() ? &owned_.back() : nullptr;
  }

  // One number per channel of a constant; its channel dim is `dims` dims before the last (-1: it
  // has no other dim).
  std::optional<Channels<N>> channels(const Value* v, const Tensor& weight, int dims) {
    const auto count = static_cast<size_t>(weight.sizes()[0]);
    const IValue* constant = constant_of(v);
    if (constant && (constant->is_int() || constant->is_float()))
      return Channels<N>(count, N(constant->as_double()));
    const Tensor* t = tensor(v);
    if (!t || t->dtype() != weight.dtype()) return std::nullopt;
    if (t->rank() > 0 && (dims < 0 ? t->rank() != 1 : t->rank() < dims + 1 || t->rank() > dims + 2))
      return std::nullopt;
    const int at = dims < 0 ? 0 : t->rank() - 1 - dims;
    const bool one = t->numel() == 1;
    if (!one && (t->numel() != weight.sizes()[0] || t->sizes()[at] != weight.sizes()[0]))
      return std::nullopt;
    const std::vector<N> numbers = numbers_of<N>(*t);
    return one ? Channels<N>(count, numbers[0]) : numbers;
  }

  std::optional<Change<N>> change_of(const Node* user, const Tensor& weight, int dims) {
    if (idle_batch_norm(user)) return of_batch_norm(user, weight);
    if (!all_) return std::nullopt;
    const std::string& op = user->op().schema.name;
    const bool sums = op == "aten::add" || op == "aten::sub";
    if (user->op().in_place || (!sums && op != "aten::mul" && op != "aten::div"))
      return std::nullopt;
    const size_t count = user->inputs().size();
    if (count != 2 && !(sums && count == 3)) return std::nullopt;
    if (count == 3) {
      const IValue* factor = constant_of(user->input(2));
      if (!factor || !factor->is_int() || factor->as_int() != 1) return std::nullopt;
    }
    std::optional<Channels<N>> c = channels(user->input(1), weight, dims);
    if (!c) return std::nullopt;
    Change<N> out{Channels<N>(c->size(), N(1.0)), Channels<N>(c->size(), N(0.0))};
    for (size_t i = 0; i < c->size(); ++i) {
      if (sums) out.shift[i] = op == "aten::add" ? (*c)[i] : -(*c)[i];
      else out.scale[i] = op == "aten::mul" ? (*c)[i] : N(1.0) / (*c)[i];
    }
    return out;
  }

  std::optional<Change<N>> of_batch_norm(const Node* norm, const Tensor& weight) {
    const auto count = static_cast<size_t>(weight.sizes()[0]);
    auto channels_or = [&](int i, double otherwise) -> std::optional<Channels<N>> {
      if (norm->input(i)->type().is(TypeKind::None)) return Channels<N>(count, N(otherwise));
      return channels(norm->input(i), weight, -1);
    };
    if (norm->input(3)->type().is(TypeKind::None) || norm->input(4)->type().is(TypeKind::None))
      return std::nullopt;  // it takes the batch's own
    const std::optional<Channels<N>> g = channels_or(1, 1), h = channels_or(2, 0),
                                     mean = channels_or(3, 0), var = channels_or(4, 1);
    const IValue* eps = constant_of(norm->input(7));
    if (!g || !h || !mean || !var || !eps || !eps->is_float()) return std::nullopt;
    Change<N> out{Channels<N>(count), Channels<N>(count)};
    for (size_t i = 0; i < count; ++i) {
      out.scale[i] = (*g)[i] / sqrt((*var)[i] + N(eps->as_double()));
      out.shift[i] = (*h)[i] - (*mean)[i] * out.scale[i];
    }
    return out;
  }

  bool rewrite(Node* conv, Node* user, const Tensor& weight, const Channels<N>& bias,
               const Change<N>& change) {
    std::vector<N> scaled = numbers_of<N>(weight), moved = bias;
    for (size_t i = 0; i < scaled.size(); ++i)
      scaled[i] = scaled[i] * change.scale[i / (scaled.size() / bias.size())];
    for (size_t k = 0; k < moved.size(); ++k)
      moved[k] = moved[k] * change.scale[k] + change.shift[k];
    const Tensor weights = tensor_of(scaled, weight.sizes(), weight.dtype());
    const Tensor biases = tensor_of(moved, {static_cast<int64_t>(bias.size())}, weight.dtype());
    if (!are_finite(weights) || !are_finite(biases)) return false;
    if (!rewriter_.allow("into-weights", user)) return false;
    conv->set_input(1, conv->graph().constant(IValue(weights), conv));
    conv->set_input(2, conv->graph().constant(IValue(biases), conv));
    user->output()->replace_all_uses_with(conv->output());
    user->destroy();
    return true;
  }

  static bool is_of_numbers(DType dtype) {
    if (dtype == DType::F32) return sizeof(N) == sizeof(float) || std::is_same_v<N, Real>;
    return dtype == DType::F64 && sizeof(N) == sizeof(double);
  }

  // Residues are.
  static bool are_finite(const Tensor& t) {
    if constexpr (std::is_same_v<N, Real>)
      for (int64_t i = 0; i < t.numel(); ++i)
        if (!std::isfinite(element_as_double(t, i))) return false;
    return true;
  }

  Effects effects_;
  Rewriter& rewriter_;
  bool all_;
  std::deque<Tensor> owned_;  // what is pointed to
};

void check_words(const std::vector<std::string>& args) {
  if (args.size() != 1 || (args[0] != "batch_norm" && args[0] != "all"))
    fail("takes one word, batch_norm or all");
}

}  // namespace

int folded_dims_of(const Node* node) {
  const std::string& op = node->op().schema.name;
  return op == "aten::conv1d" ? 1 : op == "aten::conv2d" ? 2 : op == "aten::conv3d" ? 3 : 0;
}

Value* insert_folded_step(size_t kind, Value* y, int dims,
                          const std::function<Value*(int d)>& channels, Node* before) {
  constexpr const char* kOfOne[] = {"aten::mul", "aten::add", "aten::sub", "aten::div"};
  if (kind < std::size(kOfOne)) return insert_op(kOfOne[kind], {y, channels(dims)}, before);
  std::vector<Value*> args = {y};
  for (int i = 0; i < 4; ++i) args.push_back(channels(0));
  // training, momentum, eps, cudnn_enabled
  for (const IValue& word : {IValue(false), IValue(0.1), IValue(1e-5), IValue(false)})
    args.push_back(before->graph().constant(word, before));
  return insert_op("aten::batch_norm", args, before);
}

PASS_WITH_WORDS(fold_conv, kNoPromise,
                "fold ops after a convolution into its constant weights: fold_conv(batch_norm) or "
                "fold_conv(all)",
                check_words) {
  const bool all = args[0] == "all";
  const auto folds = [&]<class N>(N) { return Folder<N>(graph, rewriter, all).run(graph.block()); };
  const auto once = [&] {
    if (current_domain() == Domain::Real) return folds(Real());
    const bool narrow = folds(Ring<uint32_t>());
    return folds(Ring<uint64_t>()) || narrow;
  };
  while (once()) {
  }
}

}  // namespace fusillade
