// Inputs found by what eager mode says of earlier ones. For programs of which no dtypes and sizes
// are given and all blind draws are refused, as by a network whose weights fit few sizes.
//
// A guess is a dtype, sizes and, of integers, a range for each tensor. Eager mode runs it until it
// raises. Guesses that run more operators before are better. Of two that run as many, the better
// one met more conditions of the operator that raised (a new error shows that); then it is the one
// whose sizes in the message are closer. From the best one others are derived: what its message
// asks for, dtypes by name, ranks and lists of sizes, of each tensor; its numbers and the weights'
// sizes as sizes, one dimension more or less, other dtypes and ranges, squares. Guesses of other
// ranks have queues of their own, for what runs far may be a dead end.
#pragma once

#include <string>
#include <vector>

#include "fuzz/given/given.h"

namespace fusillade::fuzz {

struct Searched {
  std::vector<InputTypes> found;
  uint64_t tried = 0;
  std::string furthest;  // the message of the best guess; empty where some are found
  std::string lost;      // why the search came to nothing else: eager mode died, say
};

// In a child under these limits. `examples`: guesses to begin with, or empty.
Searched search_inputs(const Given& given, const std::vector<InputTypes>& examples,
                       const Limits& limits);

}  // namespace fusillade::fuzz
