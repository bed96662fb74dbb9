// The blocks of gemm.h for AVX-512.
#include "engine/tensor/filter.h"
#include "engine/tensor/gemm.h"

// What the blocks include, before the instruction set is asked for: of that only the blocks.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "engine/tensor/memory_pool.h"

#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma"))), apply_to = function)
#include "engine/tensor/filter_blocks.h"
#include "engine/tensor/gemm_blocks.h"
#include "engine/tensor/gemm_few.h"
#include "engine/tensor/wrapping_blocks.h"

namespace fusillade::avx512 {
using Floats = Blocks<float, 64, 14>;
using Doubles = Blocks<double, 64, 14>;
const Gemm<float> kFloats = {&Floats::run, &Few<Floats, float>::run};
const Gemm<double> kDoubles = {&Doubles::run, &Few<Doubles, double>::run};
using OfFloats = Filters<Floats, float, 14>;
using OfDoubles = Filters<Doubles, double, 14>;
const FilterSums<float> kFloatFilters = {Floats::kLanes, &OfFloats::pack, &OfFloats::row,
                                         &OfFloats::plane, Floats::kBlock};
const FilterSums<double> kDoubleFilters = {Doubles::kLanes, &OfDoubles::pack, &OfDoubles::row,
                                           &OfDoubles::plane, Doubles::kBlock};
const WrappingProduct<uint32_t> kWrapping32 = &WrappingBlocks<uint32_t, 64>::run;
const WrappingProduct<uint64_t> kWrapping64 = &WrappingBlocks<uint64_t, 64>::run;
}  // namespace fusillade::avx512
#pragma clang attribute pop
#endif
