// Where tensors are that a call makes of none, if it asks for no device: on the cpu, or where
// whoever runs or compiles a program on a device says.
#pragma once

#include "engine/ops/operator.h"

namespace fusillade {

// While alive, such tensors of this thread are there.
class DefaultDevice {
 public:
  explicit DefaultDevice(Device device);
  ~DefaultDevice();
  DefaultDevice(const DefaultDevice&) = delete;
  DefaultDevice& operator=(const DefaultDevice&) = delete;

 private:
  Device saved_;
};

// Operators that take tensors as such. Others see them within containers, which they do not look
// into; where they compare or show them, they reach for elements themselves.
bool takes_tensors(const Operator& op);
// An operator that makes tensors of none.
bool is_factory(const Operator& op);
// Where an operator's results are, if nothing that it is given says so.
Device default_device(const Operator& op);

}  // namespace fusillade
