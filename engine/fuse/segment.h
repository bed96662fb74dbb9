// Which stages of a group are one grid, and over what.
//
// The stages of a segment walk over one space, its axes. Each of a stage's own dimensions is one of
// them: by what it reads of the segment's other stages, which must be the very element that the
// same thread (or, of a reduction, the same row) makes, else by its size. Once a stage reduces,
// axes are rows or columns: a reduction goes over all columns and keeps all rows, other stages have
// all axes or the rows alone. Whatever does not fit begins another segment, which runs after it.
#pragma once

#include <vector>

#include "engine/fuse/nest.h"

namespace fusillade::fuse {

struct Segment {
  enum class Role : uint8_t { Any, Row, Column };
  struct Axis {
    int64_t extent;
    Role role = Role::Any;
  };
  struct Member {
    const Stage* stage;
    std::vector<int> axes;  // of its dimensions, those that it reduces last
    bool reduces() const { return stage->accumulator >= 0; }
    bool full = false;  // has all axes, and does not reduce
    bool of_rows() const { return !full && !reduces(); }
  };
  std::vector<Axis> axes;
  std::vector<Member> members;
  bool reduces = false;

  std::vector<int> with_role(Role role) const;
  int64_t reductions() const;
  const Member* writer_of(int buffer) const;  // null: none of this segment
  bool reads(int buffer) const;
};

std::vector<Segment> segments_of(const std::vector<Stage>& stages);

}  // namespace fusillade::fuse
