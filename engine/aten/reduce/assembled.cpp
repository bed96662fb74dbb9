// What bodies of reductions, norms and gates ask for, and how their arguments are drawn; tensors'
// memory seen otherwise.
#include <cmath>

#include "engine/aten/view/view.h"
#include "engine/ops/composite.h"
#include "engine/ops/opaque_operator.h"
#include "engine/ops/pointwise.h"
#include "engine/ops/scalar_operator.h"
#include "engine/tensor/iterate.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

constexpr const char* kFamily = "reduce";

void add(std::string_view name, std::vector<Role> roles, DrawFn draw = nullptr,
         uint16_t dtypes = kAllDTypes) {
  add_composite({.name = name, .draw = draw, .roles = std::move(roles), .drawn_dtypes = dtypes});
}

// ---------------------------------------------------------------------------- products

std::vector<ArgRequest> draw_outer(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (offered && offered->sizes.rank() != 1) return {};
  DType dtype = offered ? offered->dtype : DType::F32;
  return {offered ? ArgRequest::offered_value()
                  : ArgRequest::tensor(dtype, Dims{chooser.between(0, 5)}),
          ArgRequest::tensor(dtype, Dims{chooser.between(0, 5)})};
}

void products() {
  add("aten::outer", {}, &draw_outer);
  add_view(
      "prim::vector(Tensor(a) self) -> Tensor(a)",
      [](const Operator&, std::span<const ArgInfo>, const Dims& sizes, const Dims& strides) {
        if (sizes.rank() != 1) fail("aten::outer: expected a vector, got {}", to_string(sizes));
        return std::vector<ViewGeometry>{{sizes, strides, 0, false}};
      },
      {Role::Operand}, kFamily, false);
}

// ---------------------------------------------------------------------------- reductions

// Sums count; u8 answers in u8.
void truths() {
  using enum Role;
  ScalarOptions o;
  o.generate = false;
  o.metadata = true;
  add_scalar(
      "prim::truth_dtype(Tensor self) -> int",
      [](Values v) {
        bool byte = v[0].as_tensor().dtype() == DType::U8;
        return IValue(static_cast<int64_t>(row_of(byte ? DType::U8 : DType::Bool).aten_code));
      },
      o);
  for (std::string_view name : {"aten::all", "aten::any"}) add(name, {Operand});
  for (std::string_view name : {"aten::all.dim", "aten::any.dim"}) add(name, {Operand, Dim, Flag});
}

void extremes() {
  using enum Role;
  for (std::string_view name : {"aten::max", "aten::min"}) add(name, {Operand});
  PointwiseDef finite;
  finite.real = &real_formula<1>([](auto x) {
    using N = decltype(x);
    return select(x - x == N(0.0), x, N(0.0));
  });
  finite.generate = false;
  add_pointwise("prim::finite_or_zero(Tensor self) -> Tensor", finite, kFamily, false);
  add("aten::logsumexp", {Operand, DimList, Flag}, nullptr, kFloatDTypes);
}

// ---------------------------------------------------------------------------- norms

// The operand itself; for a power below 0 its lines must have elements.
std::vector<ViewGeometry> plan_lines_checked(const Operator& op, std::span<const ArgInfo> args,
                                             const Dims& sizes, const Dims& strides) {
  if (!args[1].known) decline("{}: the power is not constant", op.name);
  const Dims dims = known_dims(op, args, 2);
  const bool empty = args[1].value.as_double() < 0 && numel_of(sizes) == 0;
  for (int d = 0; empty && d < sizes.rank(); ++d) {
    const auto is_d = [&](int64_t dim) { return wrap_dim(dim, sizes.rank()) == d; };
    if (sizes[d] == 0 && (dims.empty() || std::any_of(dims.begin(), dims.end(), is_d)))
      fail("a norm of negative order takes lines that have elements");
  }
  return {{sizes, strides}};
}

IValue draw_power(Chooser& chooser) {
  const double powers[] = {2, 2, 1, 0, INFINITY, -INFINITY, 3};
  return IValue(powers[chooser.between(0, 6)]);
}

std::vector<ArgRequest> draw_norm(const Operator& op, Chooser& chooser, const TensorInfo* offered) {
  if (!offered || !is_float(offered->dtype) || numel_of(offered->sizes) == 0) return {};
  std::vector<ArgRequest> out{ArgRequest::offered_value(), ArgRequest::of(draw_power(chooser))};
  if (op.schema.args.size() == 2) return out;
  Dims dims;
  for (int d = 0; d < offered->sizes.rank(); ++d) {
    if (chooser.percent(50)) dims.push_back(d);
  }
  out.push_back(ArgRequest::of(IValue::int_list(dims)));
  out.push_back(ArgRequest::of(IValue(chooser.percent(40))));
  return out;
}

void norms() {
  ScalarOptions o;
  o.generate = false;
  add_scalar(
      "prim::norm_power(Scalar? p) -> float",
      [](Values v) { return IValue(v[0].is_none() ? 2.0 : v[0].as_double()); }, o);
  add_view("prim::lines_checked(Tensor(a) self, float power, int[] dim) -> Tensor(a)",
           &plan_lines_checked, {Role::Operand, Role::Default, Role::Default}, kFamily, false);
  add("aten::norm.Scalar", {}, &draw_norm);
  add("aten::norm.ScalarOpt_dim", {}, &draw_norm);
}

// ---------------------------------------------------------------------------- gates

std::vector<ArgRequest> draw_prelu(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (!offered || !is_float(offered->dtype)) return {};
  bool each = offered->sizes.rank() >= 2 && chooser.percent(50);
  return {ArgRequest::offered_value(),
          ArgRequest::tensor(offered->dtype, Dims{each ? offered->sizes[1] : 1})};
}

std::vector<ArgRequest> draw_glu(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (!offered || !is_float(offered->dtype) || offered->sizes.rank() == 0) return {};
  int64_t d = chooser.between(0, offered->sizes.rank() - 1);
  if (offered->sizes[static_cast<int>(d)] % 2) return {};
  return {ArgRequest::offered_value(), ArgRequest::of(IValue(d))};
}

void gates() {
  using enum Role;
  PointwiseDef leak;
  leak.real = &real_formula<2>([](auto x, auto w) {
    using N = decltype(x);
    return select(x > N(0.0), x, w * x);
  });
  leak.generate = false;
  add_pointwise("prim::prelu(Tensor self, Tensor weight) -> Tensor", leak, kFamily, false);
  ScalarOptions o;
  o.generate = false;
  o.metadata = true;
  add_scalar(
      "prim::channel_dim(Tensor self, Tensor weight) -> int",
      [](Values v) {
        Tensor self = v[0].as_tensor(), weight = v[1].as_tensor();
        int64_t channels = self.rank() >= 2 ? self.sizes()[1] : 1;
        bool fits = weight.rank() <= 1 && (weight.numel() == 1 || weight.numel() == channels);
        if (!fits || self.dtype() != weight.dtype()) {
          fail("aten::prelu: a weight of {} does not fit {}", describe(weight), describe(self));
        }
        return IValue(self.rank() >= 2 ? 1 : -1);
      },
      o);
  add("aten::prelu", {}, &draw_prelu);
  add_scalar(
      "prim::half_of(Tensor self, int dim) -> int",
      [](Values v) {
        Tensor self = v[0].as_tensor();
        if (self.rank() == 0) fail("aten::glu: does not support 0-d tensors");
        int64_t size = self.sizes()[wrap_dim(v[1].as_int(), self.rank())];
        if (size % 2)
          fail("aten::glu: halving dimension must be even, but dimension {} is of size {}",
               v[1].as_int(), size);
        return IValue(size / 2);
      },
      o);
  add("aten::glu", {}, &draw_glu);
}

// ---------------------------------------------------------------------------- broadcasting

void run_broadcast(const Operator&, Values args, std::vector<IValue>& results) {
  Dims full;
  for (const IValue& v : args[0].items()) full = broadcast(full, v.as_tensor().sizes());
  std::vector<IValue> items;
  for (const IValue& v : args[0].items()) {
    Tensor t = v.as_tensor();
    items.emplace_back(
        Tensor::view_of(t, t.offset(), full, broadcast_strides(t.sizes(), t.strides(), full)));
  }
  results.push_back(IValue::list(std::move(items), TypeKind::Tensor));
}

void broadcasts() {
  InferFn infer = [](const Operator&, std::span<const ArgInfo>, std::vector<Type>& results) {
    results.push_back(Type::list(TypeKind::Tensor));
  };
  Operator r = opaque_operator("aten::broadcast_tensors(Tensor(a -> *)[] tensors) -> Tensor(a)[]",
                               kFamily, &run_broadcast, infer);
  r.metadata = true;  // its results are the operands' memory
  OperatorTable::instance().add(std::move(r));
}

// ---------------------------------------------------------------------------- a tensor's memory,
// seen otherwise

void run_as_strided(const Operator& op, Values args, std::vector<IValue>& results) {
  const Tensor& self = args[0].as_tensor();
  Dims sizes = args[1].as_dims(), strides = args[2].as_dims();
  int64_t offset = args[3].is_none() ? self.offset() : args[3].as_int();
  bool legal = sizes.rank() == strides.rank() && offset >= 0;
  for (int d = 0; legal && d < sizes.rank(); ++d) legal = sizes[d] >= 0 && strides[d] >= 0;
  if (!legal) fail("{}: as many strides as sizes are wanted, and nothing below 0", op.name);
  results.emplace_back(Tensor::view_of(self, offset, sizes, strides));
}

void infer_as_strided(const Operator&, std::span<const ArgInfo> args, std::vector<Type>& results) {
  TensorInfo info;
  info.has_dtype = args[0].type.info().has_dtype;
  info.dtype = args[0].type.info().dtype;
  if (args[1].known && args[2].known) {
    info.rank_known = info.strides_known = true;
    info.sizes = args[1].value.as_dims();
    info.strides = args[2].value.as_dims();
  }
  results.push_back(Type::tensor(info));
}

void memory() {
  Operator r = opaque_operator(
      "aten::as_strided(Tensor(a) self, int[] size, int[] stride, int? storage_offset=None) -> "
      "Tensor(a)",
      kFamily, &run_as_strided, &infer_as_strided);
  r.metadata = true;  // its result is the operand's memory
  OperatorTable::instance().add(std::move(r));
}

[[maybe_unused]] const bool kRegistered = [] {
  norms();
  gates();
  broadcasts();
  memory();
  products();
  truths();
  extremes();
  return true;
}();

}  // namespace
}  // namespace fusillade
