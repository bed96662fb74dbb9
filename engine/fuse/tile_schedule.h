// How a segment is shared out among blocks and threads.
//
//   flat     nothing reduces: all axes are one, a thread per element or a few
//   tiles    nothing reduces, and what is read lies across what is written: square tiles, read
//   along
//            the one and written along the other
//   rows     reductions along memory: neighbouring threads share a row
//   columns  reductions across memory: neighbouring threads have neighbouring rows
//
// In the last two some threads of a block (`across`) share a row, each of them taking one column of
// an iteration; the block has as many rows as the other axis of its threads.
//
// Where sizes are dynamic, threads are chosen by the sizes seen. Columns that a row's threads can
// cache have a fixed number of iterations, and the kernel a limit; longer ones have as many
// iterations as they need.
#pragma once

#include <optional>

#include "engine/fuse/loop_domain.h"
#include "engine/fuse/segment.h"

namespace fusillade::fuse {

struct TileSchedule {
  const char* name = "flat";
  LoopDomain domain;               // its roots are the segment's axes
  std::vector<int> all = {};       // what is defined where an element is known
  std::vector<int> all_rows = {};  // and where a row is
  int iteration = -1;              // a serial leaf: what a thread does one after the other
  int across = -1;                 // a leaf of threads; -1: no two share a row
  int rows = -1;                   // the other leaf of threads
  bool inner = true;               // threads that share a row are neighbours

  // Elements adjacent in memory, one access for all: a leaf, inside the iteration. The remainder of
  // a line (the last `rest` elements of axis `line`) has a thread for each element, counted by
  // `rest_axes`.
  int lane = -1;
  int line = -1;
  std::pair<int, int> rest_axes = {-1, -1};  // block and thread
  int64_t rest = 0;                          // where the line is dynamic, the most there may be

  // Tiles: the axis that results lie along, and that of what lies across; the same blocks and
  // threads, walking along the latter.
  int written_along = -1, read_along = -1;
  std::optional<LoopDomain> turned = {};
  int transposed_iteration = -1;
  int tile[2] = {-1, -1};  // axes of both: an element's place in its tile
};

TileSchedule schedule_of(const Segment& segment, DynamicNumbers& numbers, kernel::Kernel& kernel);

// Is memory that a member reads or writes at these indices one access for all lanes of a schedule?
bool is_wide(const kernel::Buffer& buffer, const ExprNode* const* indices,
             const Segment::Member& member, const Segment& segment, const TileSchedule& schedule);

// Is this a load that lies across the tiles of a schedule?
bool lies_across(const ExprNode* load, const Segment::Member& reader, const Segment& segment,
                 const TileSchedule& schedule, const kernel::Kernel& kernel);

}  // namespace fusillade::fuse
