// A joint graph (differentiate.h) in two: what runs forward and gives captures, and what runs back
// from them.
//
//   graph(%x, %g):                  forward:  graph(%x):
//     %a = aten::tanh(%x)                       %a = aten::tanh(%x)
//     %b = aten::mul(%a, %a)                    return (%a, %a)             (result, capture)
//     %c = aten::rsub(%b, 1, 1)  =>   backward: graph(%a, %g):
//     %d = aten::mul(%g, %c)                    %b = aten::mul(%a, %a) ...
//     return (%a, %d)                           return (%d)
//
// What is captured decides what is computed again. `MinCut` takes the fewest bytes that part the
// forward nodes from those of the way back: element-wise operators and views are computed again
// where that saves memory, products, reductions and whatever is of unknown cost never, and the
// inputs are there anyway. `Save` is TorchScript's way: every value of the forward graph that a
// formula mentions.
#pragma once

#include <memory>
#include <vector>

#include "engine/passes/differentiate.h"

namespace fusillade {

enum class Keeps : uint8_t { MinCut, Save };

struct Partition {
  std::unique_ptr<Graph> forward;   // the group's inputs; its results, then the captures
  std::unique_ptr<Graph> backward;  // the captures, the inputs of `inputs`, then the gradients
  size_t captures = 0;
  std::vector<int> inputs;  // those of the group that the way back reads
  int64_t bytes = 0;        // of the captured tensors
};

Partition partition(const Joint& joint, Keeps keeps);

}  // namespace fusillade
