// fusillade corpus minimise DIR: the folder of `fuzz --corpus` with no more cases than it needs.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "engine/base/error.h"
#include "engine/base/visible.h"
#include "fuzz/cli/engines.h"
#include "fuzz/cli/limits.h"
#include "fuzz/cli/verb.h"
#include "fuzz/corpus/minimise.h"

namespace fusillade::cli {
namespace {

struct Options {
  std::string what, folder, timeout;
  fuzz::Limits limits;
};

int run_corpus(Options& o) {
  o.limits.seconds = timeout_of(o.timeout, {});
  if (o.limits.seconds <= 0) fail("--timeout: a case needs some time");
  if (!std::filesystem::is_directory(o.folder)) fail("there is no folder {}", o.folder);
  const fuzz::Minimised m = fuzz::minimise_corpus(o.folder, o.limits);
  for (const std::string& name : m.passed_over)
    fmt::print(stderr, "fusillade: passed over: {}\n", name);
  for (const std::string& name : m.failing)
    fmt::print(stderr, "fusillade: it fails, or cannot be judged here, and stays: {}\n", name);
  fmt::print(
      "{}: {} of {} cases stay ({} of {} bytes), which reach {} features; {} features are reached "
      "no more; {} regression cases are untouched\n",
      visible_line(o.folder), m.kept, m.cases, m.kept_bytes, m.bytes, m.features, m.lost,
      m.regression);
  return kOk;
}

VERB(corpus, "minimise the folder of `fuzz --corpus`: judge its cases, remove those not needed") {
  auto o = std::make_shared<Options>();
  app.add_option("what", o->what, "minimise")->required()->check(CLI::IsMember({"minimise"}));
  app.add_option("folder", o->folder, "folder of `fuzz --corpus`")->required();
  app.add_option("--timeout", o->timeout, kTimeoutHelp);
  app.add_option("--rss-limit-mb", o->limits.megabytes, "limit for each process that judges cases");
  declare_engines(app);
  return [o] { return run_corpus(*o); };
}

}  // namespace
}  // namespace fusillade::cli
