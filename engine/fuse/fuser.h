// A fuser decides which nodes may join a group and how a group with concrete argument types becomes
// Kernel IR. It knows neither back ends nor executors.
//
// A group keeps its original subgraph; when lowering declines (Unsupported), or a guard does not
// hold, the subgraph is run node by node instead.
#pragma once

#include <string>
#include <vector>

#include "engine/fuse/open_sizes.h"
#include "engine/kernel/kernel.h"

namespace fusillade::fuse {

// A lowered group: the kernel, and which group inputs and outputs its buffers and scalars stand
// for.
struct Lowered {
  kernel::Kernel kernel;
  std::vector<int> in_args;      // per In buffer: index of the group's input
  std::vector<int> scalar_args;  // per ScalarParam: index of the group's input
  // How many random numbers each drawing node takes, in program order: the kernel's next scalars
  // are the positions of their first ones.
  std::vector<Product> draws = {};
  std::vector<ArgSpec> outputs;  // per group output, in order: dtype, sizes, strides to allocate
  std::vector<std::string> schedule;  // a line about each statement of the kernel's body
  // Where sizes are open: the kernel's other scalars, and sizes then strides of each output.
  std::vector<Product> extents = {};
  std::vector<std::vector<Product>> open_outputs = {};
};

struct Fuser {
  std::string name;  // "loopnest"
  std::string summary;
  // May this node be part of a group at all (by row kind and attributes; types may be unknown)?
  bool (*can_join)(const Node* node) = nullptr;
  // For these arguments, or where `open` is given for all that it matches. Throws Unsupported with
  // the reason.
  Lowered (*lower)(const Graph& group, const std::vector<ArgSpec>& args,
                   const OpenSizes* open) = nullptr;
  int min_nodes = 2;
};
const Fuser& fuser(const std::string& name);  // throws Error listing the legal names

}  // namespace fusillade::fuse
