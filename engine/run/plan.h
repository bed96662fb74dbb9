// A plan names an executor as text, engine[(words)][@device]/pipeline[~fuel]:
//
//   eager                        walk the graph, call the operators: reference semantics
//   vm                           bytecode, no passes
//   vm/inline,cse~17             a pipeline prefix, at most 17 rewrites
//   vm/o2,fuse(loopnest,llvm)
//
//   vm@cuda/o2                   on another device than the cpu
//   jit(calls=2)/o2              words that the engine knows
//
// Text is parsed where it comes in, by parse_plan; within the process a plan travels as a value,
// which keeps the text that it was given as: that is what people read, for `o2` is many passes.
// parse_plan and to_string are inverses. Any device that c10 knows can be named. An engine is a row
// registered by its own file; nothing else lists engines.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/passes/pass.h"

namespace fusillade {

struct Plan {
  std::string engine = {};
  std::vector<std::string> words = {};  // in parentheses behind it
  Device device = {};
  std::vector<PassCall> pipeline = {};
  int64_t fuel = -1;
  std::string text = {};   // as it was given; after a change `respell`
  std::string error = {};  // of one that was only read (read_plan): why it is no plan here

  bool empty() const { return text.empty(); }  // no plan at all
  // By the text.
  bool operator==(const Plan& other) const { return text == other.text; }
  auto operator<=>(const Plan& other) const { return text <=> other.text; }
};

// Throws Error naming the bad word, its column and the legal words.
Plan parse_plan(const std::string& text);
// A name or a value that a plan's text can hold: letters, digits, '_', '.' and '-'.
bool is_plan_word(const std::string& text);
std::vector<Plan> parse_plans(const std::vector<std::string>& texts);
// Of a file, which may be older than what is legal now: of a bad text a plan that can be named and
// not run: engine_of throws its error. Of no text no plan.
Plan read_plan(const std::string& text);
// An engine without passes.
Plan plan_of_engine(const std::string& engine);
// With the text that its parts have, for a plan that was changed.
Plan respell(Plan plan);
std::vector<std::string> texts_of(const std::vector<Plan>& plans);
// As JSON it is its text.
template <class Json>
void to_json(Json& json, const Plan& plan) {
  json = plan.text;
}
// Throws Unsupported where the plan's device has no row.
void check_device(const Plan& plan);
std::string to_string(const Plan& plan);

// What is compiled: a graph, and where it came from. All of it is owned by the caller.
struct ProgramView {
  const Graph& graph;
  std::string_view script = {};  // the text whose last function or module it is; empty: none
  IValue self = {};              // the module whose method it is, its first input; None: none
};

// A function compiled under one plan. Calls are independent; thread-safe after construction.
class Executable {
 public:
  virtual ~Executable() = default;
  // Throws Error (illegal arguments, a failed assertion of the program) or Bug.
  virtual std::vector<IValue> run(const std::vector<IValue>& inputs) const = 0;
  // The graph that runs, after the pipeline; null when the engine has none to look at.
  virtual const Graph* graph() const { return nullptr; }
  const PipelineResult& pipeline_result() const { return pipeline_result_; }
  void set_pipeline_result(PipelineResult compiled) { pipeline_result_ = std::move(compiled); }

 private:
  PipelineResult pipeline_result_;
};

// The plans of one engine that campaigns meet programs with.
struct DrawnPlans {
  std::vector<std::string> one_of = {};  // each program meets one of these
  std::vector<std::string> all = {};     // and all of these
  std::vector<std::string> costly = {};  // a share of the programs, set by their policy, meets one
};

struct Engine {
  // The forms of a program that an engine can work on, of which it needs one.
  enum Takes : unsigned { kGraph = 1, kScript = 2, kModule = 4 };

  std::string name;
  std::string summary;
  // Throws Unsupported for what it does not run. `optimised` is a clone of the program's graph
  // after the plan's pipeline; null for engines without our passes.
  std::unique_ptr<Executable> (*prepare)(const ProgramView& program, const Plan& plan,
                                         std::unique_ptr<Graph> optimised) = nullptr;
  unsigned takes = kGraph;
  bool runs_passes = true;  // ours, before it; the graph that they leave can be looked at
  // It runs the plan's passes itself, as calls come: `optimised` is the graph as it was written.
  bool passes_later = false;
  // Throws Error saying which words are legal; null: it takes none.
  void (*check_words)(const std::vector<std::string>& words) = nullptr;
  std::vector<std::string> devices = {"cpu"};
  DrawnPlans (*drawn)() = nullptr;  // null: campaigns draw none
  bool ring = true;                 // computes on our tensors, so with integers for floats if we do
  bool reference = false;           // defines what programs mean; exactly one row says so
  bool outside = false;  // another project's: judged by the oracles that are about such engines
};

// Every engine, the reference first, the others by name.
std::vector<const Engine*> engines();
// The engine of a plan. Throws Error when there is none of that name, or the plan is no plan here.
const Engine& engine_of(const Plan& plan);
// The plan that defines what a program means: the reference engine without passes.
const Plan& reference_plan();
inline const std::string& reference_name() { return reference_plan().engine; }

// Runs the plan's pipeline over a clone of the graph, where the engine has passes, and hands the
// program to the engine. Of a program that records gradients (gradients.h), or whose caller does,
// only the passes run that keep what a tape sees. Throws Unsupported when the engine has no such
// device, or takes the program in none of its forms.
std::unique_ptr<Executable> prepare(const ProgramView& program, const Plan& plan,
                                    const PipelineOptions& options = {});
std::unique_ptr<Executable> prepare(const Graph& graph, const Plan& plan,
                                    const PipelineOptions& options = {});

}  // namespace fusillade
