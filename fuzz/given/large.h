// Draws with one size beyond 2^15 or 2^16, derived from small ones that eager mode took.
//
// Dimensions of equal size in a small draw are taken to share one size; together they are a place.
// Two of three draws go through the places in order, each with each dtype (those of floats first),
// just past 2^15 before just past 2^16, with small other sizes. Of all ranks that were taken, these
// use those closest to matrices. The third is of any place, ranks and dtype, the other sizes as
// they were.
#pragma once

#include <utility>
#include <vector>

#include "fuzz/given/given.h"

namespace fusillade::fuzz {

class LargeDraws {
 public:
  LargeDraws(const Given& given, uint64_t seed);
  bool any() const { return !any_.empty(); }
  // Draw number `k`; empty: none. `own`: its other sizes stay as they were in the small draw.
  InputTypes at(uint64_t k, bool own) const;

 private:
  // Which dimensions have one size, and in which draws.
  struct Place {
    std::vector<std::pair<size_t, int>> dims;  // by input
    std::vector<InputTypes> draws;
  };
  InputTypes enlarge(Choices& choices, const Place& place, int64_t large, uint64_t step,
                     bool own) const;

  const Given& given_;
  uint64_t seed_;
  std::vector<Place> closest_, any_;
  std::vector<DType> dtypes_;  // that were taken, those of floats first
};

}  // namespace fusillade::fuzz
