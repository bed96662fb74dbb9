// Elements as numbers in order, and lines of them sorted.
//
// A key is an unsigned number: of two elements of one dtype the one that comes first has the
// smaller key. NaN is greater than any number and all NaNs are equal, -0.0 equals 0.0; in the ring
// floats are ordered by their residues' signed reading.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/tensor/tensor.h"

namespace fusillade {

struct Ranked {
  uint64_t key;
  int64_t place;
};

// How many of a key's low bits differ at all for elements of this dtype.
int key_bits(DType dtype);
// Keys of n elements, `step` apart; they lie below 2^key_bits.
void load_keys(DType dtype, const void* memory, int64_t step, int64_t n, uint64_t* keys);

// The first k of `line`, ascending, each with its place in the line; of equal keys the earlier one
// first, in descending order too.
void sort_keys(DType dtype, const uint64_t* keys, int64_t n, int64_t k, bool descending,
               std::vector<Ranked>& out);

}  // namespace fusillade
