// Where results lie: their strides, and which of them share memory with each other or with inputs,
// against what the engine's eager mode gives. Engines whose contract promises it are judged by it
// (Contract::strides, Contract::aliases).
//
// Not compared: strides of dimensions of one element, anything of tensors without elements, results
// that are no tensors.
#pragma once

#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {

// Both say what differs, "" where nothing does; for outcomes of equal shapes.
std::string other_strides(const Outcome& eager, const Outcome& observed);
std::string other_aliases(const Outcome& eager, const Outcome& observed);

}  // namespace fusillade::fuzz
