// Modules written as programs that torch.export.load reads (.pt2): one method, recorded on examples
// of its inputs (recorder.h).
//
// The archive has the layout of PyTorch 2.13: the program's text, the bytes of the tensors, and the
// examples. There is no pickle but that of the examples, which has tensors and numbers only.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/unit.h"

namespace fusillade::exported {

// The archive's bytes. `inputs`: of the method, the module among them; only their dtypes and sizes
// matter, and the numbers, which become constants. Neither they nor the module change. Throws Error
// naming operator and place for what torch.export has no form for, or what the program raises.
std::string write_program(const Module& module, const std::string& method,
                          const std::vector<IValue>& inputs);

}  // namespace fusillade::exported
