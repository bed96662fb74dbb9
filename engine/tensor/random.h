// Counter-based random numbers: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011). Element i of a fill depends on (seed, offset + i) only: any part can be made
// again anywhere.
#pragma once

#include <array>
#include <cstdint>

#include "engine/tensor/tensor.h"

namespace fusillade {

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

// 128 bits for (seed, position).
std::array<uint32_t, 4> random_bits(uint64_t seed, uint64_t position);
// Uniform in [0, 1), 53 bits.
double random_unit(uint64_t seed, uint64_t position);
// Standard normal (Box-Muller on the same 128 bits).
double random_normal(uint64_t seed, uint64_t position);

// Fills in row-major order; integers get the rounded value times 16, bools its sign.
void fill_normal(const Tensor& t, uint64_t seed, uint64_t offset);
void fill_uniform(const Tensor& t, uint64_t seed, uint64_t offset);

}  // namespace fusillade
