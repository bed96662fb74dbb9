// A policy: which kinds of programs a campaign leans towards. One row per policy, weights per kind
// of op.
#pragma once

#include <string>

#include "engine/base/table.h"

namespace fusillade::fuzz {

struct Policy {
  std::string name;
  std::string summary;
  int weight = 1;  // how often it is drawn when none is asked for
  // Relative weights of what the next step is.
  int pointwise = 10, reduce = 2, view = 3, contract = 0, movement = 1, create = 1, composite = 1,
      scalar = 1, branch = 0, loop = 0, repeat = 1, tuple = 0, call = 0, stores = 0, items = 0,
      expression = 0, rewritable = 2, join = 0;
  double in_place = 0.1;   // of pointwise steps
  double integers = 0.3;   // of tensor inputs: an integer or bool dtype
  double strided = 0.3;    // of tensor inputs: not contiguous
  double wide = 0.04;      // of extents: a few vectors of a machine and a bit more
  double open = 0.12;      // of programs: sizes of inputs are open, calls have their own
  double fails = 0.004;    // of steps: raise in some calls, between writes
  double random = 0.008;   // of steps: draw random numbers
  double tasks = 0;        // of statements of scripts: fork a function that writes nothing
  double compiled = 0.05;  // of programs that meet a compiling back end, unless plans are named
  int min_ops = 4, max_ops = 14;
  size_t max_inputs = 10;
  bool source = false;   // scripts instead of graphs; control flow is not by the weights above then
  bool tensors = false;  // scripts with tensors, by those weights
  bool one_op = false;   // programs of one op: every row that can be drawn is as likely
};

// Throws Error listing the legal names.
const Policy& policy(const std::string& name);

}  // namespace fusillade::fuzz
