// Programs whose inputs have sizes of their own in each call, as compilers for dynamic shapes take.
//
// A generated graph knows all sizes. With dynamic sizes, its types have only dtypes and ranks of
// inputs. Calls after the first replace each size by another, the same wherever it occurs, except
// now and then by a 1, which broadcasts. What was drawn for known sizes may not accept others: such
// a call is tried, and keeps the old sizes where it raises. Beyond that, types may have no tensor
// properties, and calls also differ in dtypes and in which inputs share memory.
#pragma once

#include "fuzz/gen/generate.h"

namespace fusillade::fuzz {

// False, and nothing done, for a graph that calls functions.
bool dynamic_sizes(Graph& graph);

// Of a graph with dynamic sizes: removes all tensor properties from the types of inputs.
void make_dynamic(Graph& graph);

// A call like `first` on other sizes; `first`'s own sizes where the graph takes no others. `types`:
// names and types of the inputs before their sizes were made dynamic.
Call call_of_other_sizes(Choices& choices, const Graph& graph,
                         const std::vector<std::pair<std::string, Type>>& types);

// The same, and now and then other dtypes and strides, and inputs that are, or view,
// one another.
Call call_of_other_looks(Choices& choices, const Graph& graph,
                         const std::vector<std::pair<std::string, Type>>& types);

}  // namespace fusillade::fuzz
