// What the pass peephole does with near misses of a rule (gen/near_miss.h): the rule's left side
// with another constant, argument, operand or inner op, with types that its guard refuses, with
// memory that is written between, with a result that is returned in addition to its operand. Each
// graph is given to the pass; what it changes must compute the same, with the same effects.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/passes/rule.h"

namespace fusillade::fuzz {

struct NearMisses {
  uint64_t left_alone = 0;
  uint64_t changed = 0;            // and the same
  std::vector<std::string> wrong;  // "constant 2 (x: f32): mul-one changed it: ..."
};

NearMisses meet_near_misses(const Rule& rule, uint64_t seed);

}  // namespace fusillade::fuzz
