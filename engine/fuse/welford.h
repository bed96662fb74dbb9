// Variances of rows too long for registers, in one pass: Welford's recurrence in place of a mean
// and then squared deviations.
//
//   m[i] = sum over j of x[i, j], / n                      n, mean, squares = 0, 0, 0
//   s[i] = sum over j of (x[i, j] - m[i]) squared    is    for j: take in (1, x[i, j], 0)
//
// Both stages stay, the second right after the first; they share a count. Two such triples combine
// into one by Chan's formula, be they of elements, of threads of a row, or of parts of a row.
#pragma once

#include <array>
#include <vector>

#include "engine/fuse/nest.h"

namespace fusillade::fuse {

// Of some elements: their number, their mean, and the sum of squared deviations from it.
using Moments = std::array<Expr, 3>;
Moments combine_moments(const Moments& a, const Moments& b);

// A pair of stages in place of each that fits, where rows are longer than long_reduction(). Only
// floats: the ring has other quotients.
std::vector<Stage> by_welford(const std::vector<Stage>& stages, kernel::Kernel& kernel);

// Elements of a row that one block may have to itself, and whose variance is two passes.
int64_t long_reduction();

}  // namespace fusillade::fuse
