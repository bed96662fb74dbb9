// The mode that runs calls on tensors whose elements the host cannot reach.
//
// Operators compute on the cpu. Executors and functions of eager:: install that mode where a
// program asks for a device, or where this process has tensors out of the host's reach.
#pragma once

#include <optional>
#include <span>

#include "engine/ops/call.h"
#include "engine/tensor/transfer.h"

namespace fusillade {

// The device that these values ask for, by an argument `device` or by the operator itself; nothing
// where they name none.
std::optional<Device> device_asked(const Operator& op, std::span<const IValue> args);

// Operators of which ATen's kernels take what lies on several devices.
bool takes_several_devices(const Operator& op);
// Operators that ask the tape: what that knows, it knows of a handle; it has this mode for itself.
bool asks_tape(const Operator& op);

// What the layer that knows kernels provides.
void provide_device_mode(Mode& mode);

// The mode in force while alive, if `asked`, or if there are tensors out of the host's reach.
class DeviceScope {
 public:
  explicit DeviceScope(bool asked) {
    if (asked || any_beyond_reach()) [[unlikely]]
      install();
  }
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  static bool is_active();  // one on this thread that installed it

 private:
  void install();
  std::optional<ModeScope> mode_;
};

}  // namespace fusillade
