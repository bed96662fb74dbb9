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
#include "engine/ops/scalar_operator.h"

namespace fusillade {
namespace {

using Args = std::span<const ArgInfo>;
using Views = std::vector<ViewGeometry>;
using Values = std::span<const IValue>;

constexpr const char* kFamily = "norm";

// ---------------------------------------------------------------------------- checks

void need_floating(const char* called, const TensorInfo& input) {
  if (input.has_dtype && !is_float(input.dtype))
    fail("{} is not defined for {}", called, name_of(input.dtype));
}

bool is_half(DType dtype) { return dtype == DType::F16 || dtype == DType::BF16; }

constexpr const char* kParameters[] = {"weight", "bias", "running_mean", "running_var"};

// Those of kParameters, in order: absent, or of this size and the input's dtype. Of halves they may
// all be f32.
void check_parameters(const char* called, Args args, const TensorInfo& input, const Dims& size) {
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
    fail("{}: {} must be {}{}{}, got {}{}", called, kParameters[i], name_of(*wanted),
         to_string(size), among, name_of(info.dtype), to_string(info.sizes));
  }
}

// The input itself, checked: input, weight, bias, normalized_shape.
Views plan_layer(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  constexpr const char* called = "aten::layer_norm";
  const TensorInfo& input = args[0].type.info();
  need_floating(called, input);
  Dims shape = known_dims(op, args, 3);
  if (shape.rank() == 0) fail("{}: normalized_shape must have at least one dimension", called);
  bool fits = shape.rank() <= sizes.rank();
  for (int d = 0; fits && d < shape.rank(); ++d)
    fits = sizes[sizes.rank() - shape.rank() + d] == shape[d];
  if (!fits)
    fail("{}: normalized_shape {} is not how {} ends", called, to_string(shape), to_string(sizes));
  check_parameters(called, args.subspan(1, 2), input, shape);
  return {{sizes, strides, 0, false}};
}

// input, weight, bias, running_mean, running_var, training
Views plan_batch(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  constexpr const char* called = "aten::batch_norm";
  const TensorInfo& input = args[0].type.info();
  need_floating(called, input);
  if (sizes.rank() < 2)
    fail("{}: the input must have at least 2 dimensions, got {}", called, to_string(sizes));
  check_parameters(called, args.subspan(1, 4), input, Dims{sizes[1]});
  if (!args[5].known) decline("{}: whether it is training is not constant", op.name);
  bool absent =
      (args[3].known && args[3].value.is_none()) || (args[4].known && args[4].value.is_none());
  if (!args[5].value.as_bool() && absent)
    fail("{}: without training it needs running statistics", called);
  return {{sizes, strides, 0, false}};
}

// input, weight, bias, groups -> [n, groups, the rest]
Views plan_groups(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  constexpr const char* called = "aten::group_norm";
  const TensorInfo& input = args[0].type.info();
  need_floating(called, input);
  int64_t groups = known_int(op, args, 3);
  if (sizes.rank() < 2)
    fail("{}: the input must have at least 2 dimensions, got {}", called, to_string(sizes));
  if (groups <= 0 || sizes[1] % groups != 0) {
    fail("{}: {} channels are not divisible by {} groups", called, sizes[1], groups);
  }
  check_parameters(called, args.subspan(1, 2), input, Dims{sizes[1]});
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

IValue instance_channels(Values v) {
  Tensor input = v[0].as_tensor();
  if (input.rank() < 3)
    fail("aten::instance_norm: the input must have at least 3 dimensions, got {}", describe(input));
  return IValue(input.sizes()[1]);
}

// ---------------------------------------------------------------------------- softmax

void infer_softmax(const Operator& op, Args args, std::vector<Type>& results) {
  TensorInfo info = args[0].type.info();
  bool given = !args[2].type.is(TypeKind::None) && !(args[2].known && args[2].value.is_none());
  if (given) {
    info.has_dtype = args[2].known;
    if (args[2].known) info.dtype = dtype_from_aten(args[2].value.as_int());
  }
  if (info.has_dtype && !is_float(info.dtype)) {
    fail("{} is not defined for {}", op.schema.name, name_of(info.dtype));
  }
  if (info.rank_known && args[1].known) {
    wrap_dim(args[1].value.as_int(), info.sizes.rank());
  }
  // Layout is that of the body's element-wise operators, which depends on their operands.
  bool plain = info.complete() && is_contiguous(info.sizes, info.strides);
  if (plain) {
    results.push_back(Type::tensor(info.dtype, info.sizes));
    return;
  }
  info.strides_known = false;
  results.push_back(Type::tensor(info));
}

// ---------------------------------------------------------------------------- drawing

// Of a call's parameters.
DType parameter_dtype(Chooser& chooser, DType input) {
  return is_half(input) && chooser.percent(25) ? DType::F32 : input;
}

ArgRequest parameter(Chooser& chooser, DType dtype, const Dims& sizes) {
  return chooser.percent(60) ? ArgRequest::tensor(dtype, sizes) : ArgRequest::of(IValue());
}

IValue draw_eps(Chooser& chooser) {
  return IValue(chooser.percent(50) ? 1e-5 : chooser.percent(50) ? 0.125 : 1.0);
}

bool suits(const TensorInfo* offered, int rank) {
  return offered && is_float(offered->dtype) && offered->sizes.rank() >= rank;
}

std::vector<ArgRequest> draw_layer(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (!suits(offered, 1)) return {};
  const Dims& sizes = offered->sizes;
  Dims shape;
  int64_t first = chooser.between(0, sizes.rank() - 1);
  for (int d = static_cast<int>(first); d < sizes.rank(); ++d) shape.push_back(sizes[d]);
  const DType dtype = parameter_dtype(chooser, offered->dtype);
  return {ArgRequest::offered_value(), ArgRequest::of(IValue::int_list(shape)),
          parameter(chooser, dtype, shape), parameter(chooser, dtype, shape),
          ArgRequest::of(draw_eps(chooser))};
}

std::vector<ArgRequest> draw_batch(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (!suits(offered, 2)) return {};
  bool training = chooser.percent(60);
  const DType dtype = parameter_dtype(chooser, offered->dtype);
  Dims size{offered->sizes[1]};
  bool tracked = !training || chooser.percent(50);
  auto statistic = [&] {
    return tracked ? ArgRequest::tensor(dtype, size) : ArgRequest::of(IValue());
  };
  return {ArgRequest::offered_value(),
          parameter(chooser, dtype, size),
          parameter(chooser, dtype, size),
          statistic(),
          statistic(),
          ArgRequest::of(IValue(training)),
          ArgRequest::of(IValue(chooser.percent(50) ? 0.1 : 0.5)),
          ArgRequest::of(draw_eps(chooser)),
          ArgRequest::of(IValue(false))};
}

std::vector<ArgRequest> draw_instance(const Operator&, Chooser& chooser,
                                      const TensorInfo* offered) {
  if (!suits(offered, 3)) return {};
  const Dims size{offered->sizes[1]};
  const DType dtype = parameter_dtype(chooser, offered->dtype);
  return {ArgRequest::offered_value(), parameter(chooser, dtype, size),
          parameter(chooser, dtype, size), ArgRequest::of(draw_eps(chooser))};
}

std::vector<ArgRequest> draw_group(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (!suits(offered, 2)) return {};
  int64_t channels = offered->sizes[1];
  int64_t groups = chooser.between(1, std::max<int64_t>(channels, 1));
  if (channels % groups) groups = 1;
  Dims size{channels};
  const DType dtype = parameter_dtype(chooser, offered->dtype);
  return {ArgRequest::offered_value(), ArgRequest::of(IValue(groups)),
          parameter(chooser, dtype, size), parameter(chooser, dtype, size),
          ArgRequest::of(draw_eps(chooser))};
}

// ---------------------------------------------------------------------------- operators

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

void add_composites() {
  using enum Role;
  for (std::string_view name : {"aten::var", "aten::std"})
    add_composite({.name = name, .roles = {Operand, Flag}});
  for (std::string_view name : {"aten::var.dim", "aten::std.dim"})
    add_composite({.name = name, .roles = {Operand, DimList, Flag, Flag}});
  for (std::string_view name : {"aten::var.correction", "aten::std.correction"})
    add_composite({.name = name, .roles = {Operand, DimList, Number, Flag}});
  for (std::string_view name : {"aten::softmax.int", "aten::log_softmax.int"})
    add_composite({.name = name, .roles = {Operand, Dim, Default}, .infer = &infer_softmax});
  add_composite({.name = "aten::layer_norm", .draw = &draw_layer});
  add_composite({.name = "aten::group_norm", .draw = &draw_group});
  for (std::string_view name : {"aten::batch_norm", "prim::batch_normal"})
    add_composite({.name = name, .draw = &draw_batch});
  add_composite({.name = "prim::instance_normal", .draw = &draw_instance});
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
  add_view(
      "prim::group_channels(Tensor(a) input, Tensor? weight, Tensor? bias, int groups) -> "
      "Tensor(a)",
      &plan_groups, {Operand, Default, Default, Default}, kFamily, false);
  add_composites();
  return true;
}();

}  // namespace
}  // namespace fusillade
