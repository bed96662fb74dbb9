// What the static types of a graph promise, compared with a run of it.
#pragma once

#include "fuzz/oracle/judging.h"

namespace fusillade::fuzz {

// Runs the graph eagerly on the call and looks at every value whenever it is computed: its kind,
// and of tensors dtype, sizes, strides, device and requires_grad, as far as its type states them.
// Sizes of one symbol are one size. `found`, by value id, promises more of the graph's own values,
// also what they are (types_of). A mismatch names the fact that does not hold; its elements count
// the values looked at. A graph compiled for a `device`, where its constants lie, runs there.
Verdict promises_of(const Graph& graph, const Call& call, const std::vector<ArgInfo>& found = {},
                    Device device = {});

}  // namespace fusillade::fuzz
