// Programs of one op: any operator that can be drawn (undrawn.h), on arguments of every type that
// its schema allows.
//
// Where the operator has roles, the steps of graphs draw them; elsewhere arguments are drawn by
// types, names and recipes (drawn_call.h), and tried: the call is in the program because the
// operator took it. Calls after the first have values of their own, and where types leave them
// dynamic sizes, too.
#pragma once

#include <memory>

#include "fuzz/gen/generate.h"
#include "fuzz/gen/policy.h"

namespace fusillade::fuzz {

// Fills program and calls.
void generate_one_op(Choices& choices, const GenerateOptions& options, const Policy& policy,
                     Case& c);

}  // namespace fusillade::fuzz
