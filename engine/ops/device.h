// What operators say of devices: which one a call asks for, and whether tensors can lie there.
#pragma once

#include <optional>
#include <span>

#include "engine/ops/operator.h"

namespace fusillade {

// The device a call names, by an argument `device` or by the operator itself. Empty if it names
// none (None), or if it is known only at run time: then `dynamic`.
struct AskedDevice {
  std::optional<Device> device;
  bool dynamic = false;
};
AskedDevice asked_device(const Operator& op, std::span<const ArgInfo> args);
// A str where a Device is wanted (or a Device?, or a list of them) as the device of that name, as
// TorchScript takes it; any other value as it is. Throws Error for a str that names none.
IValue as_wanted_device(const IValue& v, const Type& wanted);
// Throws Error where no tensor can lie on the device that a call asks for.
void check_devices(const Operator& op, std::span<const ArgInfo> args);

}  // namespace fusillade
