// Values of which only a program's plain runs are known, without bounds: how far may another legal
// run of it be from them?
//
// As PyTorch's own accuracy check, eager mode is run once more in double precision. What is
// compiled may be as far from that as eager mode is, many times over, in this element or in half of
// its elements: one may be right by luck. In addition it is run there
// with inputs changed by some units of single precision: what such a change moves, roundings may
// move, too. What no input moves (a mean taken off a constant, then divided by its deviation) a run
// shows that rounds each result of an operator at random (Monte Carlo arithmetic: Parker 1997). The
// rest is a share of the largest element, for values that cancel.
#pragma once

#include <optional>
#include <vector>

#include "engine/ops/ivalue.h"
#include "fuzz/case/case.h"
#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {

// What one plain call gave, in three precisions; the last two are empty where they raised an error
// or gave other shapes.
struct PlainRuns {
  std::vector<IValue> eager, exact, changed;
  std::vector<IValue> again = {};   // a second run as it is
  std::vector<IValue> shaken = {};  // one with other roundings; asked for where the others differ
};

// Is `observed` not what any legal run may give? Counts elements; about those whose plain runs
// disagree nothing is said. `what`: "output", "input".
void compare_rounded(const PlainRuns& runs, const std::vector<IValue>& observed, const char* what,
                     Verdict& step);

// Has `observed` dtypes, ranks or nesting that no plain run has? Nothing is said where plain runs
// differ in these. For programs that draw.
void compare_dtypes(const PlainRuns& runs, const std::vector<IValue>& observed, const char* what,
                    Verdict& step);

// The call with floats in double precision; `changed`: each element by up to 2^-18 of itself, the
// same ones in each run.
std::optional<Call> in_double(const Call& call, bool changed);

}  // namespace fusillade::fuzz
