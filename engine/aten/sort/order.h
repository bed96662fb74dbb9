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
  int64_t index;
};

// How many of a key's low bits differ at all for elements of this dtype.
int key_bits(DType dtype);
// Keys of n elements at stride `step`; they are below 2^key_bits.
void load_keys(DType dtype, const void* memory, int64_t step, int64_t n, uint64_t* keys);

// A line, ascending, each key with its index; of equal keys the earlier one first, in descending
// order too.
void sort_keys(DType dtype, const uint64_t* keys, int64_t n, bool descending,
               std::vector<Ranked>& out);

// The first k of a line, ascending where they are to be `sorted`. Of equal keys those come that the
// standard library's selection leaves in front, as in ATen: which these are depends on all keys.
void top_keys(DType dtype, const uint64_t* keys, int64_t n, int64_t k, bool descending, bool sorted,
              std::vector<Ranked>& out);

// The key of rank k (from 0), ascending. Of equal keys it is the one that Hoare's selection by the
// median of three (Sedgewick 1978) leaves there, as in ATen.
Ranked kth_key(DType dtype, const uint64_t* keys, int64_t n, int64_t k);

}  // namespace fusillade
