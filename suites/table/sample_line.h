// Lines of samples/*.txt and gradients/*.txt: a call of an operator, and what PyTorch says of it.
// The grammar is at the head of make_samples.py.
#pragma once

#include <string>
#include <vector>

#include "engine/ops/operator.h"

namespace fusillade::table {

struct Sample {
  std::string op;
  std::vector<IValue> args;
  std::vector<IValue> results;
  bool error = false;
  bool exact = true;
  double bound = -1;  // absolute; negative: in ulp
};

// Throws Error where the line is no sample, with the column.
Sample parse_sample(const std::string& line);

// The files of a folder of suites/table, in the order of their names.
std::vector<std::string> sample_files(const std::string& folder);

}  // namespace fusillade::table
