// Devices as values of the language (device.h), and other tensor properties that serialised modules
// read.
#include "engine/ops/device.h"

#include "engine/ops/scalar_operator.h"
#include "engine/tensor/device_access.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

void infer_same(const Operator&, std::span<const ArgInfo> args, std::vector<Type>& results) {
  results.push_back(args[0].type);
}

void run_cuda(const Operator& op, Values args, std::vector<IValue>&) {
  check_devices(op, infos_of(args));
  FUS_BUG("{}: the cpu is no device of its kind", op.name);
}

void add_cuda() {
  Operator r;
  r.schema = parse_schema("aten::cuda(Tensor(a) self) -> Tensor(b|a)");
  r.name = r.schema.full_name();
  r.kind = OpKind::Opaque;
  r.family = "device";
  r.run = &run_cuda;
  r.infer = &infer_same;
  r.roles = {Role::Default};
  r.generate = false;
  r.moves_to = Device{DeviceType::Cuda};
  OperatorTable::instance().add(std::move(r));
}

template <DeviceType type>
IValue is_on(Values v) {
  return IValue(v[0].as_tensor().device().type == type);
}

// The device of a tensor.
void device_queries() {
  ScalarOptions o;
  o.generate = false;
  o.metadata = o.reads_device = true;
  add_scalar(
      "prim::device(Tensor a) -> Device",
      [](Values v) { return IValue(v[0].as_tensor().device()); }, o);
  add_scalar(
      "prim::is_cpu(Tensor a) -> bool", [](Values v) { return is_on<DeviceType::Cpu>(v); }, o);
  add_scalar(
      "prim::is_cuda(Tensor a) -> bool", [](Values v) { return is_on<DeviceType::Cuda>(v); }, o);
  add_scalar(
      "prim::is_mps(Tensor a) -> bool", [](Values v) { return is_on<DeviceType::Mps>(v); }, o);
}

// What is said of devices themselves.
void names() {
  ScalarOptions o;
  o.generate = false;
  add_scalar(
      "aten::device(str a) -> Device", [](Values v) { return IValue(parse_device(v[0].as_str())); },
      o);
  add_scalar(
      "aten::eq.device(Device a, Device b) -> bool",
      [](Values v) { return IValue(v[0].as_device() == v[1].as_device()); }, o);
  add_scalar(
      "aten::ne.device(Device a, Device b) -> bool",
      [](Values v) { return IValue(v[0].as_device() != v[1].as_device()); }, o);
  add_scalar(
      "prim::type(Device self) -> str",
      [](Values v) { return IValue::str(name_of(v[0].as_device().type)); }, o);
  add_scalar(
      "prim::index(Device self) -> int?",
      [](Values v) {
        int index = v[0].as_device().index;
        return index < 0 ? IValue() : IValue(index);
      },
      o);
}

[[maybe_unused]] const bool kRegistered = [] {
  device_queries();
  names();
  ScalarOptions meta;
  meta.generate = false;
  meta.metadata = true;
  for (const char* name : {"is_nested", "is_sparse", "is_quantized"})
    add_scalar(
        fmt::format("prim::{}(Tensor a) -> bool", name), [](Values) { return IValue(false); },
        meta);
  add_cuda();
  return true;
}();

}  // namespace

AskedDevice asked_device(const Operator& op, std::span<const ArgInfo> args) {
  if (op.moves_to) return {op.moves_to};
  if (op.schema.device < 0 || static_cast<size_t>(op.schema.device) >= args.size()) return {};
  const ArgInfo& asked = args[static_cast<size_t>(op.schema.device)];
  if (!asked.known) return {std::nullopt, !asked.type.is(TypeKind::None)};
  if (asked.value.is_device()) return {asked.value.as_device()};
  return {};
}

IValue as_wanted_device(const IValue& v, const Type& wanted) {
  const Type& type = wanted.is(TypeKind::Optional) ? wanted.element() : wanted;
  if (type.is(TypeKind::Device) && v.tag() == IValue::Tag::Str) return parse_device(v.as_str());
  if (!type.is(TypeKind::List) || v.tag() != IValue::Tag::List) return v;
  if (!(v.seq()->element == Type(TypeKind::Str))) return v;
  std::vector<IValue> items;
  for (const IValue& item : v.items()) items.push_back(as_wanted_device(item, type.element()));
  return IValue::list(std::move(items), type.element());
}

void check_devices(const Operator& op, std::span<const ArgInfo> args) {
  const std::optional<Device> device = asked_device(op, args).device;
  if (!device) return;
  device_row(*device, op.schema.name);
  if (find_device_access(device->type))
    fail("{}: tensors come to '{}' in programs and by functions of eager:: alone", op.schema.name,
         to_string(*device));
}

}  // namespace fusillade
