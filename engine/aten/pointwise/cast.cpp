// Conversion of dtypes (`to` in its overloads, type_as, _cast_*), and element-wise choice: where,
// masked_fill.
//
// Conversions return self itself when nothing is to be done, as ATen's. The schemas of type_as and
// _cast_* deny that in 1.13.1; ours say it, since passes rely on alias marks. Devices other than
// None and the cpu and layouts other than None are errors. A memory format (memory_format.h) orders
// elements in memory and changes no value; self is the result where its strides are in that format.
#include "engine/ops/device.h"
#include "engine/ops/pointwise.h"

namespace fusillade {
namespace {

constexpr const char* kFamily = "pointwise";

void check_options(const Operator& op, std::span<const ArgInfo> args, const PointwisePlan&) {
  check_devices(op, args);
  for (size_t i = 1; i < args.size(); ++i) {
    const std::string& name = op.schema.args[i].name;
    bool option = name == "layout" || name == "pin_memory";
    if (!option || !args[i].known || args[i].value.is_none()) continue;
    const IValue& v = args[i].value;
    bool plain = (v.is_int() || v.is_bool()) && v.as_int() == 0;  // strided, not pinned
    if (plain) continue;
    fail("{}: {} = {} is not supported; leave it None", op.schema.name, name, describe(v));
  }
}

void conversions() {
  PointwiseDef cast;
  cast.promotion = Promotion::Target;
  cast.lies = Lies::AsSelf;
  cast.real = cast.integer = &any_formula<1>([](auto a) { return a; });
  cast.operands = {0};
  cast.check = &check_options;
  cast.may_return_self = cast.converts = true;
  auto add = [&](const char* schema) { add_pointwise(schema, cast, kFamily, false); };
  cast.dtype_arg = 1;
  add("aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, "
      "MemoryFormat? memory_format=None) -> Tensor(a)");
  add("aten::to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, "
      "MemoryFormat? memory_format=None) -> Tensor(a)");
  add("aten::to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, Layout? layout=None, "
      "Device? device=None, bool? pin_memory=None, bool non_blocking=False, bool copy=False, "
      "MemoryFormat? memory_format=None) -> Tensor(a)");
  add("aten::to.prim_dtype(Tensor(a) self, int? dtype=None, bool non_blocking=False, "
      "bool copy=False) -> Tensor(b|a)");
  add("aten::type_as(Tensor(a) self, Tensor other) -> Tensor(a)");
  add("aten::as_tensor(Tensor(a) data, *, ScalarType? dtype=None, Device? device=None) -> "
      "Tensor(b|a)");
  cast.may_return_self = false;
  cast.generate = false;
  // What an op computed in double; and what others sum up as a series, whose terms cancel.
  add("prim::rounded_as(Tensor self, Tensor other) -> Tensor");
  add("prim::summed_as(Tensor self, Tensor other) -> Tensor");
  cast.may_return_self = true;
  cast.dtype_arg = 2;
  cast.generate = false;  // roles say nothing of devices
  add("aten::to.device(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, "
      "bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)");
  add("aten::to.prim_Device(Tensor(a) self, Device? device, int? dtype=None, bool "
      "non_blocking=False, "
      "bool copy=False) -> Tensor(b|a)");
  cast.dtype_arg = -1;
  cast.moves_to = Device();
  add("aten::cpu(Tensor(a) self) -> Tensor(b|a)");
  cast.moves_to = std::nullopt;
  cast.generate = true;
  add("aten::to.prim_other(Tensor(a) self, bool non_blocking=False, bool copy=False) -> "
      "Tensor(b|a)");
  static constexpr std::pair<const char*, DType> kCasts[] = {
      {"Byte", DType::U8},  {"Char", DType::I8},  {"Short", DType::I16}, {"Int", DType::I32},
      {"Long", DType::I64}, {"Half", DType::F16}, {"Float", DType::F32}, {"Double", DType::F64}};
  for (auto [name, dtype] : kCasts) {
    cast.dtype_code = row_of(dtype).aten_code;
    add(fmt::format("aten::_cast_{}(Tensor(a) self, bool non_blocking=False) -> Tensor(a)", name)
            .c_str());
  }
}

void check_mask(const Operator& op, size_t at, std::span<const ArgInfo> args) {
  const TensorInfo& mask = args[at].type.info();
  if (!mask.has_dtype || mask.dtype == DType::Bool || mask.dtype == DType::U8) return;
  fail("{}: {} is {}; it must be bool or u8", op.schema.name, op.schema.args[at].name,
       name_of(mask.dtype));
}

void check_where(const Operator& op, std::span<const ArgInfo> args, const PointwisePlan&) {
  check_mask(op, 0, args);
}

void check_fill(const Operator& op, std::span<const ArgInfo> args, const PointwisePlan&) {
  check_mask(op, 1, args);
  if (!args[2].type.is_tensor()) return;
  const TensorInfo& value = args[2].type.info();
  if (!value.rank_known || value.sizes.rank() == 0) return;
  fail("{}: value has {} dimensions; it must have none", op.schema.name, value.sizes.rank());
}

void choices() {
  PointwiseDef where;
  where.check = &check_where;
  where.real = where.integer = &any_formula<3>([](auto c, auto a, auto b) {
    using N = decltype(a);
    return select(c != N(0.0), a, b);
  });
  where.silent = {0};
  where.checked = {1, 2};
  auto add = [&](const char* overload, const char* self, const char* other) {
    add_pointwise(fmt::format("aten::where.{}(Tensor condition, {} self, {} other) -> Tensor",
                              overload, self, other)
                      .c_str(),
                  where, kFamily, false);
  };
  add("self", "Tensor", "Tensor");
  add("ScalarOther", "Tensor", "Scalar");
  add("ScalarSelf", "Scalar", "Tensor");
  add("Scalar", "Scalar", "Scalar");
  PointwiseDef fill;
  fill.promotion = Promotion::Target;  // self's dtype
  fill.lies = Lies::Usual;
  fill.check = &check_fill;
  fill.operands = {1, 2, 0};
  fill.silent = {1};
  fill.checked = {2};
  fill.real = fill.integer = where.real;
  add_pointwise("aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor", fill,
                kFamily);
  add_pointwise("aten::masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor", fill,
                kFamily);
}

[[maybe_unused]] const bool kRegistered = [] {
  conversions();
  choices();
  return true;
}();

}  // namespace
}  // namespace fusillade
