// fusillade run FILE --plan PLAN: one program under one plan, inputs and outputs as .npy.
//
// Inputs are given in the order of the program's parameters by any mix of --in FILE.npy, --rand
// "f32[4,5]" (reproducible from --seed) and --arg VALUE (argument.h); --arg NAME=VALUE gives a
// parameter by its name. What is left out has its default. A .case brings its own inputs when none
// is given.
#include <CLI/CLI.hpp>
#include <algorithm>

#include "engine/base/text.h"
#include "engine/ops/annotation_text.h"
#include "engine/run/archive/print_python.h"
#include "engine/run/plan.h"
#include "engine/tensor/npy.h"
#include "engine/tensor/random.h"
#include "fuzz/cli/argument.h"
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
  ModuleChoice module;
};

// "f32[4,5]": standard normal floats, small integers, fair bools. `where` begins a message.
IValue random_input(const std::string& text, const std::string& where, uint64_t seed,
                    uint64_t stream) {
  size_t open = text.find('[');
  if (open == std::string::npos || text.back() != ']')
    fail("{}: write dtype[size,...], as in f32[4,5]", where);
  DType dtype = dtype_from_name(text.substr(0, open));
  Dims sizes;
  std::string inside(trim(text.substr(open + 1, text.size() - open - 2)));
  if (inside == "()") inside.clear();
  for (const std::string& word : split_outside_brackets(inside, ',')) {
    int64_t size = 0;
    if (inside.empty()) break;
    if (!parse_int(trim(word), &size) || size < 0)
      fail("{}: size '{}' is not a whole number >= 0", where, word);
    sizes.push_back(size);
  }
  try {
    Tensor t = Tensor::empty(sizes, dtype);
    fill_normal(t, seed, stream << 40);
    return t;
  } catch (const std::bad_alloc&) {
    fail("{}: more memory than there is", where);
  }
}

// The program's inputs from the three input flags, in the order they were written, and defaults.
class Inputs {
 public:
  Inputs(const Program& program, uint64_t seed)
      : program_(program), seed_(seed), given_(program.graph->inputs().size()) {
    if (program.module.unit) given_[next_++] = program.module.self;
    first_ = next_;
  }

  void add(IValue value) {
    while (next_ < given_.size() && given_[next_]) ++next_;
    if (next_ < given_.size()) given_[next_] = std::move(value);
    else extra_.push_back(std::move(value));
  }

  IValue random(const std::string& text, const std::string& where) {
    return random_input(text, where, seed_, randoms_++);
  }

  void add_argument(const std::string& text) {
    RandomTensor random_tensor = [this](const std::string& shape) {
      return random(shape, fmt::format("'{}'", shape));
    };
    size_t equals = text.find('=');
    for (size_t i = 0; equals != std::string::npos && i < given_.size(); ++i) {
      if (name(i) != text.substr(0, equals)) continue;
      if (given_[i]) fail("--arg '{}': '{}' is given twice", text, name(i));
      given_[i] = argument_value(text.substr(equals + 1), type(i), random_tensor);
      return;
    }
    size_t at = next_;
    while (at < given_.size() && given_[at]) ++at;
    add(argument_value(text, at < given_.size() ? type(at) : Type(TypeKind::Any), random_tensor));
  }

  std::vector<IValue> finished() {
    std::vector<IValue> out;
    const std::vector<SchemaArg>& args = program_.schema.args;
    for (size_t i = 0; i < given_.size(); ++i) {
      bool has_default = i < args.size() && args[i].has_default;
      if (!given_[i] && !has_default)
        fail(
            "{} takes {} inputs, got {}: '{}' of type {} is missing; give it by --in, --rand or "
            "--arg",
            program_.graph->name.empty() ? "the program" : program_.graph->name,
            given_.size() - first_, count(), name(i), type(i));
      out.push_back(given_[i] ? *given_[i] : args[i].default_value);
    }
    out.insert(out.end(), extra_.begin(), extra_.end());
    return out;
  }

 private:
  int64_t count() const {
    return std::count_if(given_.begin() + static_cast<long>(first_), given_.end(),
                         [](const auto& g) { return g.has_value(); });
  }
  const Type& type(size_t i) const { return program_.graph->inputs()[i]->type(); }
  std::string name(size_t i) const {
    return i < program_.schema.args.size() ? program_.schema.args[i].name
                                           : program_.graph->inputs()[i]->name();
  }

  const Program& program_;
  uint64_t seed_;
  uint64_t randoms_ = 0;  // made so far: each has numbers of its own
  std::vector<std::optional<IValue>> given_;
  std::vector<IValue> extra_;  // more than the program takes
  size_t next_ = 0;
  size_t first_ = 0;  // behind the object
};

std::vector<IValue> collect_inputs(const CLI::App& app, const Options& o, const Program& program) {
  size_t next_in = 0, next_random = 0, next_arg = 0;
  if (program.inputs && o.in.empty() && o.random.empty() && o.args.empty())
    return program.inputs->inputs;
  Inputs inputs(program, o.seed);
  for (const CLI::Option* option : app.parse_order()) {
    std::string name = option->get_lnames().empty() ? "" : option->get_lnames()[0];
    if (name == "in") inputs.add(load_npy(o.in[next_in++]));
    if (name == "rand") {
      const std::string& text = o.random[next_random++];
      inputs.add(inputs.random(text, fmt::format("--rand '{}'", text)));
    }
    if (name == "arg") inputs.add_argument(o.args[next_arg++]);
  }
  return inputs.finished();
}

// Prints one line per output and writes its tensors, containers taken apart: out0.npy, out1.0.npy,
// out2.key.npy. An item of a dict is named by its key where that is an identifier, by its place
// elsewhere.
void give_output(const IValue& v, const std::string& name, const std::string& folder) {
  fmt::print("{}: {}\n", name, describe(v));
  if (v.is_tensor() && !folder.empty()) save_npy(folder + "/" + name + ".npy", v.as_tensor());
  auto item = [&](const IValue& part, const std::string& key) {
    if (!part.is_number()) give_output(part, name + "." + key, folder);
  };
  size_t place = 0;
  if (v.tag() == IValue::Tag::List || v.tag() == IValue::Tag::Tuple)
    for (const IValue& part : v.items()) item(part, std::to_string(place++));
  if (v.tag() != IValue::Tag::Dict) return;
  for (const auto& [key, part] : v.as_dict().items()) {
    bool named = key.tag() == IValue::Tag::Str && archive::is_identifier(key.as_str());
    item(part, named ? key.as_str() : std::to_string(place));
    ++place;
  }
}

int run_program(const CLI::App& app, Options& o) {
  Plan plan = parse_plan(o.plan);
  check_device(plan);
  o.module.seed = o.seed;
  Program program = load_program(o.file, o.function, o.module);
  std::vector<IValue> inputs = collect_inputs(app, o, program);
  if (!o.out.empty()) make_folders(o.out);
  std::vector<IValue> outputs = prepare(*program.graph, plan)->run(inputs);
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
  app.add_option("--rand", o->random, "next input: random, as in f32[4,5]")
      ->expected(1)
      ->take_all();
  app.add_option("--arg", o->args,
                 "next input: 3, 1.5, true, none, 'text', [1, 2], (1, 'a'), {'a': 1}, tensors in "
                 "them as f32[2,3] or npy('in.npy');"
                 " or NAME=VALUE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);  // else [1, 2] would be two values
  app.add_option("--out", o->out, "folder for out0.npy, out1.npy...");
  app.add_option("--seed", o->seed, "of --rand and of a module's initial values")
      ->capture_default_str()
      ->check(kWhole);
  return [o, &app] { return run_program(app, *o); };
}

}  // namespace fusillade::cli
