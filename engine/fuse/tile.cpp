// The tile fuser (nvFuser class): element-wise, views, reductions and normalisations over them
// become grids in which the threads of a block work together: they share rows, exchange what they
// found by shuffles and shared memory, hold rows in registers, and turn tiles around.
//
// A group is cut into segments (segment.h), each a grid (tile_schedule.h, tile_grid.h), which run
// one after the other. f16 and bf16 are computed in f32, as everywhere. Kernels are for sizes that
// are known.
#include <set>

#include "engine/fuse/joins.h"
#include "engine/fuse/lowering.h"
#include "engine/fuse/specialise.h"
#include "engine/fuse/tile_grid.h"

namespace fusillade::fuse {
namespace {

int64_t elements(const Segment& s, bool of_rows) {
  int64_t n = 1;
  for (const Segment::Axis& a : s.axes)
    if (!of_rows || a.role == Segment::Role::Row) n *= a.extent;
  return n;
}

void build_tiles(const std::vector<Stage>& stages, kernel::Kernel& kernel) {
  const std::vector<Segment> segments = segments_of(stages);
  for (size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = segments[i];
    if (elements(segment, segment.reduces) == 0) continue;
    const auto read_later = [&](int buffer) {
      for (size_t later = i + 1; later < segments.size(); ++later)
        if (segments[later].reads(buffer)) return true;
      return false;
    };
    const TileSchedule schedule = schedule_of(segment, kernel);
    kernel.body.push_back(build_tile_grid(segment, schedule, read_later, kernel));
  }
}

Lowered lower(const Graph& group, const std::vector<ArgSpec>& args, const OpenSizes* open) {
  if (open) decline("grids are made for sizes that are known");
  Facts facts;
  const std::unique_ptr<Graph> graph = specialised(group, args, facts);
  try {
    return Lowering(*graph, args, nullptr, &build_tiles).run();
  } catch (const Error& e) {
    decline("no grids: {}", e.what());
  }
}

const Fuser& registered = Table<Fuser>::instance().add(
    {"tile", "blocks of threads that share rows and tiles: reductions, norms (nvFuser class)",
     [](const Node* node) { return joins(node, kPointwiseForms | kReduceForms | kViewForms); },
     &lower, 2});

}  // namespace
}  // namespace fusillade::fuse
