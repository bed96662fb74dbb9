// How much there is to write out in a value: lists, tuples, dicts and objects with all that they
// hold, each as often as it is reached. A list that holds one list twice, and so on for 60 levels,
// takes 60 boxes of memory and 2^60 values on paper. Who copies, compares or prints values as
// trees asks first.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ops/ivalue.h"

namespace fusillade {

constexpr uint64_t kMostValues = 4'000'000;  // of the results of a program
constexpr int kMostNested = 1'000;           // levels, for walks that call themselves

struct Extent {
  uint64_t values = 0;  // of all trees; inexact once past the limit
  int levels = 0;       // 1: nothing holds anything
  bool fits() const { return values <= kMostValues && levels <= kMostNested; }
};

// A value that holds itself has no end, and does not fit.
Extent extent(const std::vector<IValue>& values);

}  // namespace fusillade
