// A kernel as the checking interpreter runs it: each statement is a list of scalar instructions,
// one per distinct expression, operands first.
#pragma once

#include <vector>

#include "engine/kernel/int_range.h"
#include "engine/kernel/interp_value.h"
#include "engine/kernel/kernel.h"

namespace fusillade::kernel {

struct Instruction {
  enum class Kind : uint8_t { Literal, Var, Load, Function };
  Kind kind;
  DType dtype = DType::F32;
  int id = -1;  // variable or buffer
  uint64_t literal = 0;
  ScalarFn function = nullptr;
  int operand[3] = {0, 0, 0};
  int indices[kMaxRank] = {};
  std::optional<Range> foretold = {};  // of an integer (int_range.h)
  int64_t wide = 0;                    // lanes of a load that is one for all (wide.h)
};

// A value computed by running instructions; `value` is the slot of the result.
struct Step {
  Stmt::Kind kind;
  LoopKind loop = LoopKind::Serial;
  int var = -1;
  int64_t extent = 0;
  int buffer = -1;
  int64_t wide = 0;  // lanes of a store that is one for all
  std::vector<Instruction> code;
  int value = -1;              // slot
  int indices[kMaxRank] = {};  // slots
  std::vector<Step> body;
};

// Throws Unsupported. Sets *most_slots to what the longest list of instructions needs.
std::vector<Step> steps_of(const Kernel& kernel, int* most_slots);

}  // namespace fusillade::kernel
