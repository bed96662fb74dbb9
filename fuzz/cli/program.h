// A program named on the command line: a .py script and a function or a method of a module of it,
// .ir graph text, a .case, or a method of the module in an archive (.pt, .pt2, .onnx).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/ir/unit.h"
#include "engine/run/plan.h"
#include "fuzz/case/case.h"

namespace CLI {
class App;
}

namespace fusillade::cli {

struct Program {
  std::unique_ptr<Graph> graph;
  std::optional<fuzz::Call> inputs;  // a case's first call
  Module module;  // of an archive or --module: what is passed before the inputs; no unit otherwise
  Schema schema;  // of a function or a method; empty for .ir and .case
  std::string script;  // whose last definition it is; else empty
  IValue self;         // of a case's module

  // The input of that number (the module is none) that came with an archive.
  std::optional<IValue> example(size_t input) const {
    if (input >= module.examples.size()) return {};
    return module.examples[input];
  }
  ProgramView view() const { return {*graph, script, module.unit ? module.self : self}; }
};

// --module and what goes with it.
struct ModuleChoice {
  std::string call;    // "Net(3, hidden=8)"; empty: no module
  std::string method;  // empty: forward
  std::string state;   // folder of .npy files named by state_dict's keys; may be empty
  uint64_t seed = 0;
  bool eval = false;

  // Is anything said that only a module can heed?
  bool needs_module() const { return !call.empty() || !method.empty() || !state.empty() || eval; }
};

// `function` picks one of a script (needed when it holds several), or a method (else: forward).
// Throws Error on an unknown ending, a missing file, a missing function, or broken text.
Program load_program(const std::string& path, const std::string& function,
                     const ModuleChoice& module = {});

// Writes the archive; warns on stderr of each construct that PyTorch will refuse.
void save_with_warnings(const std::string& path, const Module& module);

// Adds --module, --method, --state and --eval to a verb.
void declare_module(CLI::App& app, ModuleChoice& choice);

}  // namespace fusillade::cli
