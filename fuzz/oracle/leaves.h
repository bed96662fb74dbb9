// Points and directions of oracles that compare gradients in doubles: a case's calls with values of
// the oracle's own, so that what is differentiable is met where it is.
#pragma once

#include <utility>
#include <vector>

#include "fuzz/case/case.h"

namespace fusillade::fuzz {

// Between where functions are smooth.
inline constexpr std::pair<double, double> kSmoothRanges[] = {
    {-2, 2}, {0.1, 0.9}, {1.1, 2.5}, {-0.9, 0.9}};

struct Point {
  std::pair<double, double> range;
  uint64_t neighbour = 0;  // 0: the point itself; else one a little aside
  bool halves = false;     // multiples of a half: ties, bounds and zeros
};

// May it be a leaf?
bool is_leaf(const IValue& v);
// The call with each tensor of floats as one of f64, in memory of its own and laid out alike.
Call at_point(const Case& c, const Call& given, const Point& at);
// A direction, or the gradient that comes back of one, in [-1, 1]. `number` distinguishes tensors.
Tensor direction(uint64_t number, const Dims& sizes, uint64_t neighbour);
// The tensors of f64 in a value.
void collect_doubles(const IValue& v, std::vector<Tensor>& out);

}  // namespace fusillade::fuzz
