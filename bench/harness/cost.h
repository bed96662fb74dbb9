// What one steady call of a plan costs besides time, the same in every run of a build: memory of
// tensors, bytes that move, floating-point operations.
//
// Kernels are counted as their IR says (engine/kernel/work.h), launch by launch. An operator that
// runs by itself moves each tensor that it reads or produces once; a view moves nothing. Operations
// of an element-wise operator: those of its formula for each element of the result. Of a reduction:
// those of its formula for each element of the operand. Of a product of matrices: 2 m n k. Of an
// operator with a body: those of the body, also where it runs natively. Operators that only move
// elements have none; others (a running sum) one for each element of their results.
#pragma once

#include <optional>
#include <string>

#include "bench/harness/program.h"
#include "engine/run/plan.h"

namespace fusillade::bench {

struct Memory {
  int64_t allocations = 0;  // of storages; memory that is used again is none
  // The peak of storages and kernel scratch memory during the call, beyond what was there before
  // the plan was prepared: what it keeps between calls counts, the inputs do not.
  int64_t peak_bytes = 0;
};

struct Cost {
  Memory memory;
  int64_t bytes = 0;
  int64_t flops = 0;
  int64_t footprint = 0;  // bytes of the tensors of its inputs and the peak: a cache of this size
};

// Nothing of external engines, and of programs with tasks: which thread runs them is open.
std::optional<Cost> cost_of_call(const Program& program, const Plan& plan, uint64_t seed,
                                 bool typed);

}  // namespace fusillade::bench
