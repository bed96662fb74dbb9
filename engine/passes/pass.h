// A pass is one function from graph to graph, registered where it is defined:
//
//   PASS(cse, kExact | kIdempotent, "merge pure nodes with equal operators and inputs") {
//     ... if (rewriter.allow("merge", node)) ... }
//
// Inside, `graph` is the Graph&, `rewriter` the Rewriter&, `args` the words in parentheses after
// the pass's name (PASS takes none: words are an error; PASS_WITH_WORDS says which it takes and
// checks them when the pipeline is parsed). Every edit first asks `rewriter.allow(rule, node)`:
// that one call is the fuel check, the log line, the probe and the statistic. The flags are
// promises the fuzzer collects on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/table.h"
#include "engine/ir/graph.h"

namespace fusillade {

enum PassFlags : unsigned {
  kNoPromise = 0,
  kExact = 1,       // changes no bit of any output
  kIdempotent = 2,  // a second run does nothing
  kMerges =
      4,  // may make one value of two; not run on graphs that ask which tensor or list a value is
  kKeepsTape = 8,  // a tape sees the same leaves and the same histories afterwards
  kReshapes =
      16,       // right of programs that change the sizes of a tensor in its place; no others run
  kSaves = 32,  // what it makes keeps operands for a walk back; not run on tasks given what is
                // written
};

struct Rewrite {
  std::string pass;
  std::string rule;
  std::string node;  // the node as printed before the edit
};

// Counts and limits edits across a whole pipeline.
class Rewriter {
 public:
  explicit Rewriter(int64_t fuel = -1) : fuel_(fuel) {}  // -1: unlimited
  // May this edit happen? Spends one unit. `node` may be null.
  bool allow(const char* rule, const Node* node);
  void enter_pass(const std::string& name) { pass_ = name; }
  int64_t rewrite_count() const { return spent_; }
  const std::vector<Rewrite>& log() const { return log_; }
  void keep_log(bool keep) { keep_log_ = keep; }

 private:
  int64_t fuel_;
  int64_t spent_ = 0;
  bool keep_log_ = false;
  std::string pass_;
  std::vector<Rewrite> log_;
};

using PassFn = void (*)(Graph& graph, Rewriter& rewriter, const std::vector<std::string>& args);
// Throws Error saying which words are legal.
using CheckWordsFn = void (*)(const std::vector<std::string>& args);
// Is the node of the kind that the pass looks for?
using LooksForFn = bool (*)(const Node* node);

struct Pass {
  std::string name;
  unsigned flags = kNoPromise;
  std::string summary;
  PassFn run = nullptr;
  CheckWordsFn check_words = nullptr;  // null: takes no words
  LooksForFn looks_for = nullptr;      // null: for no kind of its own
};

// `text` is the name in pipelines if `name` is not free as a C++ identifier. The last argument may
// be what the pass looks for.
#define PASS(name, flags, summary, ...) \
  PASS_NAMED(name, #name, flags, summary, nullptr __VA_OPT__(, ) __VA_ARGS__)
#define PASS_WITH_WORDS(name, flags, summary, ...) \
  PASS_NAMED(name, #name, flags, summary, __VA_ARGS__)
#define PASS_NAMED(name, text, flags, summary, ...)                         \
  static void pass_##name(::fusillade::Graph&, ::fusillade::Rewriter&,      \
                          const std::vector<std::string>&);                 \
  static const ::fusillade::Pass& registered_##name [[maybe_unused]] =      \
      ::fusillade::Table<::fusillade::Pass>::instance().add(                \
          {text, (flags), summary, &pass_##name, __VA_ARGS__});             \
  static void pass_##name([[maybe_unused]] ::fusillade::Graph& graph,       \
                          [[maybe_unused]] ::fusillade::Rewriter& rewriter, \
                          [[maybe_unused]] const std::vector<std::string>& args)

// Kinds of nodes that several passes look for.
bool is_loop(const Node* node);
bool is_product(const Node* node);     // of matrices, a convolution
bool writes_tensor(const Node* node);  // and no list
bool changes_list(const Node* node);
// Those that find what they look for in the program, by name; no pass runs here.
std::vector<const Pass*> passes_looking_for(const Graph& program);

// One word of a pipeline: "fuse(loopnest,llvm)".
struct PassCall {
  const Pass* pass = nullptr;
  std::vector<std::string> args;
  std::string text() const;
};

// A word that expands to a list of passes (rows of pipelines.cpp).
struct NamedPipeline {
  std::string name;
  std::string passes;
};

// "inline,cse,fuse(loopnest,llvm)", or a named pipeline ("o1", "o2") that expands in place. Throws
// Error naming the unknown word, its column and the legal ones; `column` is that of `text` in what
// the user wrote.
std::vector<PassCall> parse_pipeline(const std::string& text, size_t column = 1);
std::string to_string(const std::vector<PassCall>& pipeline);

struct PassStat {
  std::string pass;
  int64_t rewrites = 0;
  double seconds = 0;
  size_t nodes_before = 0;
  size_t nodes_after = 0;
};

struct PipelineResult {
  int64_t rewrites = 0;
  std::vector<PassStat> stats;
  std::vector<Rewrite> log;  // when asked for
};

struct PipelineOptions {
  int64_t fuel = -1;
  bool verify = false;  // after every pass
  bool keep_log = false;
  bool recorded = false;  // the caller records what runs: only passes with kKeepsTape
  // What is known of the first inputs beyond their declared types, as of example inputs: the graph
  // is compiled for these types alone, and takes no others afterwards. Empty: nothing.
  std::vector<Type> inputs;
};

// The only place that runs passes. Throws Error when an input is not of its declared type.
PipelineResult run_pipeline(Graph& graph, const std::vector<PassCall>& pipeline,
                            const PipelineOptions& options = {});

}  // namespace fusillade
