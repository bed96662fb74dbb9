// A program named on the command line: a .py script and a function of it, .ir graph text, a .case, or a method of the
// module in an archive (.pt).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/ir/unit.h"
#include "fuzz/case/case.h"

namespace fusillade::cli {

struct Program {
  std::unique_ptr<Graph> graph;
  std::optional<fuzz::Call> inputs;  // a case's first call
  Module module;                     // of an archive: what stands before the inputs; no unit otherwise
};

// `function` picks one of a script (needed when it holds several), or a method (else: forward). Throws Error on an unknown ending, a
// missing file, a missing function, or broken text.
Program load_program(const std::string& path, const std::string& function);

// The whole file. Throws Error naming the path and the system's reason.
std::string read_text_file(const std::string& path);

}  // namespace fusillade::cli
