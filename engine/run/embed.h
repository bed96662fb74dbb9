// The engine in another program: functions from script text, from traces, from IR text, ready under
// a plan.
//
//   Program p = script("def f(x):\n    return (x + 1).relu()\n");
//   Callable f = p.function("f", "vm/o2");
//   Tensor y = f({x}).tensor();
//   Callable g(trace([&](Tensor x) { return f({x}).tensor() * 2; }, {x}),
//   "vm/o2,fuse(loopnest,llvm)");
//
// A Callable is compiled once, at construction; calls are independent of each other and
// thread-safe. Called from traced code it is recorded as a call with its control flow. Plans are
// those of run/plan.h. See docs/reference/cpp.md.
#pragma once

#include <map>

#include "engine/front/module.h"
#include "engine/ops/custom.h"
#include "engine/run/archive/archive.h"
#include "engine/run/freeze.h"
#include "engine/run/plan.h"
#include "engine/run/trace_check.h"

namespace fusillade {

class Callable {
 public:
  // Compiles a clone of `graph`. Throws Error on a wrong plan or graph.
  explicit Callable(const Graph& graph, const std::string& plan = "eager");
  // A function of a script: inputs left out at the end have the defaults of its schema.
  Callable(const Function& function, const std::string& plan);
  // A method of a module, called without the module itself; not within a trace.
  explicit Callable(const Module& module, const std::string& method = "forward",
                    const std::string& plan = "eager");
  explicit Callable(const Traced& traced, const std::string& plan = "eager")
      : Callable(*traced.graph, plan) {}

  // The same function under another plan.
  Callable under(const std::string& plan) const;
  // Compiled for inputs of these examples' types alone: more is known, so more rules fire. Other
  // inputs are refused. What is left out at the end has its default. `under` forgets the types.
  Callable specialise(const std::string& plan, const std::vector<IValue>& examples) const;
  // The output; a tuple when there are several. Throws what Executable::run throws.
  eager::Any operator()(std::vector<eager::Any> inputs,
                        eager::Where at = eager::Where::current()) const;
  // The outputs, as the graph lists them, without the eager API.
  std::vector<IValue> run(const std::vector<IValue>& inputs) const;

  const std::string& name() const { return graph_->name; }
  const Graph& graph() const { return *graph_; }  // before the passes
  const Graph& optimised_graph() const;           // what runs; Unsupported where that is no graph
  const PipelineResult& pipeline_result() const { return executable_->pipeline_result(); }

 private:
  std::shared_ptr<const Graph> graph_;
  std::shared_ptr<const Executable> executable_;
  std::optional<Module> module_;  // the first input
  Schema schema_;                 // defaults; empty: of a graph, without any
  std::vector<IValue> defaults_behind(size_t given) const;
  std::vector<IValue> all_inputs(const std::vector<IValue>& given) const;
};

// The functions and modules of one script.
class Program {
 public:
  explicit Program(Script script, std::map<std::string, Callable> callees = {})
      : script_(std::make_shared<const Script>(std::move(script))), callees_(std::move(callees)) {}
  // An instance of a module class: "Net(3, hidden=8)"; `seed` is of its random initial values. One
  // thread at a time.
  Module module(const std::string& call, uint64_t seed = 0) const;
  std::vector<std::string> names() const;
  // Throws Error: naming near misses; or the function's own errors.
  const Graph& graph(const std::string& name) const;
  Callable function(const std::string& name, const std::string& plan = "eager") const;

 private:
  std::shared_ptr<const Script> script_;
  std::map<std::string, Callable> callees_;
};

// Compiles TorchScript's Python subset; `file` names it in errors. The script may call the
// `callees` by their names here (positional arguments of their graphs' types). A function with
// errors leaves the others usable: asking for it throws them; when no function compiles, Error with
// every error of the text.
Program script(const std::string& text, const std::string& file = "<string>",
               const std::map<std::string, Callable>& callees = {});

}  // namespace fusillade
