// Residues in place of floats, for oracles that compute in the ring.
#pragma once

#include "fuzz/case/case.h"

namespace fusillade::fuzz {

// Fills the floats of a value with residues that depend on `number`, which counts tensors, and on
// the element's place only. `name` is the input's, which may have been given a range; empty: a
// part of one.
void fill_with_residues(const IValue& v, const std::string& name, uint64_t* number);
// A copy of the case whose inputs are filled.
Case with_residues(const Case& c);

}  // namespace fusillade::fuzz
