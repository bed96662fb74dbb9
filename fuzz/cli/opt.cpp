// fusillade opt FILE --pipeline P: prints the program's IR after passes, or its bytecode.
//
// With --typed the pipeline knows the types of example inputs, given as inputs.h says. With
// --graph-for PLAN the program is called on them under a plan of `jit` until it is specialised;
// the verb prints the graph that the next such call runs, guards and fallback graphs included.
// With --kernels PLAN it is run on them, and the verb prints the kernels of its groups, and with
// --transform the kernels after these transforms.
#include <CLI/CLI.hpp>
#include <optional>

#include "engine/base/visible.h"
#include "engine/passes/pass.h"
#include "engine/passes/pass_times.h"
#include "engine/run/bytecode.h"
#include "engine/run/examples.h"
#include "engine/run/jit.h"
#include "fuzz/cli/inputs.h"
#include "fuzz/cli/kernels.h"
#include "fuzz/cli/limits.h"
#include "fuzz/cli/program.h"
#include "fuzz/cli/verb.h"
#include "fuzz/cli/whole.h"

namespace fusillade::cli {
namespace {

struct Options {
  std::string file;
  std::string function;
  std::string pipeline;
  int64_t fuel = -1;
  bool stats = false;
  bool log = false;
  bool verify = false;
  bool bytecode = false;
  bool typed = false;
  std::string graph_for;
  std::string kernels;
  std::string transform;
  InputFlags inputs;
  LimitFlags limits;
  ModuleChoice module;
};

void print_stats(const PipelineResult& result) {
  fmt::print("# {:<32}{:>9}{:>8}{:>8}{:>12}\n", "pass", "rewrites", "before", "after", "us");
  for (const PassStat& s : result.stats)
    fmt::print("# {:<32}{:>9}{:>8}{:>8}{:>12.1f}\n", s.pass, s.rewrites, s.nodes_before,
               s.nodes_after, s.seconds * 1e6);
}

void print_log(const PipelineResult& result) {
  for (size_t i = 0; i < result.log.size(); ++i) {
    const Rewrite& w = result.log[i];
    std::string node = w.node.substr(0, w.node.find('\n'));
    fmt::print("# rewrite {}: {}/{}: {}\n", i + 1, w.pass, w.rule, visible_line(node));
  }
}

int print_graph_for(const CLI::App& app, const Options& o, const Program& program) {
  constexpr int kMostCalls = 64;  // that may be profiled before there is a version
  const std::unique_ptr<Executable> ready = prepare(program.view(), parse_plan(o.graph_for));
  const auto* jit = dynamic_cast<const JitExecutable*>(ready.get());
  if (!jit) fail("--graph-for: '{}' profiles no calls; jit does, as in jit/o2", o.graph_for);
  const fuzz::Call given{collect_inputs(app, o.inputs, program)};
  for (int i = 0; i < kMostCalls && jit->counters().versions == 0; ++i)
    ready->run(fuzz::copy_call(given).inputs);
  const JitCounters c = jit->counters();
  if (o.stats)
    fmt::print("# {} calls profiled, {} versions, {} guards\n", c.profiled, c.versions, c.guards);
  fmt::print("{}", print(jit->graph_for(given.inputs)));
  return kOk;
}

int run_opt(const CLI::App& app, Options& o) {
  set_limits(o.limits);
  require_draws(app, o.inputs, o.module);
  for (const char* flag : {"--fuel", "--stats", "--log", "--verify"})
    if (app.count(flag) && o.pipeline.empty() &&
        !(flag == std::string("--stats") && app.count("--graph-for")))
      fail("{} is about passes: --pipeline names them", flag);
  o.module.seed = o.inputs.seed;
  Program program = load_program(o.file, o.function, o.module);
  bool inputs = false;
  for (const char* flag : {"--in", "--rand", "--arg"}) inputs = inputs || app.count(flag);
  if (inputs && !o.typed && o.graph_for.empty() && o.kernels.empty())
    fail("--in, --rand and --arg require --typed, --graph-for or --kernels");
  if (!o.graph_for.empty()) return print_graph_for(app, o, program);
  if (!o.kernels.empty()) {
    print_kernels(program, parse_plan(o.kernels), collect_inputs(app, o.inputs, program),
                  o.transform);
    return kOk;
  }
  PipelineOptions options;
  options.fuel = o.fuel;
  options.verify = o.verify;
  options.keep_log = o.log;
  if (o.typed)
    options.inputs = example_types(*program.graph, collect_inputs(app, o.inputs, program));
  std::optional<PassTimes> timed;
  if (o.stats) timed.emplace();
  PipelineResult result = run_pipeline(*program.graph, parse_pipeline(o.pipeline), options);
  if (o.log) print_log(result);
  if (o.stats) print_stats(result);
  if (o.bytecode) fmt::print("{}", print(*compile_bytecode(*program.graph)));
  else fmt::print("{}", print(*program.graph));
  return kOk;
}

}  // namespace

VERB(opt, "print a program's IR after passes") {
  auto o = std::make_shared<Options>();
  app.add_option("file", o->file, "program: .py, .ir, .case, .pt, .pt2 or .onnx")->required();
  app.add_option("--pipeline", o->pipeline,
                 "passes between commas, as in inline,cse or o2 (default: none)");
  app.add_option(
      "--fn", o->function,
      "function of a script (default: the only one), or method of an archive's module (default: "
      "forward)");
  declare_module(app, o->module);
  app.add_option("--fuel", o->fuel, "stop after this many rewrites (default: no limit)")
      ->check(kWhole);
  app.add_flag("--stats", o->stats, "print rewrites, nodes and time per pass");
  app.add_flag("--log", o->log, "print every rewrite: pass/rule: node");
  app.add_flag("--verify", o->verify, "verify the graph after every pass");
  app.add_flag("--bytecode", o->bytecode, "print the VM's bytecode instead of the graph");
  app.add_flag("--typed", o->typed, "compile for the types of example inputs");
  app.add_option(
         "--graph-for", o->graph_for,
         "call it with example inputs under this plan of jit, and print the graph of such calls")
      ->excludes("--pipeline")
      ->excludes("--bytecode")
      ->excludes("--typed");
  app.add_option("--kernels", o->kernels,
                 "run it with example inputs under this plan, and print the kernels of its groups")
      ->excludes("--pipeline")
      ->excludes("--bytecode")
      ->excludes("--typed")  // a plan of jit compiles for types
      ->excludes("--graph-for");
  app.add_option("--transform", o->transform,
                 "with --kernels: apply transforms, as in 'split(v0,8,tail);unroll(v1)'; 'list "
                 "transforms' lists them")
      ->needs("--kernels");
  declare_inputs(app, o->inputs);
  declare_limits(app, o->limits);
  return [o, &app] { return run_opt(app, *o); };
}

}  // namespace fusillade::cli
