// See device_mode.h.
#include "engine/ops/device_mode.h"

#include <algorithm>
#include <string_view>

namespace fusillade {
namespace {

Mode* device_mode = nullptr;
thread_local int active_scopes = 0;

}  // namespace

std::optional<Device> device_asked(const Operator& op, std::span<const IValue> args) {
  if (op.moves_to) return op.moves_to;
  const auto at = static_cast<size_t>(op.schema.device);
  if (op.schema.device < 0 || at >= args.size() || !args[at].is_device()) return std::nullopt;
  return args[at].as_device();
}

bool takes_several_devices(const Operator& op) {
  static constexpr std::string_view kNames[] = {"aten::copy_", "aten::index", "aten::index_put",
                                                "aten::index_put_", "aten::set_"};
  return op.kind == OpKind::Scalar || std::ranges::count(kNames, op.schema.name) > 0;
}

bool asks_tape(const Operator& op) {
  static constexpr std::string_view kNames[] = {"prim::requires_grad", "aten::is_leaf",
                                                "aten::retains_grad"};
  return op.family == "tape" || std::ranges::count(kNames, op.schema.name) > 0;
}

void provide_device_mode(Mode& mode) { device_mode = &mode; }

void DeviceScope::install() {
  if (!device_mode) return;
  mode_.emplace(ModeKind::Device, *device_mode);
  ++active_scopes;
}

DeviceScope::~DeviceScope() {
  if (mode_) --active_scopes;
}

bool DeviceScope::is_active() { return active_scopes > 0; }

}  // namespace fusillade
