// Why the front end refuses a script, as far as cases are compared by it: a reduced script may be
// refused lawfully, and then shows nothing.
#pragma once

#include <string>

#include "fuzz/case/case.h"

namespace fusillade::fuzz {

// The first line of Case::refused without its source locations; "" of a script that is accepted.
std::string refusal_of(const Case& c);

// Is `smaller`, built from lines of `before`, refused with the same words, names and types? And
// does it bind each remaining name as often, and return as often from each remaining function? One
// that lost a binding or a return could be refused for that, too, and only says the other first.
bool refused_alike(const Case& smaller, const Case& before);

}  // namespace fusillade::fuzz
