// A fuser decides which nodes may fuse and how a group with concrete argument types becomes
// Kernel IR. It knows neither back ends nor executors.
//
// A group keeps its original subgraph; when lowering declines (Unsupported), or a guard does not
// hold, the subgraph is run node by node instead.
#pragma once

#include <string>
#include <vector>

#include "engine/fuse/cost.h"
#include "engine/fuse/dynamic_sizes.h"
#include "engine/kernel/kernel.h"

namespace fusillade::fuse {

// How a statement of a kernel's body is laid out. Each is a launch, on a GPU a call of its driver;
// they run one after the other and share temporaries.
struct Schedule {
  std::string name;                                         // "rows"
  std::vector<std::pair<std::string, int64_t>> parameters;  // "threads", 32; as kernel.h's numbers
  std::string domain = {};                                  // how loops became others, in words
};
std::string to_string(const Schedule& schedule);  // rows: blocks 2, threads 4 x 8; roots ...
// With the blocks and threads of a grid, or the iterations of a loop.
Schedule schedule_of(std::string name, const kernel::Stmt& statement);

// A lowered group: the kernel, and which group inputs and outputs its buffers and scalars map to.
struct Lowered {
  kernel::Kernel kernel;
  std::vector<int> in_args;      // per In buffer: index of the group's input
  std::vector<int> scalar_args;  // per ScalarParam: index of the group's input
  // How many random numbers each drawing node takes, in program order: the kernel's next scalars
  // are the positions of their first ones.
  std::vector<Product> draws = {};
  std::vector<ArgSpec> outputs;    // per group output, in order: dtype, sizes, strides to allocate
  std::vector<Schedule> launches;  // of each statement of the kernel's body
  // Where sizes are dynamic: the kernel's other scalars, and sizes then strides of each output.
  std::vector<Extent> extents = {};
  std::vector<std::vector<Product>> dynamic_outputs = {};
};

struct Fuser {
  std::string name;  // "loopnest"
  std::string summary;
  // May this node fuse with this group (by operator kind and attributes; types may be unknown)? Of
  // no members: may it begin one?
  bool (*may_fuse_with)(const Node* node, Members group) = nullptr;
  // May it fuse as a sibling with the same iteration space, which no member reads and which reads
  // none?
  bool (*fuses_horizontally)(const Node* node, Members group) = nullptr;
  Cost (*cost)(Members group) = nullptr;  // formed only where it beats its operators
  // For these arguments, or where `dynamic` is given for all that it matches. Throws Unsupported
  // with the reason.
  Lowered (*lower)(const Graph& group, const std::vector<ArgSpec>& args,
                   const DynamicSizes* dynamic) = nullptr;
};
const Fuser& fuser(const std::string& name);  // throws Error listing the legal names

}  // namespace fusillade::fuse
