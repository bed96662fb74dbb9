// Assertions of a generated script which the generator knows to hold: `assert ..., "certain 7"`.
//
// What one depends on is its own: a list that it reads is called certain_7, the function that it
// calls is `kind_of` (`told` in cases of earlier versions). A smaller script that changes these
// could assert what does not hold.
#pragma once

#include <string>

#include "fuzz/case/case.h"

namespace fusillade::fuzz {

inline constexpr const char* kCertain = "certain";
inline constexpr const char* kQuestionFunction = "kind_of";
inline constexpr const char* kFormerQuestionFunction = "told";

// Which one the error says has failed, as "certain 7"; "" where it says nothing of the kind.
std::string failed_certainty(const std::string& message);
// Does `smaller` assert what `before` does under that name, of the same list, by the same function?
bool certain_alike(const Case& smaller, const Case& before, const std::string& name);

}  // namespace fusillade::fuzz
