// Judges a plan on a call that raises under the reference; called after classify().
//
// Findings: values where an error is needed ("missing error"), an error of another class ("another
// error"), other inputs afterwards ("before the error"). missing_error.h decides which of them are
// certain; the rest stays skipped. An error that agrees counts as compared, with the inputs.
#pragma once

#include <functional>

#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {

// Are the inputs afterwards alike? Counts elements; fills in the mismatch otherwise.
using SameInputs = std::function<bool(Verdict&)>;

void judge_error(const Graph& program, const Call& call, const Outcome& reference,
                 const Outcome& observed, const SameInputs& same_inputs, Verdict& verdict);
// "missing error" alone, of engines whose errors are of classes of their own.
void judge_missing_error(const Graph& program, const Call& call, const Outcome& observed,
                         Verdict& verdict);
// The same, inputs compared bit for bit.
void judge_error(const Graph& program, const Call& call, const Outcome& reference,
                 const Outcome& observed, Verdict& verdict);

}  // namespace fusillade::fuzz
