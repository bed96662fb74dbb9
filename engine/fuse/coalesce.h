// The iteration space of a purely pointwise group: dimensions reordered so that memory is walked in
// order, and neighbours merged where every operand allows it. A contiguous group becomes one flat
// loop.
#pragma once

#include <vector>

#include "engine/tensor/shape.h"

namespace fusillade::fuse {

class IterationSpace {
 public:
  // Identity: every value keeps its own dimensions.
  IterationSpace() = default;
  // `full` is the broadcast shape of the group. `shapes` are the sizes of every value in it;
  // `buffers` pair sizes with strides for those in memory, the first of them deciding the order of
  // dimensions.
  struct Memory {
    Dims sizes;
    Dims strides;
  };
  IterationSpace(const Dims& full, const std::vector<Dims>& shapes,
                 const std::vector<Memory>& buffers);

  Dims sizes(const Dims& original) const;
  Dims strides(const Dims& sizes, const Dims& strides) const;

 private:
  struct Run {
    std::vector<int> dims;  // of `full`, outermost first
  };
  bool identity_ = true;
  int rank_ = 0;
  std::vector<Run> runs_;
};

}  // namespace fusillade::fuse
