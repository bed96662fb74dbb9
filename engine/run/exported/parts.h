// The parts of an archive of torch.export.save: the program's text, and its tensors by name.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/ops/ivalue.h"
#include "engine/run/archive/zip.h"

namespace fusillade::exported {

using Tensors = std::map<std::string, Tensor>;

struct Parts {
  std::string program;            // the entry of the program's text
  Tensors state;                  // parameters and persistent buffers
  Tensors constants;              // other buffers and tensors
  std::set<const void*> complex;  // of these, those of complex numbers: pairs of real ones
  std::vector<IValue> examples;   // inputs that it was exported with; empty: they are not known
};

bool holds_program(const archive::ZipReader& zip);
// Throws Error naming the entry and what is wrong.
Parts read_parts(const archive::ZipReader& zip);

}  // namespace fusillade::exported
