// Both sides of a rule's claim computed and compared bit for bit, NaNs alike: for all values of its
// variables where those are few, for drawn ones where not.
#pragma once

#include <cstdint>
#include <string>

#include "fuzz/rules/instance.h"

namespace fusillade::fuzz {

enum class Reach { All, Pairs, Some };

// How many values there are to meet. All: at most 2^16 (one variable of 16 bits, two of 8). Pairs:
// two variables of 16 bits of one dtype, 2^32. Some: more.
Reach reach_of(const RuleInstance& instance);

struct Met {
  uint64_t values = 0;
  std::string counterexample;  // "x = 3: left 2, right 1"; empty: none
};

// Runs all, or for Some a table of ends and `seed`'s draws. Throws what the operators throw.
Met meet(const RuleInstance& instance, Reach reach, uint64_t seed);

// A value of the type: ends of the dtype's range, small numbers, any bits. Draws from `at` on.
// Tensors lie as the type says; where it says no sizes they have some thousand elements.
IValue drawn_value(const Type& type, uint64_t seed, uint64_t& at);

}  // namespace fusillade::fuzz
