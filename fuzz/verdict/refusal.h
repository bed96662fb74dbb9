// Why the front end refuses a script, as far as cases are compared by it: a script that was made
// smaller may be refused lawfully, and then shows nothing.
#pragma once

#include <string>

#include "fuzz/case/case.h"

namespace fusillade::fuzz {

// The first line of Case::refused without the places in it; "" of a script that is accepted.
std::string refusal_of(const Case& c);

// Is `smaller` refused with the same words, names and types, and does it bind the names among them
// as often? One that lost a binding is refused for that.
bool refused_alike(const Case& smaller, const Case& before);

}  // namespace fusillade::fuzz
