// Script front end: functions in TorchScript's Python subset, one file, to graphs.
//
// Statically typed: an unannotated parameter is a Tensor. Calls between functions of the file
// become prim::CallFunction with the callee's graph (passes inline them). Errors are Error with
// file, line, three lines of context, a caret range "<--- HERE", what is supported, and the
// callers. All errors of a file are found in one go. A function with an error leaves the others
// usable; other statements at the top of the file are not run.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/front/problem.h"
#include "engine/ir/unit.h"

namespace fusillade {

namespace front {
class Program;
}

struct Failure {
  std::string function;
  front::Problems errors;
};

struct Script {
  std::vector<std::shared_ptr<Graph>> functions;  // in source order; Graph::name is the function's
  std::shared_ptr<const CompilationUnit> unit;    // the same functions, and the classes they use
  std::shared_ptr<front::Program> program;  // the text, from which modules are built (module.h)
  std::vector<Failure> failed;              // functions with errors, and these
  // Null when absent; throws Error with all errors of the file when this function has some.
  const Graph* find(const std::string& name) const;
  // Of all failed functions as one message: each once, those of `first` before the others; the
  // first 20 of them.
  std::string errors(const std::string& first = "") const;
};

// Throws Error with all errors when no function compiles and there is no module, or the file makes
// no sense as a whole.
Script compile_script(const std::string& text, const std::string& file);
Script compile_script_file(const std::string& path);

}  // namespace fusillade
