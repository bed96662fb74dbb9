// Programs written for torch.export.load (.pt2), recorded on examples of their inputs (recorder.h).
//
// The archive has the layout of PyTorch 2.13: the program's text, the bytes of the tensors, and the
// examples. There is no pickle but that of the examples, which has tensors and numbers only.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace fusillade::exported {

// The archive's bytes. `inputs`: one for each of the graph; of a method the first is the module,
// whose tensors become parameters, buffers and constants. Of the others only dtypes and sizes
// matter, and the numbers, which become constants. None of them changes. Throws Error naming
// operator and place for what torch.export has no form for, or what the program raises.
std::string write_program(const Graph& graph, const std::vector<IValue>& inputs);

}  // namespace fusillade::exported
