// Few long rows, each shared by many blocks: a reduction becomes two, the first of parts of rows,
// the second of what the parts gave.
//
//   s[i] = sum over j in 65536 of x[i, j]
//     p[i, b] = sum over j in 1024 of x[i, b * 1024 + j]    for b in 64
//     s[i] = sum over b of p[i, b]
#pragma once

#include <vector>

#include "engine/fuse/dynamic_numbers.h"
#include "engine/fuse/nest.h"

namespace fusillade::fuse {

// Stages with such reductions in two. Parts are of one size: a row that no number of parts divides
// stays whole.
std::vector<Stage> share_rows(const std::vector<Stage>& stages, const DynamicNumbers& numbers,
                              kernel::Kernel& kernel);

}  // namespace fusillade::fuse
