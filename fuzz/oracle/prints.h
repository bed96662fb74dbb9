// What a text prints, compiled and in CPython: shared by the oracles of Python.
#pragma once

#include <optional>

#include "fuzz/run/foreign/source_form.h"
#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {

// A mismatch where the two print different texts. `fractions`: those of numbers count, too, which
// roundings may change.
std::optional<Verdict> compare_prints(const SourceOutcome& eager, const SourceOutcome& observed,
                                      bool fractions);

}  // namespace fusillade::fuzz
