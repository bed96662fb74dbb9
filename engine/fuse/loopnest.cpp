// The loopnest fuser (TensorExpr class): element-wise, broadcast, cast, view, join, scan and
// reduction chains over any strides, and small products and convolutions, become one kernel of
// loop nests per group.
#include "engine/fuse/lower_group.h"
#include "engine/fuse/may_fuse.h"
#include "engine/fuse/merge_loops.h"

namespace fusillade::fuse {
namespace {

// Loops that walk memory without a gap are one, where sizes are known.
std::vector<Schedule> build_loops(const std::vector<Stage>& stages, DynamicNumbers& numbers,
                                  kernel::Kernel& kernel) {
  std::vector<Stage> merged = stages;
  if (!numbers.any()) merge_loops(merged, kernel);
  return build_nest(merged, numbers, kernel);
}

// One nest of loops holds the whole group; what does not fit it is run node by node.
Lowered lower(const Graph& group, const std::vector<ArgSpec>& args, const DynamicSizes* dynamic) {
  return lower_group(group, args, dynamic,
                     {&build_loops, Lowering::Launches::Cheap, "no one nest of loops"});
}

const Fuser& registered = Table<Fuser>::instance().add(
    {"loopnest", "loop nests per group: element-wise, views and reductions (TensorExpr class)",
     [](const Node* node, Members group) {
       return may_fuse(node, kAllForms) && has_room(node, group);
     },
     &walks_alike, &cost_as_kernel, &lower});

}  // namespace
}  // namespace fusillade::fuse
