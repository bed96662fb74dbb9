// Losses: an element-wise formula, then nothing, a mean or a sum (reduction 0, 1, 2).
//
// Losses over classes pick the log-probability of each target; targets equal to ignore_index count
// nothing. binary_cross_entropy takes probabilities: what is outside [0, 1] raises, NaN too.
#include "engine/aten/view/view.h"
#include "engine/ops/composite.h"
#include "engine/ops/pointwise.h"
#include "engine/ops/scalar_operator.h"

namespace fusillade {
namespace {

using Args = std::span<const ArgInfo>;
using Views = std::vector<ViewGeometry>;
using Values = std::span<const IValue>;

constexpr const char* kFamily = "loss";

// ---------------------------------------------------------------------------- element-wise

template <class F>
const Formula& two(F f) {
  return real_formula<2>(f);
}

void add_formula(const char* schema, PointwiseDef def) {
  def.generate = false;
  add_pointwise(schema, def, kFamily, false);
}

void formulas() {
  PointwiseDef def;
  def.real = &two([](auto x, auto t) { return (x - t) * (x - t); });
  add_formula("prim::squared_error(Tensor self, Tensor target) -> Tensor", def);
  def.real = &real_formula<3>([](auto x, auto t, auto beta) {
    using N = decltype(x);
    auto z = abs(x - t);
    return select(z < beta, N(0.5) * z * z / beta, z - N(0.5) * beta);
  });
  // A square that underflows, beta may bring back.
  def.elsewhere = {&real_formula<3>([](auto x, auto t, auto beta) {
                     using N = decltype(x);
                     auto z = abs(x - t);
                     return select(z < beta, N(0.5) * (z * z) / beta, z - N(0.5) * beta);
                   }),
                   &real_formula<3>([](auto x, auto t, auto beta) {
                     using N = decltype(x);
                     auto z = abs(x - t);
                     return select(z < beta, N(0.5) * z * (z / beta), z - N(0.5) * beta);
                   })};
  add_formula("prim::smooth_error(Tensor self, Tensor target, Scalar beta) -> Tensor", def);
  def.elsewhere = {};
  def.real = &real_formula<3>([](auto x, auto t, auto delta) {
    using N = decltype(x);
    auto z = abs(x - t);
    return select(z <= delta, N(0.5) * z * z, delta * (z - N(0.5) * delta));
  });
  add_formula("prim::huber_error(Tensor self, Tensor target, Scalar delta) -> Tensor", def);
  def.real = &two([](auto x, auto t) {
    using N = decltype(x);
    auto yes = log(x);
    auto no = log1p(-x);
    yes = select(yes < N(-100.0), N(-100.0), yes);
    no = select(no < N(-100.0), N(-100.0), no);
    return (t - N(1.0)) * no - t * yes;
  });
  add_formula("prim::cross_entropy_error(Tensor self, Tensor target) -> Tensor", def);
  PointwiseDef logits;
  logits.real = &real_formula<3>([](auto x, auto t, auto weight) {
    using N = decltype(x);
    auto most = select(x < N(0.0), -x, N(0.0));
    auto log_weight = (weight - N(1.0)) * t + N(1.0);
    return (N(1.0) - t) * x + log_weight * (log(exp(-most) + exp(-x - most)) + most);
  });
  logits.operands = {0, 1, 2};
  logits.absent = {0, 0, 1};
  add_formula("prim::logits_error(Tensor self, Tensor target, Tensor? pos_weight) -> Tensor",
              logits);
}

// A legal number in a loss's argument.
IValue positive(Values v) {
  double given = v[1].as_double();
  bool zero = v[2].as_bool();
  if (given > 0 || (zero && given == 0)) return v[1];
  fail("{}: {} is not {}", v[0].as_str(), given, zero ? "a number from 0 on" : "positive");
}

// How much of each target is given to all classes: none where the share is not positive.
IValue smoothing(Values v) {
  double share = v[0].as_double();
  if (!(share > 0)) return IValue(0.0);
  if (share <= 1) return IValue(share);
  fail("aten::cross_entropy_loss: label_smoothing must be between 0 and 1, got {}", share);
}

// ---------------------------------------------------------------------------- classes

// self [n, c, ...] or [c], target [n, ...] or [], weight [c]: self itself, checked.
Views plan_classes(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  constexpr const char* called = "aten::nll_loss";
  const TensorInfo& self = args[0].type.info();
  if (self.has_dtype && !is_float(self.dtype))
    fail("{} is not defined for {}", called, name_of(self.dtype));
  const Dims& target = known_sizes(op, args[1]);
  if (args[1].type.info().has_dtype && args[1].type.info().dtype != DType::I64) {
    fail("{}: the target must be i64, got {}", called, name_of(args[1].type.info().dtype));
  }
  if (sizes.rank() == 0) fail("{}: the input must have a dimension of classes", called);
  Dims wanted = sizes;
  wanted.erase(sizes.rank() == 1 ? 0 : 1);
  if (!(wanted == target)) {
    fail("{}: an input of {} takes a target of {}, got {}", called, to_string(sizes),
         to_string(wanted), to_string(target));
  }
  int64_t classes = sizes[sizes.rank() == 1 ? 0 : 1];
  if (args[2].type.is_tensor()) {
    const Dims& weight = known_sizes(op, args[2]);
    bool fits = weight == Dims{classes} && args[2].type.info().dtype == self.dtype;
    if (!fits)
      fail("{}: the weight must be {}[{}], got {}", called, name_of(self.dtype), classes,
           args[2].type.text());
  }
  return {{sizes, strides, 0, false}};
}

// self itself, of the dtype that `other` has.
Views plan_one_dtype(const Operator&, Args args, const Dims& sizes, const Dims& strides) {
  const TensorInfo& self = args[0].type.info();
  const TensorInfo& other = args[1].type.info();
  if (self.has_dtype && other.has_dtype && self.dtype != other.dtype)
    fail("{} takes tensors of one dtype, got {} and {}", args[2].value.as_str(),
         name_of(other.dtype), name_of(self.dtype));
  return {{sizes, strides, 0, false}};
}

IValue class_dim(Values v) { return IValue(v[0].as_tensor().rank() == 1 ? 0 : 1); }

// Targets are classes, or, of self's size, probabilities of classes.
// Are the targets shares of all classes? Then none is left out, and each class has a weight.
bool soft_targets(Values v) {
  const Tensor self = v[0].as_tensor();
  if (!(self.sizes() == v[1].as_tensor().sizes())) return false;
  if (v[3].as_int() >= 0)
    fail("aten::cross_entropy_loss: ignore_index is for targets that are classes, got {}",
         v[3].as_int());
  const int64_t classes = self.rank() ? self.sizes()[self.rank() == 1 ? 0 : 1] : 0;
  if (!v[2].is_none() && !(v[2].as_tensor().sizes() == Dims{classes}))
    fail("aten::cross_entropy_loss: weights of {} for {} classes",
         to_string(v[2].as_tensor().sizes()), classes);
  if (!is_float(v[1].as_tensor().dtype()))
    fail("aten::cross_entropy_loss: probabilities of classes are floats, got {}",
         name_of(v[1].as_tensor().dtype()));
  return true;
}

// ---------------------------------------------------------------------------- drawing

IValue draw_reduction(Chooser& chooser) { return IValue(chooser.between(0, 2)); }

// self, target of its size, then what `rest` says.
std::vector<ArgRequest> draw_pair(Chooser& chooser, const TensorInfo* offered,
                                  std::vector<ArgRequest> rest) {
  if (!offered || !is_float(offered->dtype)) return {};
  std::vector<ArgRequest> out{ArgRequest::offered_value(),
                              ArgRequest::tensor(offered->dtype, offered->sizes)};
  if (chooser.percent(20)) std::swap(out[0], out[1]);
  for (ArgRequest& w : rest) out.push_back(std::move(w));
  return out;
}

std::vector<ArgRequest> draw_plain(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  return draw_pair(chooser, offered, {ArgRequest::of(draw_reduction(chooser))});
}

std::vector<ArgRequest> draw_ranged(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  return draw_pair(chooser, offered,
                   {ArgRequest::of(draw_reduction(chooser)),
                    ArgRequest::of(IValue(chooser.percent(50) ? 1.0 : 0.25))});
}

ArgRequest draw_weight(Chooser& chooser, const TensorInfo* offered, const Dims& sizes) {
  return offered && chooser.percent(50) ? ArgRequest::tensor(offered->dtype, sizes)
                                        : ArgRequest::of(IValue());
}

std::vector<ArgRequest> draw_weighted(const Operator& op, Chooser& chooser,
                                      const TensorInfo* offered) {
  if (!offered) return {};
  std::vector<ArgRequest> rest{draw_weight(chooser, offered, offered->sizes)};
  if (op.schema.args.size() == 5) rest.push_back(draw_weight(chooser, offered, offered->sizes));
  rest.push_back(ArgRequest::of(draw_reduction(chooser)));
  return draw_pair(chooser, offered, std::move(rest));
}

// The input is a fresh tensor of numbers from 0 to 1.
std::vector<ArgRequest> draw_probabilities(const Operator& op, Chooser& chooser,
                                           const TensorInfo* offered) {
  std::vector<ArgRequest> out = draw_weighted(op, chooser, offered);
  if (out.empty()) return out;
  out[0] = {.kind = ArgRequest::Kind::Tensor,
            .dtype = offered->dtype,
            .sizes = offered->sizes,
            .lo = 0,
            .hi = 1};
  out[1] = ArgRequest::offered_value();
  return out;
}

std::vector<ArgRequest> draw_divergence(const Operator&, Chooser& chooser,
                                        const TensorInfo* offered) {
  return draw_pair(
      chooser, offered,
      {ArgRequest::of(draw_reduction(chooser)), ArgRequest::of(IValue(chooser.percent(40)))});
}

std::vector<ArgRequest> draw_classes(const Operator& op, Chooser& chooser,
                                     const TensorInfo* offered) {
  if (!offered || !is_float(offered->dtype) || offered->sizes.rank() == 0) return {};
  int most = op.schema.name == "aten::nll_loss" ? 2 : kMaxRank;
  if (offered->sizes.rank() > most) return {};
  int at = offered->sizes.rank() == 1 ? 0 : 1;
  int64_t classes = offered->sizes[at];
  if (classes == 0) return {};
  Dims target = offered->sizes;
  target.erase(at);
  std::vector<ArgRequest> out{
      ArgRequest::offered_value(), ArgRequest::indices(target, 0, classes - 1),
      draw_weight(chooser, offered, Dims{classes}), ArgRequest::of(draw_reduction(chooser)),
      ArgRequest::of(IValue(chooser.percent(70) ? int64_t{-100} : int64_t{0}))};
  if (op.schema.args.size() == 6)
    out.push_back(ArgRequest::of(IValue(chooser.percent(70) ? 0.0 : 0.25)));
  return out;
}

// ---------------------------------------------------------------------------- operators

void add_composites() {
  const std::pair<std::string_view, DrawFn> rows[] = {
      {"aten::mse_loss", &draw_plain},
      {"aten::smooth_l1_loss", &draw_ranged},
      {"aten::huber_loss", &draw_ranged},
      {"aten::binary_cross_entropy", &draw_probabilities},
      {"aten::binary_cross_entropy_with_logits", &draw_weighted},
      {"aten::kl_div", &draw_divergence},
      {"aten::nll_loss", &draw_classes},
      {"aten::nll_loss_nd", &draw_classes},
      {"aten::cross_entropy_loss", &draw_classes}};
  for (const auto& [name, draw] : rows) add_composite({.name = name, .draw = draw});
}

[[maybe_unused]] const bool kRegistered = [] {
  using enum Role;
  ScalarOptions o;
  o.generate = false;
  add_scalar(
      "prim::positive(str op, float number, bool zero) -> float",
      [](Values v) { return positive(v); }, o);
  add_scalar("prim::smoothing(float given) -> float", [](Values v) { return smoothing(v); }, o);
  o.metadata = true;
  add_scalar("prim::class_dim(Tensor self) -> int", [](Values v) { return class_dim(v); }, o);
  add_scalar(
      "prim::class_count(Tensor self) -> int",
      [](Values v) {
        Tensor t = v[0].as_tensor();
        if (t.rank() == 0)
          fail("aten::cross_entropy_loss: the input must have a dimension of classes");
        return IValue(t.sizes()[t.rank() == 1 ? 0 : 1]);
      },
      o);
  add_scalar(
      "prim::target_count(Tensor self) -> int",
      [](Values v) {
        Tensor t = v[0].as_tensor();
        int64_t classes = t.sizes()[t.rank() == 1 ? 0 : 1];
        return IValue(classes ? t.numel() / classes : 0);
      },
      o);
  add_scalar(
      "prim::soft_targets(Tensor self, Tensor target, Tensor? weight, int ignore_index) -> bool",
      [](Values v) { return IValue(soft_targets(v)); }, o);
  add_view("prim::classes_checked(Tensor(a) self, Tensor target, Tensor? weight) -> Tensor(a)",
           &plan_classes, {Operand, Default, Default}, kFamily, false);
  add_view("prim::of_one_dtype(Tensor(a) self, Tensor other, str op) -> Tensor(a)", &plan_one_dtype,
           {Operand, Default, Default}, kFamily, false);
  formulas();
  add_composites();
  return true;
}();

}  // namespace
}  // namespace fusillade
