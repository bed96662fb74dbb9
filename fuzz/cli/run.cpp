// fusillade run FILE --plan PLAN: one program under one plan, inputs and outputs as .npy.
//
// Inputs are given in the order of the program's parameters by any mix of --in FILE.npy, --rand
// "f32[4,5]" (reproducible from --seed) and --arg 3 | 1.5 | true. A .case brings its own when none is given.
#include <CLI/CLI.hpp>

#include "engine/base/text.h"
#include "engine/run/plan.h"
#include "engine/tensor/npy.h"
#include "engine/tensor/random.h"
#include "fuzz/cli/folder.h"
#include "fuzz/cli/program.h"
#include "fuzz/cli/verb.h"
#include "fuzz/cli/whole.h"

namespace fusillade::cli {
namespace {

struct Options {
  std::string file;
  std::string function;
  std::string plan = "vm/o2";
  std::string out;
  uint64_t seed = 0;
  std::vector<std::string> in, random, args;
  std::vector<IValue> inputs;  // in command-line order
  ModuleChoice module;
};

// "f32[4,5]": standard normal floats, small integers, fair bools.
IValue random_input(const std::string& text, uint64_t seed, uint64_t stream) {
  size_t open = text.find('[');
  if (open == std::string::npos || text.back() != ']')
    fail("--rand '{}': write dtype[size,...], as in f32[4,5]", text);
  DType dtype = dtype_from_name(text.substr(0, open));
  Dims sizes;
  std::string inside = text.substr(open + 1, text.size() - open - 2);
  for (const std::string& word : split_outside_brackets(inside, ',')) {
    int64_t size = 0;
    if (trim(inside).empty()) break;
    if (!parse_int(trim(word), &size) || size < 0)
      fail("--rand '{}': size '{}' is not a whole number >= 0", text, word);
    sizes.push_back(size);
  }
  try {
    Tensor t = Tensor::empty(sizes, dtype);
    fill_normal(t, seed, stream << 40);
    return t;
  } catch (const std::bad_alloc&) {
    fail("--rand '{}': more memory than there is", text);
  }
}

IValue scalar_input(const std::string& text) {
  int64_t i;
  double d;
  if (text == "true" || text == "false") return IValue(text == "true");
  if (text == "none") return IValue();
  if (parse_int(text, &i)) return IValue(i);
  if (parse_double(text, &d)) return IValue(d);
  fail("--arg '{}': write an int (3), a float (1.5), true, false or none", text);
}

// Takes the values of the three input flags in the order they were written.
void collect_inputs(const CLI::App& app, Options& o) {
  size_t next_in = 0, next_random = 0, next_arg = 0;
  for (const CLI::Option* option : app.parse_order()) {
    std::string name = option->get_lnames().empty() ? "" : option->get_lnames()[0];
    if (name == "in") o.inputs.emplace_back(load_npy(o.in[next_in++]));
    if (name == "rand") {
      o.inputs.push_back(random_input(o.random[next_random], o.seed, next_random));
      ++next_random;
    }
    if (name == "arg") o.inputs.push_back(scalar_input(o.args[next_arg++]));
  }
}

// Prints one line per output and writes its tensors, containers taken apart: out0.npy, out1.0.npy.
void give_output(const IValue& v, const std::string& name, const std::string& folder) {
  fmt::print("{}: {}\n", name, describe(v));
  if (v.is_tensor() && !folder.empty()) save_npy(folder + "/" + name + ".npy", v.as_tensor());
  if (v.tag() != IValue::Tag::List && v.tag() != IValue::Tag::Tuple) return;
  for (size_t i = 0; i < v.items().size(); ++i)
    if (!v.items()[i].is_number()) give_output(v.items()[i], fmt::format("{}.{}", name, i), folder);
}

// The object first, and defaults for what is missing at the end.
void add_self(const Program& program, std::vector<IValue>& inputs) {
  inputs.insert(inputs.begin(), program.module.self);
  for (size_t i = inputs.size(); i < program.schema.args.size() && program.schema.args[i].has_default; ++i)
    inputs.push_back(program.schema.args[i].default_value);
}

int run_program(const CLI::App& app, Options& o) {
  Plan plan = parse_plan(o.plan);
  o.module.seed = o.seed;
  Program program = load_program(o.file, o.function, o.module);
  collect_inputs(app, o);
  if (o.inputs.empty() && program.inputs) o.inputs = program.inputs->inputs;
  if (program.module.unit) add_self(program, o.inputs);
  if (!o.out.empty()) make_folders(o.out);
  std::vector<IValue> outputs = prepare(*program.graph, plan)->run(o.inputs);
  for (size_t i = 0; i < outputs.size(); ++i)
    give_output(outputs[i], fmt::format("out{}", i), o.out);
  return kOk;
}

}  // namespace

VERB(run, "run a program under a plan, inputs and outputs as .npy") {
  auto o = std::make_shared<Options>();
  app.add_option("file", o->file, "program: .py, .ir, .case or .pt")->required();
  app.add_option("--plan", o->plan, "engine/pipeline~fuel, as in vm/o2,fuse(loopnest,llvm)")
      ->capture_default_str();
  app.add_option("--fn", o->function, "function of a script, method of an archive's module");
  declare_module(app, o->module);
  app.add_option("--in", o->in, "next input: a .npy file")->expected(1)->take_all();
  app.add_option("--rand", o->random, "next input: random, as in f32[4,5]")->expected(1)->take_all();
  app.add_option("--arg", o->args, "next input: 3, 1.5, true, false, none")->expected(1)->take_all();
  app.add_option("--out", o->out, "folder for out0.npy, out1.npy...");
  app.add_option("--seed", o->seed, "of --rand and of a module's initial values")
      ->capture_default_str()
      ->check(kWhole);
  return [o, &app] { return run_program(app, *o); };
}

}  // namespace fusillade::cli
