// Sums of filters over an image in memory, the kernel of a convolution: for rows of horizontally
// adjacent results, all filters at once.
//
// Each result is summed in one order, which depends on k alone: that of `many` in gemm.h. So its
// bits are those of the product of filters and columns there, wherever it lies.
#pragma once

#include <cstdint>

namespace fusillade {

template <class T>
struct FilterSums {
  int64_t lanes;  // filters of a register: packed filters are filled up to a multiple of it
  // Filters [count, k] in rows become packed: room for `packed_size(count)` rows of k.
  void (*pack)(const T* filters, int64_t count, int64_t k, T* packed);
  // to[f * lead + x] = bias[f] + sum over i < k of filter f's element i * from[offsets[i] + x],
  // for f < count and x < width. `bias` null: zeros.
  void (*row)(int64_t count, int64_t k, const T* packed, const T* from, const int64_t* offsets,
              int64_t width, const T* bias, T* to, int64_t lead);

  // Of one filter of at most `most` elements, `rows` rows of results, at stride `row_step` in the
  // image: to[y * lead + x] = bias + sum over i < k of
  // filter[i] * from[offsets[i] + y * row_step + x].
  // Up to a register is read beyond the last.
  void (*plane)(int64_t k, const T* filter, const T* from, const int64_t* offsets, int64_t rows,
                int64_t row_step, int64_t width, T bias, T* to, int64_t lead);
  int64_t most;

  int64_t packed_size(int64_t count) const { return (count + lanes - 1) / lanes * lanes; }
};

// For this machine's instructions; null where it has neither AVX-512 nor AVX2 with FMA.
template <class T>
const FilterSums<T>* filter_sums();

// For one set of instructions; to be called where the machine has it.
namespace avx512 {
extern const FilterSums<float> kFloatFilters;
extern const FilterSums<double> kDoubleFilters;
}  // namespace avx512
namespace avx2 {
extern const FilterSums<float> kFloatFilters;
extern const FilterSums<double> kDoubleFilters;
}  // namespace avx2

}  // namespace fusillade
