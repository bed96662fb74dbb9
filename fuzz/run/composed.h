// Ops made of several roundings: what another implementation may make otherwise, so that its last
// bits are others.
#pragma once

#include "engine/ops/row.h"

namespace fusillade::fuzz {

// How often a formula rounds; 2 stands for two and more.
int roundings_of(const Formula& formula, Model model);

// Is it a row whose body rounds floats more than once? Rows without a body are not.
bool is_composed(const Row& row);

}  // namespace fusillade::fuzz
