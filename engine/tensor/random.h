// Counter-based random numbers: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011). Element i of a fill depends on (seed, offset + i) only: any part can be
// recomputed anywhere.
#pragma once

#include <array>
#include <cstdint>

#include "engine/tensor/tensor.h"

namespace fusillade {

namespace philox_constants {
inline constexpr uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
inline constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
inline constexpr int kRounds = 10;
}  // namespace philox_constants

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

// 128 bits for (seed, position).
std::array<uint32_t, 4> random_bits(uint64_t seed, uint64_t position);
// Uniform in [0, 1), 53 bits.
double random_unit(uint64_t seed, uint64_t position);
// Standard normal (Box-Muller on the same 128 bits).
double random_normal(uint64_t seed, uint64_t position);

// The stream that programs draw from, of seed 0: takes its next `count` numbers and returns the
// position of the first. There is one per process, shared by all threads.
uint64_t take_numbers(int64_t count);
// How many this thread has taken.
uint64_t numbers_taken();
// The stream goes on where the seed's numbers begin. Each seed below 2^28 has 2^36 of its own; any
// other shares those of one of them. A stream begins with those of 0.
void seed_numbers(int64_t seed);

// While alive, its thread draws from a stream of its own, from position 0 on: what runs within
// draws the same numbers each time.
class NumbersScope {
 public:
  NumbersScope();
  ~NumbersScope();
  NumbersScope(const NumbersScope&) = delete;
  NumbersScope& operator=(const NumbersScope&) = delete;

 private:
  uint64_t position_ = 0;
  uint64_t* const outer_;
};

// Fills in row-major order; integers get the rounded value times 16, bools its sign.
void fill_normal(const Tensor& t, uint64_t seed, uint64_t offset);
void fill_uniform(const Tensor& t, uint64_t seed, uint64_t offset);

}  // namespace fusillade
