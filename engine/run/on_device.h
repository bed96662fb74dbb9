// Plans on another device than the cpu: inputs and constants of a program go there before a call,
// what it gave and what it wrote comes back.
#pragma once

#include <functional>
#include <optional>

#include "engine/ops/default_device.h"
#include "engine/ops/device_mode.h"
#include "engine/run/plan.h"

namespace fusillade {

// The results of `run` while the inputs, and whatever they hold, are on the device and calls run
// there. Then all of it, with what was written, is moved back. Throws what `run` throws.
std::vector<IValue> run_on(Device device, std::span<const IValue> inputs,
                           const std::function<std::vector<IValue>()>& run);

// What was compiled for a device as text can say it, which names devices of types and none of
// elements: constants are copied to the cpu, and types say of no value where it lies.
void leave_device(Graph& graph);

// While alive, this thread compiles a program for a device: what passes compute is computed there.
class PlanOnDevice {
 public:
  // `graph` is the caller's alone: its constants are copied there, and its types say of no value
  // where it lies. Throws Unsupported for programs with tasks.
  PlanOnDevice(Graph& graph, Device device);
  // An executable that runs `compiled`, which was compiled from that graph, on the device.
  std::unique_ptr<Executable> run_there(std::unique_ptr<Executable> compiled) const;

 private:
  Device device_;
  DeviceScope mode_{true};
  DefaultDevice fresh_;
};

}  // namespace fusillade
