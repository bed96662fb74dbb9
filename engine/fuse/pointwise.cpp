// The pointwise fuser (the class of TorchScript's legacy fuser): element-wise and broadcast chains
// become grids of blocks and threads, one thread per element; so do joins of them, and parts of a
// chunk, which are read where its input lies.
//
// Dimensions that all operands walk in step are one, but in groups with joins or parts. Kernels are
// for sizes that are known. Not taken: other views, reductions.
#include "engine/fuse/grid.h"
#include "engine/fuse/joins.h"
#include "engine/fuse/lowering.h"
#include "engine/fuse/specialise.h"

namespace fusillade::fuse {
namespace {

Lowered lower(const Graph& group, const std::vector<ArgSpec>& args, const OpenSizes* open) {
  if (open) decline("grids are made for sizes that are known");
  TypeFacts facts;
  const std::unique_ptr<Graph> graph = specialised(group, args, facts);
  try {
    return Lowering(*graph, args, nullptr, &build_grid, Lowering::Launches::Dear).run();
  } catch (const Error& e) {
    decline("no grid of threads: {}", e.what());
  }
}

const Fuser& registered = Table<Fuser>::instance().add(
    {"pointwise",
     "a thread per element: element-wise, broadcast, cat, chunk (TorchScript's legacy class)",
     [](const Node* node, Members group) {
       return joins(node, kPointwiseForms | kJoinForms | kPartForms | kDrawForms) &&
              has_room(node, group);
     },
     &walks_beside, &cost_as_kernel, &lower});

}  // namespace
}  // namespace fusillade::fuse
