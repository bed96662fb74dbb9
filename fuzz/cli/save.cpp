// fusillade save FILE --fn F --out X.pt: a function, or with --module 'Net(3)' a module, as an
// archive that torch.jit.load reads; an archive as the bytes this engine would write. As X.pt2 one
// function or method is written for torch.export.load, on inputs given as inputs.h says.
#include <CLI/CLI.hpp>

#include "engine/base/file.h"
#include "engine/front/module.h"
#include "engine/run/archive/archive.h"
#include "engine/run/exported/write.h"
#include "fuzz/cli/folder.h"
#include "fuzz/cli/inputs.h"
#include "fuzz/cli/limits.h"
#include "fuzz/cli/program.h"
#include "fuzz/cli/verb.h"

namespace fusillade::cli {
namespace {

struct Options {
  std::string file;
  std::string function;
  std::string out;
  ModuleChoice module;
  InputFlags inputs;
  LimitFlags limits;
};

// As a program of torch.export.
int save_exported(const CLI::App& app, Options& o) {
  require_draws(app, o.inputs, o.module);
  o.module.seed = o.inputs.seed;
  make_place_for(o.out);
  const Program program = load_program(o.file, o.function, o.module);
  const std::vector<IValue> inputs = collect_inputs(app, o.inputs, program);
  write_atomically(o.out, exported::write_program(*program.graph, inputs));
  return kOk;
}

int run_save(const CLI::App& app, Options& o) {
  set_limits(o.limits, o.out);
  if (o.out.ends_with(".pt2")) return save_exported(app, o);
  for (const char* flag : {"--in", "--rand", "--arg"})
    if (app.count(flag)) fail("{} gives an input, which only a .pt2 is written with", flag);
  bool archive = is_archive_name(o.file);
  if (archive && !o.function.empty()) fail("--fn '{}': an archive is saved whole", o.function);
  if (!o.module.method.empty()) fail("--method '{}': a module is saved whole", o.module.method);
  if (app.count("--seed") && o.module.call.empty())
    fail("--seed is of the initial values of a --module");
  o.module.seed = o.inputs.seed;
  if (!o.module.state.empty() && o.module.call.empty())
    fail("--state '{}' is of a --module", o.module.state);
  make_place_for(o.out);
  if (archive && o.module.call.empty()) {
    Module module = load_module(o.file);
    if (o.module.eval) train(module, false);
    save_with_warnings(o.out, module);
    return kOk;
  }
  Program program = load_program(o.file, o.function, o.module);
  save_with_warnings(o.out,
                     program.module.unit ? program.module : module_of_function(*program.graph));
  return kOk;
}

}  // namespace

VERB(save,
     "save a function or a module as an archive that torch.jit.load or torch.export.load reads") {
  auto o = std::make_shared<Options>();
  app.add_option("file", o->file, "program: .py, .ir, .case, .pt, .pt2 or .onnx")->required();
  app.add_option("--fn", o->function, "function of a script (default: the only one)");
  declare_module(app, o->module);
  declare_inputs(app, o->inputs);
  app.add_option("--out", o->out,
                 "the archive, as in net.pt; net.pt2 is for torch.export.load, and needs inputs")
      ->required();
  declare_limits(app, o->limits);
  return [o, &app] { return run_save(app, *o); };
}

}  // namespace fusillade::cli
