// A rule's claim about integers as a question to an SMT solver: are there bits of the variables for
// which the sides differ? unsat is a proof, for tensors of any size, since every op here is
// elementwise. Wrapping arithmetic of bit-vectors is ATen's of integers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fuzz/rules/instance.h"

namespace fusillade::fuzz {

// SMT-LIB 2 without (check-sat); nothing where a side has an op or a dtype that is not said here.
std::optional<std::string> smt_of(const RuleInstance& instance);

enum class Proof { Proved, Refuted, Unknown };

// What Z3 says of each question (Debian's package z3); nothing where it is not installed. Throws
// Error when it answers nonsense.
std::optional<std::vector<Proof>> ask_z3(const std::vector<std::string>& questions);

}  // namespace fusillade::fuzz
