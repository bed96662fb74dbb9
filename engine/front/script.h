// Script front end: functions in TorchScript's Python subset, one file, to graphs.
//
// Statically typed: an unannotated parameter is a Tensor. Calls between functions of the file
// become prim::CallFunction with the callee's graph (passes inline them). Errors are Error with
// file, line, three lines of context, a caret range "<--- HERE", and what is supported; all errors
// of one file that can be found in one run are in one message.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/ir/unit.h"

namespace fusillade {

namespace front {
class Program;
}

struct Script {
  std::vector<std::shared_ptr<Graph>> functions;  // in source order; Graph::name is the function's
  std::shared_ptr<const CompilationUnit> unit;    // the same functions, and the classes they use
  std::shared_ptr<front::Program> program;        // the text, from which modules are made
  const Graph* find(const std::string& name) const;  // nullptr when absent
};

// Throws Error.
Script compile_script(const std::string& text, const std::string& file);
Script compile_script_file(const std::string& path);

}  // namespace fusillade
