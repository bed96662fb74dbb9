// The blocks of gemm.h for AVX2 with FMA.
#include "engine/tensor/filter.h"
#include "engine/tensor/gemm.h"

// What the blocks include, before the instruction set is asked for: of that only the blocks.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "engine/tensor/memory_pool.h"

#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#include "engine/tensor/filter_blocks.h"
#include "engine/tensor/gemm_blocks.h"
#include "engine/tensor/gemm_few.h"
#include "engine/tensor/wrapping_blocks.h"

namespace fusillade::avx2 {
using Floats = Blocks<float, 32, 6>;
using Doubles = Blocks<double, 32, 6>;
const Gemm<float> kFloats = {&Floats::run, &Few<Floats, float>::run};
const Gemm<double> kDoubles = {&Doubles::run, &Few<Doubles, double>::run};
using OfFloats = Filters<Floats, float, 6>;
using OfDoubles = Filters<Doubles, double, 6>;
const FilterSums<float> kFloatFilters = {Floats::kLanes, &OfFloats::pack, &OfFloats::row,
                                         &OfFloats::plane, Floats::kBlock};
const FilterSums<double> kDoubleFilters = {Doubles::kLanes, &OfDoubles::pack, &OfDoubles::row,
                                           &OfDoubles::plane, Doubles::kBlock};
const WrappingProduct<uint32_t> kWrapping32 = &WrappingBlocks<uint32_t, 32>::run;
const WrappingProduct<uint64_t> kWrapping64 = &WrappingBlocks<uint64_t, 32>::run;
}  // namespace fusillade::avx2
#pragma clang attribute pop
#endif
