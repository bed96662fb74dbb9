// Names of inputs that make a program fail on purpose: where `fails` is true, `divisor` is 0, or
// the sizes of `unlike` meet none, it may raise.
#pragma once

#include <algorithm>

#include "engine/ir/graph.h"

namespace fusillade::fuzz {

inline constexpr const char* kFails = "fails";
inline constexpr const char* kDivisor = "divisor";
inline constexpr const char* kUnlike = "unlike";
inline constexpr int64_t kUnlikeSize = 61;  // no dimensions, or one of this size

inline bool fails_on_purpose(const Graph& program) {
  return std::ranges::any_of(program.inputs(), [](const Value* v) {
    return v->name() == kFails || v->name() == kDivisor || v->name() == kUnlike;
  });
}

}  // namespace fusillade::fuzz
