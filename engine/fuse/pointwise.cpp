// The pointwise fuser (the class of TorchScript's legacy fuser): element-wise and broadcast chains
// become grids of blocks and threads, one thread per element; so do joins of them, and parts of a
// chunk, which are read where its input lies.
//
// Dimensions that all operands walk in step are one, but in groups with joins or parts. Not taken:
// other views, reductions.
#include "engine/fuse/grid.h"
#include "engine/fuse/lower_group.h"
#include "engine/fuse/may_fuse.h"

namespace fusillade::fuse {
namespace {

Lowered lower(const Graph& group, const std::vector<ArgSpec>& args, const DynamicSizes* dynamic) {
  return lower_group(group, args, dynamic,
                     {&build_grid, Lowering::Launches::Dear, "no grid of threads"});
}

const Fuser& registered = Table<Fuser>::instance().add(
    {"pointwise",
     "a thread per element: element-wise, broadcast, cat, chunk (TorchScript's legacy class)",
     [](const Node* node, Members group) {
       return may_fuse(node, kPointwiseForms | kJoinForms | kPartForms | kDrawForms) &&
              has_room(node, group);
     },
     &walks_alike, &cost_as_kernel, &lower});

}  // namespace
}  // namespace fusillade::fuse
