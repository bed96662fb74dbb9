// fusillade freeze X.pt --out Y.pt: a module with its unchanging attributes folded into its code.
#include "engine/run/freeze.h"

#include <CLI/CLI.hpp>

#include "engine/run/archive/archive.h"
#include "fuzz/cli/folder.h"
#include "fuzz/cli/limits.h"
#include "fuzz/cli/program.h"
#include "fuzz/cli/verb.h"

namespace fusillade::cli {
namespace {

struct Options {
  std::string file;
  std::string out;
  bool eval = false;
  FreezeOptions freeze;
  LimitFlags limits;
};

int run_freeze(const Options& o) {
  set_limits(o.limits, o.out);
  Module module = load_module(o.file);
  if (o.eval) train(module, false);
  make_place_for(o.out);
  save_with_warnings(o.out, freeze(module, o.freeze));
  return kOk;
}

}  // namespace

VERB(freeze, "fold a module's attributes into its code, ahead of the first call") {
  auto o = std::make_shared<Options>();
  app.add_option("file", o->file, "archive: .pt, .pt2 or .onnx")->required();
  app.add_option("--out", o->out, "the frozen module's archive")->required();
  app.add_option("--preserve", o->freeze.preserved, "method or attribute to keep (repeats)")
      ->expected(1)
      ->take_all();
  app.add_flag("--eval", o->eval, "put the module into evaluation mode first");
  declare_limits(app, o->limits);
  return [o] { return run_freeze(*o); };
}

}  // namespace fusillade::cli
