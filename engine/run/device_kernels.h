// Operators as kernels of a device: a call becomes a group of one node, lowered by a fuser and
// launched on tensors where they lie.
#pragma once

#include "engine/ops/operator.h"

namespace fusillade {

// Runs the operator on tensors that lie on one device that the host does not reach; false, and
// nothing appended, where no kernel does what it does. Throws what a device that fails throws.
bool run_as_kernel(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results);

}  // namespace fusillade
