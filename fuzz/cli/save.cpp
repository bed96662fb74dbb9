// fusillade save FILE --fn F --out X.pt: a function, or with --module 'Net(3)' a module, as an
// archive that torch.jit.load reads; an archive as the bytes this engine would write.
#include <CLI/CLI.hpp>

#include "engine/front/module.h"
#include "engine/run/archive/archive.h"
#include "fuzz/cli/folder.h"
#include "fuzz/cli/limits.h"
#include "fuzz/cli/program.h"
#include "fuzz/cli/verb.h"
#include "fuzz/cli/whole.h"

namespace fusillade::cli {
namespace {

struct Options {
  std::string file;
  std::string function;
  std::string out;
  ModuleChoice module;
  LimitFlags limits;
};

int run_save(const CLI::App& app, const Options& o) {
  set_limits(o.limits, o.out);
  bool archive = is_archive_name(o.file);
  if (archive && !o.function.empty()) fail("--fn '{}': an archive is saved whole", o.function);
  if (!o.module.method.empty()) fail("--method '{}': a module is saved whole", o.module.method);
  if (app.count("--seed") && o.module.call.empty())
    fail("--seed is of the initial values of a --module");
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

VERB(save, "save a function or a module as an archive that torch.jit.load reads") {
  auto o = std::make_shared<Options>();
  app.add_option("file", o->file, "program: .py, .ir, .case, .pt, .pt2 or .onnx")->required();
  app.add_option("--fn", o->function, "function of a script (default: the only one)");
  declare_module(app, o->module);
  app.add_option("--seed", o->module.seed, "seed of a module's initial values")
      ->capture_default_str()
      ->check(kWhole);
  app.add_option("--out", o->out, "the archive, as in net.pt")->required();
  declare_limits(app, o->limits);
  return [o, &app] { return run_save(app, *o); };
}

}  // namespace fusillade::cli
