// See device_mode.h.
#include "engine/ops/device_mode.h"

namespace fusillade {
namespace {

Mode* device_mode = nullptr;
thread_local int scopes_that_stand = 0;

}  // namespace

std::optional<Device> device_asked(const Row& row, std::span<const IValue> args) {
  if (row.moves_to) return row.moves_to;
  const auto at = static_cast<size_t>(row.schema.device);
  if (row.schema.device < 0 || at >= args.size() || !args[at].is_device()) return std::nullopt;
  return args[at].as_device();
}

void provide_device_mode(Mode& mode) { device_mode = &mode; }

void DeviceScope::install() {
  if (!device_mode) return;
  mode_.emplace(ModeKind::Device, *device_mode);
  ++scopes_that_stand;
}

DeviceScope::~DeviceScope() {
  if (mode_) --scopes_that_stand;
}

bool DeviceScope::stands() { return scopes_that_stand > 0; }

}  // namespace fusillade
