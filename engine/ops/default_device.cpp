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

bool takes_tensors(const Row& row) {
  const auto& args = row.schema.args;
  const auto is_list = [](const SchemaArg& a) { return a.type.is(TypeKind::List); };
  if (row.kind == OpKind::Scalar && std::ranges::any_of(args, is_list)) return false;
  return std::ranges::any_of(args, [](const SchemaArg& a) { return holds_tensor(a.type); });
}

bool is_factory(const Row& row) {
  if (row.kind == OpKind::Prim || takes_tensors(row)) return false;
  return std::ranges::any_of(row.schema.results,
                             [](const SchemaArg& a) { return holds_tensor(a.type); });
}

Device default_device(const Row& row) {
  if (device_in_force == Device() || !is_factory(row)) return Device();
  return device_in_force;
}

}  // namespace fusillade
