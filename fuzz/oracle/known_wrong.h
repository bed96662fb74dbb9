// What is known to be wrong of a peer's gradients: the `peers` lines of operators' entries
// (engine/aten/*/ops.py), by exact names.
//
//   aten::linalg_svd, aten::svd
//       peers gradient: singular vectors of a zero are anything
//   aten::addcmul
//       peers gradient when integers: integers overflow; gradient when several dtypes: ...
//
// A condition is a name that the oracle knows (peer_gradient_oracle.cpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/ops/operator.h"

namespace fusillade::fuzz {

struct KnownWrong {
  std::string when;  // empty: always
  std::string reason;
};

// Of one line. Throws Error that says what is legal.
std::vector<KnownWrong> parse_known_wrong(std::string_view line);
// Of an operator's entry; a Bug where that cannot be read.
const std::vector<KnownWrong>& known_wrong(const Operator& op);

// Every condition that the oracle knows.
const std::vector<std::string>& known_wrong_conditions();

}  // namespace fusillade::fuzz
