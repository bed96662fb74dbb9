// Programs whose inputs have sizes of their own in each call, as compilers for dynamic shapes take.
//
// A generated graph knows all sizes. Opened, its types tell dtypes and ranks of inputs alone; calls
// after the first exchange each size by another, the same wherever it stands, but for a 1 now and
// then, which broadcasts. What was drawn for known sizes may not take others: such a call is tried,
// and has the old sizes where it raises. Opened further, types tell nothing, and calls differ in
// dtypes and in which inputs are the same memory as well.
#pragma once

#include "fuzz/gen/generate.h"

namespace fusillade::fuzz {

// False, and nothing done, for a graph that calls functions.
bool dynamic_sizes(Graph& graph);

// Of an opened graph: nothing is told of inputs any more.
void make_dynamic(Graph& graph);

// A call like `first` on other sizes; `first`'s own sizes where the graph takes no others. `types`:
// names and types of the inputs before they were opened.
Call call_of_other_sizes(Choices& choices, const Graph& graph,
                         const std::vector<std::pair<std::string, Type>>& types);

// The same, and now and then other dtypes and strides, and inputs that are, or view,
// one another.
Call call_of_other_looks(Choices& choices, const Graph& graph,
                         const std::vector<std::pair<std::string, Type>>& types);

}  // namespace fusillade::fuzz
