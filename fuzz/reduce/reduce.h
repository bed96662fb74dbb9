// Reduction: the smallest case that still fails in the same way (verdict kind and reason) under the
// same plan.
//
// A shrink offers a number of units that may be taken away together; one generic loop tries them
// all, then halves, quarters ... down to single units, and keeps what preserves the failure. Trials
// edit and judge in children, some in one as long as none dies, so an edit may be wild: an illegal
// program is simply not the same failure. Order: tiers of an external engine, calls, outputs, ends,
// its prefix, branches, nodes (a removed node's results become inputs that carry the values they
// had), sizes together and one by one, numbers in the program, layouts, values. Of a script: calls,
// functions and statements, names, blocks, expressions, values.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/base/table.h"
#include "fuzz/process/isolate.h"
#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {

struct Shrink {
  std::string name;
  int order = 0;  // earlier first
  size_t (*units)(const Case& c) = nullptr;
  // Takes units [first, last) away, in place. False: not applicable. May throw Exception.
  bool (*apply)(Case& c, size_t first, size_t last) = nullptr;
  Form form = Form::Any;  // of the programs that it shrinks
  bool singly = false;    // applies to one unit at a time
  // Gives a name or an argument another type: what follows may be refused lawfully, so scripts that
  // are refused go without.
  bool retypes = false;
};

struct Reduced {
  Case smallest;
  Verdict verdict;
  int trials = 0;
  bool complete = true;  // false: the budget ended first, and less may do
};

// `c` must fail (is_finding) as it is; budget in seconds. `tries`: a trial is judged up to that
// often until it fails, where failures come and go. `kept` is called with each smaller case.
Reduced reduce(const Case& c, const Limits& limits, double budget_seconds, int tries = 1,
               const std::function<void(const Case&)>& kept = {});

// Operator nodes of a program: those that compute (constants and list or tuple constructions do not
// count).
int program_nodes(const Graph& graph);
// Removes pure nodes without users and inputs without users (with their values in every call).
void drop_unused(Case& c);
// Cuts nodes of the top block out; what others use of their results become inputs with the values
// that they have in each call. Runs the program. False: a value is none that an input can have.
bool cut_out(Case& c, const std::vector<Node*>& gone);

}  // namespace fusillade::fuzz
