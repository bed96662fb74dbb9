// What a call that raises under eager may do under a plan.
//
// Passes may remove code that nothing needs, and its errors with it; they may not remove the error
// of needed code. Nor may they move an effect (a write to the caller's memory, a print, a statement
// that raises) past what may raise: an error leaves the memory behind that eager leaves. Between
// two effects, it is open which of several failing ops reports its error.
//
// Need depends on values (`f(x) or True` needs no f), so the program runs once more, leniently: a
// node that raises gives a lost value, and the run goes on. What is computed from a lost value is
// lost, element by element of tuples and lists. What a pass might know without the value (the size
// of a lost tensor, 0 * lost, two branches that agree under a lost condition) is unknown. An error
// was needed when a result of the program is lost by it, when a write to the caller's memory needs
// what is lost, and when the run comes to a prim::RaiseException.
#pragma once

#include <set>

#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {

struct ErrorFacts {
  std::string needed;  // an error that no pass may remove from this call, or "": maybe none
  // The error that comes first is needed: each plan raises before the first effect behind it.
  bool certain = false;
  std::set<std::string> classes;  // of the errors that may be raised then (error_class.h)
};

// Writes that not all is known of, and runs that go on for too long, are given up: nothing is
// needed then.
ErrorFacts errors_of(const Graph& program, const Call& call);
inline std::string needed_error(const Graph& program, const Call& call) {
  return errors_of(program, call).needed;
}

}  // namespace fusillade::fuzz
