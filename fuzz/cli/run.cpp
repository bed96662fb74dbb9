// fusillade run FILE --plan PLAN: one program under one plan, inputs and outputs as .npy.
//
// Inputs are given as inputs.h says. With --typed the pipeline knows their types. With --grad the
// run is recorded, and gradients of the sum of all outputs of floats come after the outputs, by all
// inputs of floats or (--leaves parameters) by a module's parameters alone. With --cost it runs
// again, and time and memory are reported. With --expect another compiler's results are judged.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <optional>

#include "engine/aten/named.h"
#include "engine/aten/text/print.h"
#include "engine/base/file.h"
#include "engine/base/probe.h"
#include "engine/front/autograd.h"
#include "engine/ops/annotation_text.h"
#include "engine/ops/class_type.h"
#include "engine/ops/extent.h"
#include "engine/run/archive/print_python.h"
#include "engine/run/examples.h"
#include "engine/run/plan.h"
#include "engine/tensor/npy.h"
#include "engine/tensor/peak.h"
#include "fuzz/cli/engines.h"
#include "fuzz/cli/expected.h"
#include "fuzz/cli/folder.h"
#include "fuzz/cli/inputs.h"
#include "fuzz/cli/limits.h"
#include "fuzz/cli/plans.h"
#include "fuzz/cli/program.h"
#include "fuzz/cli/verb.h"

namespace fusillade::cli {
namespace {

struct Options {
  std::string file;
  std::string function;
  std::string plan = "vm/o2";
  std::string out;
  std::vector<std::string> expected;
  bool typed = false;
  bool grad = false;
  std::string leaves = "all";  // or parameters
  int cost = 0;
  InputFlags inputs;
  LimitFlags limits;
  ModuleChoice module;
};

// Prints one line per output and writes its tensors, containers decomposed: out0.npy, out1.0.npy,
// out2.key.npy. An item of a dict is named by its key where that is an identifier, by its index
// elsewhere.
void give_output(const IValue& v, const std::string& name, const std::string& folder) {
  fmt::print("{}: {}\n", name, describe(v));
  if (v.is_tensor() && !folder.empty()) save_npy(folder + "/" + name + ".npy", v.as_tensor());
  auto item = [&](const IValue& part, const std::string& key) {
    if (!part.is_number()) give_output(part, name + "." + key, folder);
  };
  size_t index = 0;
  if (v.tag() == IValue::Tag::List || v.tag() == IValue::Tag::Tuple)
    for (const IValue& part : v.items()) item(part, std::to_string(index++));
  if (v.tag() != IValue::Tag::Dict) return;
  for (const auto& [key, part] : v.as_dict().items()) {
    bool named = key.tag() == IValue::Tag::Str && archive::is_identifier(key.as_str());
    item(part, named ? key.as_str() : std::to_string(index));
    ++index;
  }
}

// The plan that records: of passes only those that keep what the tape sees, and of these one that
// knows gradients, without which the others were not asked for.
Plan recording_plan(const CLI::App& app, Plan plan) {
  if (app.count("--plan") == 0) return reference_plan();
  auto derives = [](const PassCall& p) { return p.pass->name == "autodiff"; };
  const bool passes = !plan.pipeline.empty() && std::ranges::none_of(plan.pipeline, derives);
  if (!engine_of(plan).runs_passes || passes)
    fail(
        "--grad: gradients are recorded by our engines without passes (eager, vm) or with "
        "autodiff among them (vm/o2,autodiff), not by '{}'",
        plan.text);
  return plan;
}

// Tensors of floats: of lists and tuples by number, of modules their parameters by name.
template <class F>
void for_each_float(const IValue& v, const std::string& name, F f) {
  if (v.is_tensor() && is_float(v.as_tensor().dtype())) f(v.as_tensor(), name);
  if (v.tag() == IValue::Tag::Object) {
    const ObjectBox& object = v.as_object();
    for (size_t i = 0; i < object.slots.size(); ++i) {
      const Field& field = object.cls->fields[i];
      if (field.kind == Field::Kind::Parameter || field.kind == Field::Kind::Module)
        for_each_float(object.slots[i], name + "." + field.name, f);
    }
  }
  if (!v.is_sequence()) return;
  for (size_t i = 0; i < v.items().size(); ++i)
    for_each_float(v.items()[i], fmt::format("{}.{}", name, i), f);
}

// Every leaf of the inputs: parameters of modules, and the tensors of floats that were given.
template <class F>
void for_each_leaf(const std::vector<IValue>& inputs, const std::string& leaves, F f) {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (leaves == "all" || inputs[i].tag() == IValue::Tag::Object)
      for_each_float(inputs[i], fmt::format("grad{}", i), f);
}

struct Gradients {
  std::vector<std::string> names;  // grad0, grad1.0, grad0.weight, ...: of the input of that number
  std::vector<Tensor> grads;
};

Gradients walk_back(const std::vector<IValue>& inputs, const std::vector<IValue>& outputs,
                    const std::string& which) {
  Gradients out;
  std::vector<Tensor> leaves, results, seeds;
  for_each_leaf(inputs, which, [&](const Tensor& t, const auto& name) {
    leaves.push_back(t);
    out.names.push_back(name);
  });
  for (const IValue& v : outputs) {
    for_each_float(v, "", [&](const Tensor& t, const auto&) {
      if (!t.requires_grad()) return;
      results.push_back(t);
      seeds.push_back(call(aten::ones_like(), std::vector<IValue>{t}).at(0).as_tensor());
    });
  }
  if (leaves.empty()) fail("--grad: no input is a tensor of floats, or no parameter");
  if (results.empty()) fail("--grad: no output depends on an input of floats");
  out.grads = eager::gradients(results, leaves, {.seeds = seeds, .allow_unused = true});
  return out;
}

// The shortest wall time, the least CPU time, and the peak memory in addition to the `before` bytes
// of the inputs: what an executable keeps between calls counts.
void report_cost(const Executable& ready, const std::vector<IValue>& inputs, size_t before,
                 const Options& o) {
  using Clock = std::chrono::steady_clock;
  double shortest = std::numeric_limits<double>::infinity(), least = shortest;
  size_t peak = 0;
  for (int i = 0; i < o.cost; ++i) {
    restart_peak();
    const auto start = Clock::now();
    const std::clock_t processor = std::clock();
    const std::vector<IValue> outputs = ready.run(inputs);
    if (o.grad) walk_back(inputs, outputs, o.leaves);
    shortest = std::min(shortest, std::chrono::duration<double>(Clock::now() - start).count());
    least = std::min(least, static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC);
    peak = peak_bytes() - before;
  }
  fmt::print("cost: {:.3f} ms, {:.3f} ms of processors, {} bytes\n", 1e3 * shortest, 1e3 * least,
             peak);
}

// Operators whose tensors lay on a device that does not run them.
void report_operators_on_cpu() {
  constexpr std::string_view kOf = "device/cpu-";
  std::string operators;
  for (const Probe* p : probes())
    if (p->count() > 0 && p->name().starts_with(kOf))
      operators += fmt::format("{} {} ({})", operators.empty() ? "" : ",",
                               p->name().substr(kOf.size()), p->count());
  if (!operators.empty()) fmt::print(stderr, "run by the cpu, on copies:{}\n", operators);
}

int run_program(const CLI::App& app, Options& o) {
  set_limits(o.limits, o.out);
  const Plan given = parse_plan(o.plan);
  Plan plan = o.grad ? recording_plan(app, given) : given;
  require_engines({given});
  check_device(plan);
  if (o.typed && plan.pipeline.empty())
    fail("--typed: types are for the passes of a plan, and '{}' has none", to_string(plan));
  require_draws(app, o.inputs, o.module);
  o.module.seed = o.inputs.seed;
  Program program = load_program(o.file, o.function, o.module);
  std::vector<IValue> inputs = collect_inputs(app, o.inputs, program);
  std::optional<Expected> expected;
  if (!o.expected.empty()) expected.emplace(program, inputs);
  if (!o.out.empty()) {
    make_folders(o.out);
    guard_folder(o.out);
  }
  PipelineOptions options;
  options.recorded = o.grad;
  if (o.typed) options.inputs = example_types(*program.graph, inputs);
  std::optional<eager::Gradients> recorded;
  if (o.grad) {
    recorded.emplace();
    for_each_leaf(inputs, o.leaves, [](const Tensor& t, const auto&) { eager::requires_grad(t); });
  }
  const size_t before = Storage::live_bytes();
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto ready = prepare(program.view(), plan, options);
  set_program_output(stdout);
  std::vector<IValue> outputs = ready->run(inputs);
  Gradients gradients;
  if (o.grad) gradients = walk_back(inputs, outputs, o.leaves);
  const std::chrono::duration<double> first = Clock::now() - start;
  if (!extent(outputs).fits())
    fail("{}: the results, written out, are more than {} values, or nested more than {} deep",
         o.file, kMostValues, kMostNested);
  for (size_t i = 0; i < outputs.size(); ++i)
    give_output(outputs[i], fmt::format("out{}", i), o.out);
  for (size_t i = 0; i < gradients.grads.size(); ++i)
    give_output(gradients.grads[i].is_defined() ? IValue(gradients.grads[i]) : IValue(),
                gradients.names[i], o.out);
  report_operators_on_cpu();
  const int judged = expected ? expected->judge(outputs, o.expected) : kOk;
  outputs.clear();
  gradients = {};
  if (o.cost > 0) {
    fmt::print("first call: {:.3f} ms\n", 1e3 * first.count());
    report_cost(*ready, inputs, before, o);
  }
  return judged;
}

}  // namespace

VERB(run, "run a program under a plan; inputs and outputs are .npy files") {
  auto o = std::make_shared<Options>();
  app.add_option("file", o->file, "program: .py, .ir, .case, .pt, .pt2 or .onnx")->required();
  app.add_option("--plan", o->plan, "engine/pipeline~fuel, as in vm/o2,fuse(loopnest,llvm)")
      ->capture_default_str();
  app.add_option(
      "--fn", o->function,
      "function of a script (default: the only one), or method of an archive's module (default: "
      "forward)");
  declare_module(app, o->module);
  declare_inputs(app, o->inputs);
  declare_limits(app, o->limits);
  declare_engines(app);
  app.add_flag("--typed", o->typed, "compile for the types of these inputs");
  CLI::Option* grad = app.add_flag(
      "--grad", o->grad, "compute the gradients of the sum of the outputs by each float input");
  app.add_option("--leaves", o->leaves,
                 "gradients by all inputs and parameters, or only by parameters of the module")
      ->check(CLI::IsMember({"all", "parameters"}))
      ->needs(grad)
      ->capture_default_str();
  app.add_option("--cost", o->cost,
                 "run it this many times more, and print the shortest time and the most memory")
      ->check(CLI::Range(0, 100000));
  app.add_option(
         "--expect", o->expected,
         "results of another compiler, a .npy for each tensor: they and those of this run must "
         "lie within the program's bound (repeats)")
      ->excludes(grad);
  app.add_option("--out", o->out, "folder for out0.npy, out1.npy...");
  return [o, &app] { return run_program(app, *o); };
}

}  // namespace fusillade::cli
