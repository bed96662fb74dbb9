// The other build of fusillade that a case is about: `note: against: BINARY`. A note, so that
// builds which know of none read the case as well.
#pragma once

#include <string>

#include "fuzz/case/case.h"

namespace fusillade::fuzz {

inline constexpr const char* kAgainst = "against";  // the oracle of such cases

std::string against_of(const Case& c);  // its path; "" where the case names none
void set_against(Case& c, const std::string& binary);

}  // namespace fusillade::fuzz
