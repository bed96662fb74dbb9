// One call of a program under the shadow: what eager gives, and what may be given in its place.
#pragma once

#include "fuzz/run/outcome.h"
#include "fuzz/run/shadow.h"

namespace fusillade::fuzz {

struct Reference {
  explicit Reference(Shadow::Of of, EngineDeviation l)
      : allowed(std::move(l)), shadow(of, &allowed) {}
  const EngineDeviation allowed;
  Shadow shadow;
  Outcome outcome;        // eager's values, or its error
  std::string untrusted;  // why nothing can be compared
};

std::unique_ptr<Reference> make_reference(const Graph& program, const Call& call, Shadow::Of of,
                                          const EngineDeviation& allowed = {});

// Does `observed` lie within the shadow's bound, element by element, inputs afterwards included?
Verdict within_bound(Reference& reference, const Outcome& observed);
// Where the program raises (fuzz/run/judge_error.h), inputs within the bound.
void judge_error(const Graph& program, const Call& call, Reference& reference,
                 const Outcome& observed, Verdict& verdict);

}  // namespace fusillade::fuzz
