// A case as a given program: its types and its calls say what is known of its inputs.
#pragma once

#include <string>

#include "fuzz/given/given.h"

namespace fusillade::fuzz {

// With its calls. `file` names it in messages. Throws Error where its script is refused, or where
// no values can be drawn for an input.
Given given_of(Case c, const std::string& file);

// Throws Error where no values can be drawn for an input, or one that is fixed is of another type.
void check_inputs_known(const Given& given);

// Makes it a graph without calls, as mutants need it; of a module's method, without the module.
// Throws Error where it starts tasks.
void as_one_graph(Given& given);

}  // namespace fusillade::fuzz
