// Calls on tensors that the host does not reach: the device's mode (ops/device.h).
//
// A call's tensors lie on one device (a host's tensor without dims is copied there where an
// element-wise operator takes it) or it raises PyTorch's error. Then, in this order: what reads no
// element runs as it is; what moves or makes tensors does so on the host and copies; products go to
// the device's library; what a kernel can do, one does (device_kernels.h); an operator with a body
// is decomposed; whatever is left runs on the host, on copies. Probes count each: "device/kernel",
// "device/product", "device/read" (an element asked for), "device/created" on the host and sent
// there, "device/on-cpu" and of each such operator "device/cpu-<operator>".
#pragma once

#include "engine/ir/graph.h"

namespace fusillade {

// Does a run of the graph perhaps put a tensor elsewhere than on the cpu?
bool asks_devices(const Graph& graph);

}  // namespace fusillade
