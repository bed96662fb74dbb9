// Losses: an element-wise formula, then nothing, a mean or a sum (reduction 0, 1, 2).
//
// Losses over classes pick the log-probability of each target; targets equal to ignore_index count
// nothing. binary_cross_entropy takes probabilities: what is outside [0, 1] raises, NaN too.
#include "engine/aten/view/view.h"
#include "engine/ops/composite.h"
#include "engine/ops/pointwise.h"
#include "engine/ops/scalar_row.h"

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

std::string error_body(const char* op, const std::string& formula) {
  return fmt::format(R"({}  %op : str = prim::Constant[value="{}"]()
  %x : Tensor = prim::require_floating(%self, %op)
{}  %result : Tensor = prim::reduce_loss(%each, %reduction)
  return (%result)
)",
                     kLiterals, op, formula);
}

// What is no probability raises, as in ATen's kernel.
const std::string kProbabilities = R"(  %from : Tensor = aten::ge(%x, %zero)
  %upto : Tensor = aten::le(%x, %one)
  %inside : Tensor = aten::logical_and(%from, %upto)
  %all : Tensor = aten::all(%inside)
  %legal : bool = aten::Bool(%all)
  prim::If(%legal)
    block0():
      -> ()
    block1():
      %why : str = prim::Constant[value="RuntimeError: all elements of input should be between 0 and 1"]()
      prim::RaiseException(%why, %none)
      -> ()
)";

// ---------------------------------------------------------------------------- classes

// self [n, c, ...] or [c], target [n, ...] or [], weight [c]: self itself, checked.
Views plan_classes(const Row& row, Args args, const Dims& sizes, const Dims& strides) {
  constexpr const char* op = "aten::nll_loss";
  const TensorInfo& self = args[0].type.info();
  if (self.has_dtype && !is_float(self.dtype))
    fail("{} is not defined for {}", op, name_of(self.dtype));
  const Dims& target = known_sizes(row, args[1]);
  if (args[1].type.info().has_dtype && args[1].type.info().dtype != DType::I64) {
    fail("{}: the target must be i64, got {}", op, name_of(args[1].type.info().dtype));
  }
  if (sizes.rank() == 0) fail("{}: the input must have a dimension of classes", op);
  Dims wanted = sizes;
  wanted.erase(sizes.rank() == 1 ? 0 : 1);
  if (!(wanted == target)) {
    fail("{}: an input of {} takes a target of {}, got {}", op, to_string(sizes), to_string(wanted),
         to_string(target));
  }
  int64_t classes = sizes[sizes.rank() == 1 ? 0 : 1];
  if (args[2].type.is_tensor()) {
    const Dims& weight = known_sizes(row, args[2]);
    bool fits = weight == Dims{classes} && args[2].type.info().dtype == self.dtype;
    if (!fits)
      fail("{}: the weight must be {}[{}], got {}", op, name_of(self.dtype), classes,
           args[2].type.text());
  }
  return {{sizes, strides, 0, false}};
}

// self itself, of the dtype that `other` has.
Views plan_one_dtype(const Row&, Args args, const Dims& sizes, const Dims& strides) {
  const TensorInfo& self = args[0].type.info();
  const TensorInfo& other = args[1].type.info();
  if (self.has_dtype && other.has_dtype && self.dtype != other.dtype)
    fail("{} takes tensors of one dtype, got {} and {}", args[2].value.as_str(),
         name_of(other.dtype), name_of(self.dtype));
  return {{sizes, strides, 0, false}};
}

IValue class_dim(Values v) { return IValue(v[0].as_tensor().rank() == 1 ? 0 : 1); }

// %losses and %counted (what each target counts for) of %self, %target, %weight.
constexpr const char* kPicked = R"(  %x : Tensor = prim::classes_checked(%self, %target, %weight)
  %dim : int = prim::class_dim(%x)
  %ignored : Tensor = aten::eq(%target, %ignore_index)
  %classes : Tensor = aten::masked_fill(%target, %ignored, %zero)
  %index : Tensor = aten::unsqueeze(%classes, %dim)
  %found : Tensor = aten::gather(%x, %dim, %index, %no)
  %probability : Tensor = aten::squeeze(%found, %dim)
  %negative : Tensor = aten::neg(%probability)
  %has_weight : bool = aten::__isnot__(%weight, %none)
  %shares : Tensor = prim::If(%has_weight)
    block0():
      %given : Tensor = prim::unchecked_cast(%weight)
      %indices : Tensor?[] = prim::ListConstruct(%classes)
      %own : Tensor = aten::index(%given, %indices)
      -> (%own)
    block1():
      %ones : Tensor = aten::ones_like(%negative, %none, %none, %none, %none, %none)
      -> (%ones)
  %counted : Tensor = aten::masked_fill(%shares, %ignored, %zero)
  %product : Tensor = aten::mul(%negative, %shares)
  %losses : Tensor = aten::masked_fill(%product, %ignored, %zero)
)";

// `losses` over the sum of %counted, or as prim::reduce_loss says.
std::string averaged(const char* losses) {
  return fmt::format(R"(  %average : bool = aten::eq(%reduction, %one)
  %picked : Tensor = prim::If(%average)
    block0():
      %total : Tensor = aten::sum({0}, %none)
      %count : Tensor = aten::sum(%counted, %none)
      %mean : Tensor = aten::div(%total, %count)
      -> (%mean)
    block1():
      %reduced : Tensor = prim::reduce_loss({0}, %reduction)
      -> (%reduced)
  return (%picked)
)",
                     losses);
}

std::string picked_body() { return std::string(kLiterals) + kPicked + averaged("%losses"); }

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

std::string entropy_body() {
  return std::string(kLiterals) + R"(  %smoothing : float = prim::smoothing(%label_smoothing)
  %keep : float = aten::sub(%one, %smoothing)
  %at : int = prim::class_dim(%self)
  %logs : Tensor = aten::log_softmax(%self, %at, %none)
  %dense : bool = prim::soft_targets(%self, %target, %weight, %ignore_index)
  %number : int = prim::class_count(%self)
  %share : float = aten::div(%smoothing, %number)
  %result : Tensor = prim::If(%dense)
    block0():
      %kept : Tensor = aten::mul(%target, %keep)
      %soft : Tensor = aten::add(%kept, %share, %one)
      %last_logs : Tensor = aten::transpose(%logs, %at, %minus)
      %last_soft : Tensor = aten::transpose(%soft, %at, %minus)
      %negated : Tensor = aten::neg(%last_logs)
      %scaled : Tensor = prim::affine(%negated, %weight, %none)
      %terms : Tensor = aten::mul(%scaled, %last_soft)
      %columns : Tensor = aten::transpose(%terms, %at, %minus)
      %over : int[] = prim::ListConstruct(%at)
      %each : Tensor = aten::sum(%columns, %over, %no, %none)
      %plain : Tensor = prim::reduce_probabilities(%each, %self, %reduction)
      -> (%plain)
    block1():
      %hard : Tensor = aten::nll_loss_nd(%logs, %target, %weight, %reduction, %ignore_index)
      %smooth : bool = aten::ne(%smoothing, %zero)
      %blend : Tensor = prim::If(%smooth)
        block0():
          %uniform : Tensor = prim::smoothed_loss(%logs, %target, %weight, %reduction, %ignore_index)
          %a : Tensor = aten::mul(%hard, %keep)
          %b : Tensor = aten::mul(%uniform, %share)
          %c : Tensor = aten::add(%a, %b, %one)
          -> (%c)
        block1():
          -> (%hard)
      -> (%blend)
  return (%result)
)";
}

// The loss of a target that is equally every class, over what the hard targets count for.
std::string smoothed_body() {
  return std::string(kLiterals) + kPicked + R"(  %last : Tensor = aten::transpose(%x, %dim, %minus)
  %opposite : Tensor = aten::neg(%last)
  %scaled : Tensor = prim::affine(%opposite, %weight, %none)
  %columns : Tensor = aten::transpose(%scaled, %dim, %minus)
  %over : int[] = prim::ListConstruct(%dim)
  %each : Tensor = aten::sum(%columns, %over, %no, %none)
  %masked : Tensor = aten::masked_fill(%each, %ignored, %zero)
)" + averaged("%masked");
}

// ---------------------------------------------------------------------------- drawing

IValue draw_reduction(Chooser& chooser) { return IValue(chooser.between(0, 2)); }

// self, target of its size, then what `rest` says.
std::vector<Wish> draw_pair(Chooser& chooser, const TensorInfo* offered, std::vector<Wish> rest) {
  if (!offered || !is_float(offered->dtype)) return {};
  std::vector<Wish> out{Wish::offered(), Wish::tensor(offered->dtype, offered->sizes)};
  if (chooser.percent(20)) std::swap(out[0], out[1]);
  for (Wish& w : rest) out.push_back(std::move(w));
  return out;
}

std::vector<Wish> draw_plain(const Row&, Chooser& chooser, const TensorInfo* offered) {
  return draw_pair(chooser, offered, {Wish::of(draw_reduction(chooser))});
}

std::vector<Wish> draw_ranged(const Row&, Chooser& chooser, const TensorInfo* offered) {
  return draw_pair(
      chooser, offered,
      {Wish::of(draw_reduction(chooser)), Wish::of(IValue(chooser.percent(50) ? 1.0 : 0.25))});
}

Wish draw_weight(Chooser& chooser, const TensorInfo* offered, const Dims& sizes) {
  return offered && chooser.percent(50) ? Wish::tensor(offered->dtype, sizes) : Wish::of(IValue());
}

std::vector<Wish> draw_weighted(const Row& row, Chooser& chooser, const TensorInfo* offered) {
  if (!offered) return {};
  std::vector<Wish> rest{draw_weight(chooser, offered, offered->sizes)};
  if (row.schema.args.size() == 5) rest.push_back(draw_weight(chooser, offered, offered->sizes));
  rest.push_back(Wish::of(draw_reduction(chooser)));
  return draw_pair(chooser, offered, std::move(rest));
}

// The input is a fresh tensor of numbers from 0 to 1.
std::vector<Wish> draw_probabilities(const Row& row, Chooser& chooser, const TensorInfo* offered) {
  std::vector<Wish> out = draw_weighted(row, chooser, offered);
  if (out.empty()) return out;
  out[0] = {.kind = Wish::Kind::Tensor,
            .dtype = offered->dtype,
            .sizes = offered->sizes,
            .lo = 0,
            .hi = 1};
  out[1] = Wish::offered();
  return out;
}

std::vector<Wish> draw_divergence(const Row&, Chooser& chooser, const TensorInfo* offered) {
  return draw_pair(chooser, offered,
                   {Wish::of(draw_reduction(chooser)), Wish::of(IValue(chooser.percent(40)))});
}

std::vector<Wish> draw_classes(const Row& row, Chooser& chooser, const TensorInfo* offered) {
  if (!offered || !is_float(offered->dtype) || offered->sizes.rank() == 0) return {};
  int most = row.schema.name == "aten::nll_loss" ? 2 : kMaxRank;
  if (offered->sizes.rank() > most) return {};
  int at = offered->sizes.rank() == 1 ? 0 : 1;
  int64_t classes = offered->sizes[at];
  if (classes == 0) return {};
  Dims target = offered->sizes;
  target.erase(at);
  std::vector<Wish> out{Wish::offered(), Wish::places(target, 0, classes - 1),
                        draw_weight(chooser, offered, Dims{classes}),
                        Wish::of(draw_reduction(chooser)),
                        Wish::of(IValue(chooser.percent(70) ? int64_t{-100} : int64_t{0}))};
  if (row.schema.args.size() == 6)
    out.push_back(Wish::of(IValue(chooser.percent(70) ? 0.0 : 0.25)));
  return out;
}

// ---------------------------------------------------------------------------- rows

void add(const char* schema, std::string body, DrawFn draw) {
  add_composite({.schema = schema, .body = std::move(body), .family = kFamily, .draw = draw});
}

void element_wise() {
  add("aten::mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
      error_body("aten::mse_loss", "  %each : Tensor = prim::squared_error(%x, %target)\n"),
      &draw_plain);
  add("aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float beta=1.) -> Tensor",
      error_body("aten::smooth_l1_loss", R"(  %legal : float = prim::positive(%op, %beta, %yes)
  %each : Tensor = prim::smooth_error(%x, %target, %legal)
)"),
      &draw_ranged);
  add("aten::huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.) -> Tensor",
      error_body("aten::huber_loss", R"(  %legal : float = prim::positive(%op, %delta, %no)
  %error : Tensor = prim::huber_error(%x, %target, %legal)
  %each : Tensor = aten::type_as(%error, %x)
)"),
      &draw_ranged);
  add("aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int "
      "reduction=1) -> Tensor",
      error_body("aten::binary_cross_entropy",
                 kProbabilities + R"(  %wanted : Tensor = prim::of_one_dtype(%target, %x, %op)
  %plain : Tensor = prim::cross_entropy_error(%x, %wanted)
  %scaled : Tensor = prim::affine(%plain, %weight, %none)
  %each : Tensor = aten::type_as(%scaled, %x)
)"),
      &draw_probabilities);
  add("aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, "
      "Tensor? pos_weight=None, "
      "int reduction=1) -> Tensor",
      error_body("aten::binary_cross_entropy_with_logits",
                 R"(  %wanted : Tensor = prim::require_floating(%target, %op)
  %fits : Tensor = aten::expand_as(%x, %wanted)
  %plain : Tensor = prim::logits_error(%fits, %wanted, %pos_weight)
  %all : Tensor = prim::affine(%plain, %weight, %none)
  %kept : Tensor = aten::expand_as(%all, %wanted)
  %each : Tensor = aten::type_as(%kept, %wanted)
)"),
      &draw_weighted);
  add("aten::kl_div(Tensor self, Tensor target, int reduction=1, *, bool log_target=False) -> "
      "Tensor",
      error_body("aten::kl_div", R"(  %t : Tensor = prim::require_floating(%target, %op)
  %each : Tensor = prim::If(%log_target)
    block0():
      %share : Tensor = aten::exp(%t)
      %apart : Tensor = aten::sub(%t, %x, %one)
      %a : Tensor = aten::mul(%share, %apart)
      -> (%a)
    block1():
      %own : Tensor = aten::xlogy(%t, %t)
      %cross : Tensor = aten::mul(%t, %x)
      %b : Tensor = aten::sub(%own, %cross, %one)
      -> (%b)
)"),
      &draw_divergence);
}

void over_classes() {
  const std::string rest =
      "(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, int ignore_index=-100";
  add(("aten::nll_loss" + rest + ") -> Tensor").c_str(), picked_body(), &draw_classes);
  add(("aten::nll_loss_nd" + rest + ") -> Tensor").c_str(), picked_body(), &draw_classes);
  add(("aten::nll_loss2d" + rest + ") -> Tensor").c_str(), picked_body(), nullptr);
  add("prim::smoothed_loss(Tensor self, Tensor target, Tensor? weight, int reduction, int "
      "ignore_index) -> Tensor",
      smoothed_body(), nullptr);
  add("prim::reduce_probabilities(Tensor each, Tensor self, int reduction) -> Tensor",
      std::string(kLiterals) +
          R"(  %average : bool = aten::eq(%reduction, %one)
  %result : Tensor = prim::If(%average)
    block0():
      %total : Tensor = aten::sum(%each, %none)
      %count : int = prim::target_count(%self)
      %mean : Tensor = aten::div(%total, %count)
      -> (%mean)
    block1():
      %reduced : Tensor = prim::reduce_loss(%each, %reduction)
      -> (%reduced)
  return (%result)
)",
      nullptr);
  add(("aten::cross_entropy_loss" + rest + ", float label_smoothing=0.) -> Tensor").c_str(),
      entropy_body(), &draw_classes);
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
  element_wise();
  over_classes();
  return true;
}();

}  // namespace
}  // namespace fusillade
