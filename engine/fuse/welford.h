// Variances of rows too long to be held, in one pass: Welford's recurrence in place of a mean and
// then squares of what is left of it.
//
//   m[i] = sum over j of x[i, j], / n                      n, mean, squares = 0, 0, 0
//   s[i] = sum over j of (x[i, j] - m[i]) squared    is    for j: take in (1, x[i, j], 0)
//
// Both stages stay, the second right behind the first; they share a count. Two of such threes make
// one by Chan's formula, be they elements, what threads of a row found, or parts of a row.
#pragma once

#include <array>
#include <vector>

#include "engine/fuse/nest.h"

namespace fusillade::fuse {

// Of some elements: how many, their mean, and the sum of squares of what each is apart from it.
using Moments = std::array<Expr, 3>;
Moments combine_moments(const Moments& a, const Moments& b);

// A pair of stages in place of each that fits, where rows are longer than long_reduction(). Only
// floats: the ring has other quotients.
std::vector<Stage> by_welford(const std::vector<Stage>& stages, kernel::Kernel& kernel);

// Elements of a row that one block may have to itself, and whose variance is two passes.
int64_t long_reduction();

}  // namespace fusillade::fuse
