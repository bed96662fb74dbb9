// See default_device.h.
#include "engine/ops/default_device.h"

#include <algorithm>

namespace fusillade {
namespace {

thread_local Device device_in_force;

bool holds_tensor(const Type& type) {
  if (type.is_tensor()) return true;
  const bool inside = type.is(TypeKind::Optional) || type.is(TypeKind::List);
  return inside && holds_tensor(type.element());
}

}  // namespace

DefaultDevice::DefaultDevice(Device device) : saved_(device_in_force) { device_in_force = device; }
DefaultDevice::~DefaultDevice() { device_in_force = saved_; }

bool takes_tensors(const Operator& op) {
  const auto& args = op.schema.args;
  const auto is_list = [](const SchemaArg& a) { return a.type.is(TypeKind::List); };
  if (op.kind == OpKind::Scalar && std::ranges::any_of(args, is_list)) return false;
  return std::ranges::any_of(args, [](const SchemaArg& a) { return holds_tensor(a.type); });
}

bool is_factory(const Operator& op) {
  if (op.kind == OpKind::Prim || takes_tensors(op)) return false;
  return std::ranges::any_of(op.schema.results,
                             [](const SchemaArg& a) { return holds_tensor(a.type); });
}

Device default_device(const Operator& op) {
  if (device_in_force == Device() || !is_factory(op)) return Device();
  return device_in_force;
}

}  // namespace fusillade
