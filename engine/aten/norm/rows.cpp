// Normalisation: layer_norm, batch_norm, group_norm, and the variances var and std.
//
// All are (x - mean) * rsqrt(variance + eps) * weight + bias; they differ in what the mean goes
// over. f16 and bf16 are computed in f32 and rounded at the end; their parameters are of the same
// dtype, or all of f32. Running statistics are written when training, which ATen's schema does not
// say and ours does.
#include <algorithm>
#include <optional>

#include "engine/aten/view/view.h"
#include "engine/ops/composite.h"
#include "engine/ops/pointwise.h"
#include "engine/ops/scalar_row.h"

namespace fusillade {
namespace {

using Args = std::span<const ArgInfo>;
using Views = std::vector<ViewGeometry>;
using Values = std::span<const IValue>;

constexpr const char* kFamily = "norm";

// ---------------------------------------------------------------------------- checks

void need_floating(const char* op, const TensorInfo& input) {
  if (input.has_dtype && !is_float(input.dtype))
    fail("{} is not defined for {}", op, name_of(input.dtype));
}

bool is_half(DType dtype) { return dtype == DType::F16 || dtype == DType::BF16; }

constexpr const char* kParameters[] = {"weight", "bias", "running_mean", "running_var"};

// Those of kParameters, in order: absent, or of this size and the input's dtype. Of halves they may
// all be f32.
void check_parameters(const char* op, Args args, const TensorInfo& input, const Dims& size) {
  std::optional<DType> wanted;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i].type.is_tensor()) continue;
    const TensorInfo& info = args[i].type.info();
    if (!info.complete()) continue;
    if (!wanted)
      wanted = is_half(input.dtype) && info.dtype == DType::F32 ? DType::F32 : input.dtype;
    if (info.dtype == *wanted && info.sizes == size) continue;
    const char* among = !is_half(input.dtype)   ? ""
                        : *wanted == DType::F32 ? ", as the parameters before it"
                                                : ", or f32 as all the other parameters";
    fail("{}: {} must be {}{}{}, got {}{}", op, kParameters[i], name_of(*wanted), to_string(size),
         among, name_of(info.dtype), to_string(info.sizes));
  }
}

// The input itself, checked: input, weight, bias, normalized_shape.
Views plan_layer(const Row& row, Args args, const Dims& sizes, const Dims& strides) {
  constexpr const char* op = "aten::layer_norm";
  const TensorInfo& input = args[0].type.info();
  need_floating(op, input);
  Dims shape = known_dims(row, args, 3);
  if (shape.rank() == 0) fail("{}: normalized_shape must have at least one dimension", op);
  bool fits = shape.rank() <= sizes.rank();
  for (int d = 0; fits && d < shape.rank(); ++d)
    fits = sizes[sizes.rank() - shape.rank() + d] == shape[d];
  if (!fits)
    fail("{}: normalized_shape {} is not how {} ends", op, to_string(shape), to_string(sizes));
  check_parameters(op, args.subspan(1, 2), input, shape);
  return {{sizes, strides, 0, false}};
}

// input, weight, bias, running_mean, running_var, training
Views plan_batch(const Row& row, Args args, const Dims& sizes, const Dims& strides) {
  constexpr const char* op = "aten::batch_norm";
  const TensorInfo& input = args[0].type.info();
  need_floating(op, input);
  if (sizes.rank() < 2)
    fail("{}: the input must have at least 2 dimensions, got {}", op, to_string(sizes));
  check_parameters(op, args.subspan(1, 4), input, Dims{sizes[1]});
  if (!args[5].known) decline("{}: whether it is training is not constant", row.name);
  bool absent =
      (args[3].known && args[3].value.is_none()) || (args[4].known && args[4].value.is_none());
  if (!args[5].value.as_bool() && absent)
    fail("{}: without training it needs running statistics", op);
  return {{sizes, strides, 0, false}};
}

// input, weight, bias, groups -> [n, groups, the rest]
Views plan_groups(const Row& row, Args args, const Dims& sizes, const Dims& strides) {
  constexpr const char* op = "aten::group_norm";
  const TensorInfo& input = args[0].type.info();
  need_floating(op, input);
  int64_t groups = known_int(row, args, 3);
  if (sizes.rank() < 2)
    fail("{}: the input must have at least 2 dimensions, got {}", op, to_string(sizes));
  if (groups <= 0 || sizes[1] % groups != 0) {
    fail("{}: {} channels are not divisible by {} groups", op, sizes[1], groups);
  }
  check_parameters(op, args.subspan(1, 2), input, Dims{sizes[1]});
  int64_t rest = sizes[1] / groups;
  for (int d = 2; d < sizes.rank(); ++d) rest *= sizes[d];
  return {reshaped_view(sizes, strides, Dims{sizes[0], groups, rest})};
}

// ---------------------------------------------------------------------------- what bodies ask

int64_t wide_code(const Tensor& t) {
  return row_of(is_half(t.dtype()) ? DType::F32 : t.dtype()).aten_code;
}

// The dtype of the first parameter there is, or the input's: input, parameters.
int64_t parameter_code(Values v) {
  for (const IValue& parameter : v.subspan(1))
    if (parameter.is_tensor()) return row_of(parameter.as_tensor().dtype()).aten_code;
  return row_of(v[0].as_tensor().dtype()).aten_code;
}

IValue last_dims(Values v) {
  Dims out;
  for (int64_t d = -static_cast<int64_t>(v[0].items().size()); d < 0; ++d) out.push_back(d);
  return IValue::int_list(out);
}

// All but the second.
IValue channel_dims(Values v) {
  Dims out{0};
  for (int d = 2; d < v[0].as_tensor().rank(); ++d) out.push_back(d);
  return IValue::int_list(out);
}

// How many elements a reduction takes together, less `correction`, at least 0, and 0 of none.
IValue degrees(Values v) {
  Tensor self = v[0].as_tensor();
  double count = 1;
  if (v[1].is_none() || v[1].items().empty()) {
    count = static_cast<double>(self.numel());
  } else {
    for (const IValue& d : v[1].items()) {
      int at = wrap_dim(d.as_int(), self.rank());
      count *= self.rank() ? static_cast<double>(self.sizes()[at]) : 1;
    }
  }
  int64_t correction = v[2].is_none() ? 1 : v[2].as_int();
  return IValue(count == 0 ? 0.0 : std::max(count - static_cast<double>(correction), 0.0));
}

// ---------------------------------------------------------------------------- bodies

// %x of any float dtype to %wide, and %y back to %result.
constexpr const char* kWiden = R"(  %own : int = prim::dtype(%x)
  %code : int = prim::wide_dtype(%x)
  %wide : Tensor = aten::to(%x, %code, %no, %no, %none)
)";
constexpr const char* kNarrow = R"(  %result : Tensor = aten::to(%y, %own, %no, %no, %none)
  return (%result)
)";

// %centered and %variance of %wide over %dims (an int[] or None), kept as dimensions of size 1.
constexpr const char* kVariance = R"(  %mean : Tensor = aten::mean(%wide, %dims, %yes, %none)
  %centered : Tensor = aten::sub(%wide, %mean, %one)
  %square : Tensor = aten::mul(%centered, %centered)
)";

constexpr const char* kNormal = R"(  %variance : Tensor = aten::mean(%square, %dims, %yes, %none)
  %shifted : Tensor = aten::add(%variance, %eps, %one)
  %scale : Tensor = aten::rsqrt(%shifted)
  %normal : Tensor = aten::mul(%centered, %scale)
)";

std::string layer_body() {
  return std::string(kLiterals) +
         R"(  %x : Tensor = prim::layer_checked(%input, %weight, %bias, %normalized_shape)
  %dims : int[] = prim::last_dims(%normalized_shape)
)" + kWiden +
         kVariance + kNormal + R"(  %y : Tensor = prim::affine(%normal, %weight, %bias)
)" + kNarrow;
}

std::string group_body() {
  return std::string(kLiterals) +
         R"(  %x : Tensor = prim::grouped(%input, %weight, %bias, %num_groups)
  %dims : int[] = prim::ListConstruct(%two)
)" + kWiden +
         kVariance + kNormal + R"(  %shaped : Tensor = aten::reshape_as(%normal, %input)
  %last : Tensor = aten::transpose(%shaped, %one, %minus)
  %scaled : Tensor = prim::affine(%last, %weight, %bias)
  %y : Tensor = aten::transpose(%scaled, %one, %minus)
)" + kNarrow;
}

// running = %keep * running + `share` * fresh, when there is one; %keep and the share are together
// one.
std::string update(const char* running, const char* fresh, const char* share) {
  return fmt::format(R"(      %has_{0} : bool = aten::__isnot__(%{0}, %none)
      prim::If(%has_{0})
        block0():
          %old_{0} : Tensor = prim::unchecked_cast(%{0})
          %kept_{0} : Tensor = aten::mul(%old_{0}, %keep)
          %added_{0} : Tensor = aten::mul({1}, {2})
          %new_{0} : Tensor = aten::add(%kept_{0}, %added_{0}, %one)
          %set_{0} : Tensor = aten::copy_(%old_{0}, %new_{0}, %no)
          -> ()
        block1():
          -> ()
)",
                     running, fresh, share);
}

// Where the batch is empty, the counts are taken such that the running statistics stay as they are.
// `updates`: what writes the running statistics.
std::string batch_body(const std::string& updates) {
  return std::string(kLiterals) +
         R"(  %x : Tensor = prim::batch_checked(%input, %weight, %bias, %running_mean, %running_var, %training)
)" + kWiden +
         R"(  %center : Tensor, %spread : Tensor = prim::If(%training)
    block0():
      %dims : int[] = prim::channel_dims(%wide)
      %number : float = prim::degrees(%wide, %dims, %zero)
      %some : float = prim::min(%one, %number)
      %count : float = prim::max(%one, %number)
      %degrees : float = aten::sub(%number, %one)
      %added : Tensor = aten::sum(%wide, %dims, %yes, %none)
      %means : Tensor = aten::div(%added, %count)
      %deviation : Tensor = aten::sub(%wide, %means, %one)
      %square : Tensor = aten::mul(%deviation, %deviation)
      %total : Tensor = aten::sum(%square, %dims, %no, %none)
      %mean : Tensor = aten::flatten(%means, %zero, %minus)
      %variance : Tensor = aten::div(%total, %count)
      %unbiased : Tensor = aten::div(%total, %degrees)
      %share : float = aten::mul(%some, %momentum)
      %keep : float = aten::sub(%one, %share)
)" + updates +
         R"(      -> (%mean, %variance)
    block1():
      %old_mean : Tensor = prim::unchecked_cast(%running_mean)
      %old_variance : Tensor = prim::unchecked_cast(%running_var)
      -> (%old_mean, %old_variance)
  %last : Tensor = aten::transpose(%wide, %one, %minus)
  %centered : Tensor = aten::sub(%last, %center, %one)
  %shifted : Tensor = aten::add(%spread, %eps, %one)
  %scale : Tensor = aten::rsqrt(%shifted)
  %normal : Tensor = aten::mul(%centered, %scale)
  %scaled : Tensor = prim::affine(%normal, %weight, %bias)
  %y : Tensor = aten::transpose(%scaled, %one, %minus)
)" + kNarrow;
}

// A group for every channel, and the running statistics follow the means over the instances; with
// running statistics alone, of any dtype, batch_norm's.
std::string instance_body() {
  return std::string(kLiterals) + R"(  %result : Tensor = prim::If(%use_input_stats)
    block0():
      %channels : int = prim::instance_channels(%input)
      %tracks : bool = aten::__isnot__(%running_mean, %none)
      prim::If(%tracks)
        block0():
          %dims : int[] = prim::ListConstruct(%zero)
          %rows : Tensor = aten::flatten(%input, %two, %minus)
          %last : int[] = prim::ListConstruct(%two)
          %keep : float = aten::sub(%one, %momentum)
          %means : Tensor = aten::mean(%rows, %last, %no, %none)
          %mean : Tensor = aten::mean(%means, %dims, %no, %none)
          %spreads : Tensor = aten::var(%rows, %last, %yes, %no)
          %spread : Tensor = aten::mean(%spreads, %dims, %no, %none)
)" + update("running_mean", "%mean", "%momentum") +
         update("running_var", "%spread", "%momentum") +
         R"(          -> ()
        block1():
          -> ()
      %own : Tensor = aten::group_norm(%input, %channels, %weight, %bias, %eps, %no)
      -> (%own)
    block1():
      %kind : int = prim::parameter_dtype(%input, %weight, %bias, %none, %none)
      %own_mean : Tensor = prim::unchecked_cast(%running_mean)
      %own_var : Tensor = prim::unchecked_cast(%running_var)
      %known_mean : Tensor = aten::to(%own_mean, %kind, %no, %no, %none)
      %known_var : Tensor = aten::to(%own_var, %kind, %no, %no, %none)
      %known : Tensor = aten::batch_norm(%input, %weight, %bias, %known_mean, %known_var, %no, %momentum, %eps, %no)
      -> (%known)
  return (%result)
)";
}

IValue instance_channels(Values v) {
  Tensor input = v[0].as_tensor();
  if (input.rank() < 3)
    fail("aten::instance_norm: the input must have at least 3 dimensions, got {}", describe(input));
  return IValue(input.sizes()[1]);
}

// total / degrees, its root when `root`; `dims`, `keep` and `correction` are values of the body.
std::string var_body(const char* op, bool root, const char* head, const char* dims,
                     const char* keep, const char* correction) {
  return fmt::format(R"({0}{1}  %op : str = prim::Constant[value="{2}"]()
  %x : Tensor = prim::require_floating(%self, %op)
{3}  %mean : Tensor = aten::mean(%wide, {4}, %yes, %none)
  %centered : Tensor = aten::sub(%wide, %mean, %one)
  %square : Tensor = aten::mul(%centered, %centered)
  %total : Tensor = aten::sum(%square, {4}, {5}, %none)
  %degrees : float = prim::degrees(%wide, {4}, {6})
  %{7} : Tensor = aten::div(%total, %degrees)
{8}{9})",
                     kLiterals, head, op, kWiden, dims, keep, correction, root ? "variance" : "y",
                     root ? "  %y : Tensor = aten::sqrt(%variance)\n" : "", kNarrow);
}

// ---------------------------------------------------------------------------- drawing

// Of a call's parameters.
DType parameter_dtype(Chooser& chooser, DType input) {
  return is_half(input) && chooser.percent(25) ? DType::F32 : input;
}

Wish parameter(Chooser& chooser, DType dtype, const Dims& sizes) {
  return chooser.percent(60) ? Wish::tensor(dtype, sizes) : Wish::of(IValue());
}

IValue draw_eps(Chooser& chooser) {
  return IValue(chooser.percent(50) ? 1e-5 : chooser.percent(50) ? 0.125 : 1.0);
}

bool suits(const TensorInfo* offered, int rank) {
  return offered && is_float(offered->dtype) && offered->sizes.rank() >= rank;
}

std::vector<Wish> draw_layer(const Row&, Chooser& chooser, const TensorInfo* offered) {
  if (!suits(offered, 1)) return {};
  const Dims& sizes = offered->sizes;
  Dims shape;
  int64_t first = chooser.between(0, sizes.rank() - 1);
  for (int d = static_cast<int>(first); d < sizes.rank(); ++d) shape.push_back(sizes[d]);
  const DType dtype = parameter_dtype(chooser, offered->dtype);
  return {Wish::offered(), Wish::of(IValue::int_list(shape)), parameter(chooser, dtype, shape),
          parameter(chooser, dtype, shape), Wish::of(draw_eps(chooser))};
}

std::vector<Wish> draw_batch(const Row&, Chooser& chooser, const TensorInfo* offered) {
  if (!suits(offered, 2)) return {};
  bool training = chooser.percent(60);
  const DType dtype = parameter_dtype(chooser, offered->dtype);
  Dims size{offered->sizes[1]};
  bool tracked = !training || chooser.percent(50);
  auto statistic = [&] { return tracked ? Wish::tensor(dtype, size) : Wish::of(IValue()); };
  return {Wish::offered(),
          parameter(chooser, dtype, size),
          parameter(chooser, dtype, size),
          statistic(),
          statistic(),
          Wish::of(IValue(training)),
          Wish::of(IValue(chooser.percent(50) ? 0.1 : 0.5)),
          Wish::of(draw_eps(chooser)),
          Wish::of(IValue(false))};
}

std::vector<Wish> draw_instance(const Row&, Chooser& chooser, const TensorInfo* offered) {
  if (!suits(offered, 3)) return {};
  const Dims size{offered->sizes[1]};
  const DType dtype = parameter_dtype(chooser, offered->dtype);
  return {Wish::offered(), parameter(chooser, dtype, size), parameter(chooser, dtype, size),
          Wish::of(draw_eps(chooser))};
}

std::vector<Wish> draw_group(const Row&, Chooser& chooser, const TensorInfo* offered) {
  if (!suits(offered, 2)) return {};
  int64_t channels = offered->sizes[1];
  int64_t groups = chooser.between(1, std::max<int64_t>(channels, 1));
  if (channels % groups) groups = 1;
  Dims size{channels};
  const DType dtype = parameter_dtype(chooser, offered->dtype);
  return {Wish::offered(), Wish::of(IValue(groups)), parameter(chooser, dtype, size),
          parameter(chooser, dtype, size), Wish::of(draw_eps(chooser))};
}

// ---------------------------------------------------------------------------- rows

void scalars() {
  ScalarOptions o;
  o.generate = false;
  o.metadata = true;
  add_scalar(
      "prim::wide_dtype(Tensor self) -> int",
      [](Values v) { return IValue(wide_code(v[0].as_tensor())); }, o);
  add_scalar(
      "prim::parameter_dtype(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, "
      "Tensor? running_var) -> int",
      [](Values v) { return IValue(parameter_code(v)); }, o);
  add_scalar(
      "prim::instance_channels(Tensor input) -> int", [](Values v) { return instance_channels(v); },
      o);
  add_scalar("prim::last_dims(int[] shape) -> int[]", [](Values v) { return last_dims(v); }, o);
  add_scalar(
      "prim::channel_dims(Tensor self) -> int[]", [](Values v) { return channel_dims(v); }, o);
  add_scalar(
      "prim::degrees(Tensor self, int[]? dim, int? correction) -> float",
      [](Values v) { return degrees(v); }, o);
}

void variances() {
  using enum Role;
  for (bool root : {false, true}) {
    std::string name = root ? "aten::std" : "aten::var";
    auto add = [&](const std::string& rest, std::string body, std::vector<Role> roles) {
      add_composite({.schema = name + rest,
                     .body = std::move(body),
                     .family = kFamily,
                     .roles = std::move(roles)});
    };
    const char* counted = "  %correction : int = aten::Int(%unbiased)\n";
    const char* op = root ? "aten::std" : "aten::var";
    add("(Tensor self, bool unbiased=True) -> Tensor",
        var_body(op, root, counted, "%none", "%no", "%correction"), {Operand, Flag});
    add(".dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
        var_body(op, root, counted, "%dim", "%keepdim", "%correction"),
        {Operand, DimList, Flag, Flag});
    add(".correction(Tensor self, int[1]? dim, *, int? correction, bool keepdim=False) -> Tensor",
        var_body(op, root, "", "%dim", "%keepdim", "%correction"),
        {Operand, DimList, Number, Flag});
  }
}

[[maybe_unused]] const bool kRegistered = [] {
  using enum Role;
  scalars();
  PointwiseDef affine;
  affine.real = &real_formula<3>([](auto x, auto weight, auto bias) { return x * weight + bias; });
  affine.absent = {0, 1, -0.0};
  affine.operands = {0, 1, 2};
  affine.generate = false;
  add_pointwise("prim::affine(Tensor self, Tensor? weight, Tensor? bias) -> Tensor", affine,
                kFamily, false);
  add_view(
      "prim::layer_checked(Tensor(a) input, Tensor? weight, Tensor? bias, int[] shape) -> "
      "Tensor(a)",
      &plan_layer, {Operand, Default, Default, Default}, kFamily, false);
  add_view(
      "prim::batch_checked(Tensor(a) input, Tensor? weight, Tensor? bias, Tensor? running_mean, "
      "Tensor? running_var, bool training) -> Tensor(a)",
      &plan_batch, {Operand, Default, Default, Default, Default, Default}, kFamily, false);
  add_view("prim::grouped(Tensor(a) input, Tensor? weight, Tensor? bias, int groups) -> Tensor(a)",
           &plan_groups, {Operand, Default, Default, Default}, kFamily, false);
  add_composite({.schema =
                     "aten::layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, "
                     "Tensor? bias=None, float eps=1e-05, bool cudnn_enable=True) -> Tensor",
                 .body = layer_body(),
                 .family = kFamily,
                 .draw = &draw_layer});
  add_composite(
      {.schema =
           "aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, "
           "float eps=1e-05, bool cudnn_enabled=True) -> Tensor",
       .body = group_body(),
       .family = kFamily,
       .draw = &draw_group});
  add_composite(
      {.schema =
           "aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!)? running_mean, "
           "Tensor(b!)? running_var, bool training, float momentum, float eps, bool cudnn_enabled) "
           "-> Tensor",
       .body = batch_body(update("running_mean", "%mean", "%share") +
                          update("running_var", "%unbiased", "%share")),
       .family = kFamily,
       .draw = &draw_batch});
  add_composite({.schema = "prim::batch_normal(Tensor input, Tensor? weight, Tensor? bias, Tensor? "
                           "running_mean, Tensor? running_var, bool training, float momentum, "
                           "float eps, bool cudnn_enabled) -> Tensor",
                 .body = batch_body(""),
                 .family = kFamily,
                 .draw = &draw_batch});
  add_composite({.schema = "prim::instance_normal(Tensor input, Tensor? weight, Tensor? bias, "
                           "float eps) -> Tensor",
                 .body = std::string(kLiterals) + R"(
  %channels : int = prim::instance_channels(%input)
  %result : Tensor = aten::group_norm(%input, %channels, %weight, %bias, %eps, %no)
  return (%result)
)",
                 .family = kFamily,
                 .draw = &draw_instance});
  add_composite({.schema =
                     "aten::instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!)? "
                     "running_mean, "
                     "Tensor(b!)? running_var, bool use_input_stats, float momentum, float eps, "
                     "bool cudnn_enabled) -> Tensor",
                 .body = instance_body(),
                 .family = kFamily});
  variances();
  return true;
}();

}  // namespace
}  // namespace fusillade
