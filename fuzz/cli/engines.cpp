// See engines.h.
#include "fuzz/cli/engines.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "fuzz/run/foreign/family.h"

namespace fusillade::cli {

void declare_engines(CLI::App& app) {
  struct Given {
    std::vector<std::string> engines, pythons;
  };
  auto g = std::make_shared<Given>();
  app.add_option("--engine", g->engines,
                 "FAMILY=WORKER, the worker of an engine outside: your file, or the name of a "
                 "shipped one (docs/reference/workers.md; repeats)");
  app.add_option(
      "--engine-python", g->pythons,
      "FAMILY=PYTHON, the interpreter of a family, as in torch=/usr/bin/python3 (repeats)");
  app.parse_complete_callback([g] { fuzz::declare_families(g->engines, g->pythons); });
}

}  // namespace fusillade::cli
