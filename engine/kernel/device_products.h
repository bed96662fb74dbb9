// Matrix products by a device's own library: a row for each device that has one, registered in the
// library's file.
#pragma once

#include "engine/base/table.h"
#include "engine/ops/operator.h"

namespace fusillade::kernel {

struct DeviceProducts {
  std::string name;  // of the type of device, "cuda"; the table's key
  // out = alpha * a @ b + beta * out, all of them there, in the order of what is asked of the
  // device. out is contiguous, of plan.sizes; where the plan has a bias it holds that, else what it
  // holds is not read. False, and nothing done, where the library is absent or does not do it.
  bool (*multiply)(const ContractPlan& plan, const Tensor& out);
  std::string (*needs)();  // the library, and whether it is here
};

}  // namespace fusillade::kernel
