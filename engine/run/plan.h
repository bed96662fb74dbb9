// A plan names an executor as text, engine[@device]/pipeline[~fuel]:
//
//   eager                        walk the graph, call the rows: reference semantics
//   vm                           bytecode, no passes
//   vm/inline,cse~17             a pipeline prefix, at most 17 rewrites
//   vm/o2,fuse(loopnest,llvm)
//
//   vm@cuda/o2                   on another device than the cpu
//
// parse_plan and to_string are inverses. Any device that c10 knows can be named.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/passes/pass.h"

namespace fusillade {

struct Plan {
  std::string engine;  // "eager", "vm"
  Device device;
  std::vector<PassCall> pipeline;
  int64_t fuel = -1;
};

// Throws Error naming the bad word, its column and the legal words.
Plan parse_plan(const std::string& text);
// Throws Unsupported where the plan's device has no row.
void check_device(const Plan& plan);
std::string to_string(const Plan& plan);

// A function made ready under one plan. Calls are independent; thread-safe after construction.
class Executable {
 public:
  virtual ~Executable() = default;
  // Throws Error (illegal arguments, a failed assertion of the program) or Bug.
  virtual std::vector<IValue> run(const std::vector<IValue>& inputs) const = 0;
  // The graph that runs, after the pipeline.
  virtual const Graph& graph() const = 0;
  const PipelineResult& compiled() const { return compiled_; }
  void set_compiled(PipelineResult compiled) { compiled_ = std::move(compiled); }

 private:
  PipelineResult compiled_;
};

struct Engine {
  std::string name;
  std::string summary;
  std::unique_ptr<Executable> (*prepare)(std::unique_ptr<Graph> graph) = nullptr;
};

// Clones `graph`, runs the plan's pipeline over the clone, and hands it to the engine. Throws as
// check_device does.
std::unique_ptr<Executable> prepare(const Graph& graph, const Plan& plan,
                                    const PipelineOptions& options = {});

}  // namespace fusillade
