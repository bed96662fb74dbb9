// Constants that are devices. At run time a device is a str, so only the constant's type tells that
// it is one, and whoever makes a constant of a value says what type is wanted there.
#pragma once

#include "engine/ir/graph.h"

namespace fusillade {

// `constant` itself, as a Device where that is wanted (or Device?) and it is a str.
Value* as_wanted_device(Value* constant, const Type& wanted);

}  // namespace fusillade
