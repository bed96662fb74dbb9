// A policy: which kinds of programs a campaign leans towards. One row per policy: weights of
// productions by name (production.h), where they are not the productions' own, and shares of what
// all of them draw.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fuzz/gen/production.h"

namespace fusillade::fuzz {

struct Policy {
  std::string name;
  std::string summary;
  int weight = 1;             // how often it is drawn when none is asked for
  std::string productions{};  // "branch 1, fail 0.02"; the later one of a name counts
  double in_place = 0.1;      // of pointwise steps
  double integers = 0.3;      // of tensor inputs: an integer or bool dtype
  double strided = 0.3;       // of tensor inputs: not contiguous
  double wide = 0.04;         // of extents: a few vectors of a machine and a bit more
  double dynamic = 0.12;      // of programs: sizes of inputs are dynamic, calls have their own
  double compiled = 0.05;     // of programs that meet a compiling back end, unless plans are named
  int min_ops = 4, max_ops = 14;
  size_t max_inputs = 10;
  bool source = false;   // scripts instead of graphs, of productions of their own
  bool tensors = false;  // scripts with tensors, whose operators are drawn as those of graphs
  bool tasks = false;    // what tasks are given is written before they are waited for
  bool python = false;   // whole Python (python.h), which only workers run
  bool one_op = false;   // programs of one op: every operator that can be drawn is as likely

  // What `productions` come to, by `resolve`.
  std::vector<Shares> by_grammar{};
  std::vector<Share> operators{};  // steps of one operator each
  const Shares& shares(Grammar grammar) const { return by_grammar[static_cast<size_t>(grammar)]; }
};

// Weights that the policy has of its own.
std::vector<std::pair<std::string, double>> weights_of(const Policy& policy);
// Throws Error on a name that no production has, listing similar ones.
void resolve(Policy& policy);
// Of one grammar after the other, as they are drawn.
const std::vector<const Production*>& productions_in_order();
// All operators, by name, resolved.
const std::vector<Policy>& policies();
// Throws Error listing the legal names.
const Policy& policy(const std::string& name);

}  // namespace fusillade::fuzz
