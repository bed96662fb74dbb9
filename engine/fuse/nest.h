// From stages (one loop nest each) to one body of loops shared where that is legal.
#pragma once

#include <memory>
#include <vector>

#include "engine/fuse/fuser.h"
#include "engine/ops/operator.h"

namespace fusillade::fuse {

// Two stages that find mean and sum of squares of the same elements together (welford.h): their
// accumulators, which take in `of_count` elements in each iteration, of which the first stage's
// update is the mean and the second's the sum of squares.
struct StageMoments {
  int count, mean, squares;
  Expr of_count;
};

// for v0, v1, ... in sizes: [reduce loops;] buffer[indices] = value
// Loop variables are numbered by depth and shared between stages: a stage of r dimensions uses
// variables 0 .. r-1, its reduction loops the next ones.
struct Stage {
  Dims sizes;         // no dimension of size 1
  Dims reduce_sizes;  // empty: not a reduction
  bool scan =
      false;  // what is stored is the accumulator after each iteration, at an index of its own
  bool reassociate = false;
  int accumulator = -1;              // variable id
  Expr identity;                     // initial value of the accumulator
  Expr update;                       // its next value
  std::vector<Expr> updates;         // one for each iteration, written out: no reduction loops then
  const Formula* combine = nullptr;  // of two accumulators, and of one and an element
  std::shared_ptr<const StageMoments> moments = {};  // null: none
  int buffer = -1;
  bool over = false;          // it writes over what an earlier stage wrote there
  std::vector<Expr> indices;  // variables or literals
  Expr value;
};

class DynamicNumbers;

// Returns how each nest is laid out.
std::vector<Schedule> build_nest(const std::vector<Stage>& stages, DynamicNumbers& numbers,
                                 kernel::Kernel& kernel);

}  // namespace fusillade::fuse
