// See engines.h.
#include "fuzz/cli/engines.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "engine/base/visible.h"
#include "fuzz/process/confine.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/foreign/versions.h"
#include "fuzz/triage/finding.h"

namespace fusillade::cli {

void declare_engines(CLI::App& app, std::shared_ptr<const std::string> python) {
  struct Given {
    std::vector<std::string> engines, pythons;
    bool no_sandbox = false, trust_text = false;
  };
  auto g = std::make_shared<Given>();
  app.add_option("--engine", g->engines,
                 "FAMILY=WORKER, the worker of an external engine: your file, or the name of a "
                 "shipped one (docs/reference/workers.md; repeats)");
  app.add_option(
      "--engine-python", g->pythons,
      "FAMILY=PYTHON, the interpreter of a family, as in torch=/usr/bin/python3 (repeats)");
  app.add_flag("--no-sandbox", g->no_sandbox,
               "workers and external engines may use the network and change any file "
               "(docs/reference/safety.md)");
  app.add_flag("--trust-text", g->trust_text,
               "plain Python of cases is your own: it may use any name, within the walls of "
               "engines (docs/reference/safety.md)");
  app.parse_complete_callback([g, python] {
    fuzz::trust_texts(g->trust_text);
    fuzz::set_sandboxed(!g->no_sandbox);
    // The later one of a family counts.
    if (python)
      for (size_t i = g->engines.size(); i-- > 0;)
        g->pythons.insert(g->pythons.begin(),
                          g->engines[i].substr(0, g->engines[i].find('=')) + "=" + *python);
    fuzz::declare_families(g->engines, g->pythons);
  });
}

void report_other_versions(const fuzz::Case& c, const std::string& file) {
  const std::vector<std::string> others = fuzz::other_versions(c);
  for (const std::string& other : others)
    fmt::print(stderr, "fusillade: {}\n", visible_line(file + ": " + other));
  const std::string commands = others.empty() ? "" : fuzz::how_it_was_judged(file);
  if (!commands.empty()) fmt::print(stderr, "{}\n", visible_lines(commands.substr(1)));
}

}  // namespace fusillade::cli
