// Programs that also take buffers where a device has them: back ends whose kernels run there, and
// what such a program can do beside Program::launch.
#pragma once

#include <optional>

#include "engine/base/table.h"
#include "engine/kernel/kernel.h"

namespace fusillade::kernel {

struct DeviceBackend {
  std::string name;  // of the back end; the table's key
  DeviceType device;
};

class DeviceProgram : public Program {
 public:
  // As launch, with buffers on the device; it need not have ended when this returns: what is asked
  // of the device later finds it done.
  virtual void launch_there(const LaunchArgs& args) const = 0;
};

// Where its programs take buffers beside the host's; nothing: nowhere.
inline std::optional<DeviceType> device_of(const Backend& backend) {
  const DeviceBackend* found = Table<DeviceBackend>::instance().find(backend.name);
  return found ? std::optional(found->device) : std::nullopt;
}

}  // namespace fusillade::kernel
