// How the host accesses the memory of a device that it cannot address: a row in addition to that of
// the device's memory (device.h), registered in the same file. A device without one is addressable,
// as the cpu is.
//
// Copies and kernels run in the order in which they were enqueued; to_host waits for them.
#pragma once

#include "engine/tensor/device.h"

namespace fusillade {

struct DeviceAccess {
  std::string name;  // of the type, "cuda"; the table's key
  // Why no tensor can lie on this one now, in words; empty: one can. Asking opens it.
  std::string (*missing)(Device device);
  void (*to_host)(void* to, const uint8_t* from, size_t bytes);
  void (*from_host)(uint8_t* to, const void* from, size_t bytes);
  void (*within)(uint8_t* to, const uint8_t* from, size_t bytes);
};

const DeviceAccess* find_device_access(DeviceType type);  // nullptr: the host reaches it
// Why no tensor can lie there now; empty: one can.
std::string why_no_device(Device device);

}  // namespace fusillade
