// fusillade compare: two runs of bench against each other. The statistics are in reports/
// (fusillade_reports/compare.py); here are the flags.
#include <CLI/CLI.hpp>
#include <memory>

#include "engine/base/error.h"
#include "fuzz/campaign/python.h"
#include "fuzz/cli/folder.h"
#include "fuzz/cli/verb.h"

namespace fusillade::cli {
namespace {

struct CompareOptions {
  std::string before;
  std::string after;
  std::string out;
  std::string gate = "steady";
  double threshold = 0.02;
  double alpha = 0.01;
};

int run_compare(const CompareOptions& o) {
  std::vector<std::string> words{"compare", o.before, o.after, "--gate", o.gate};
  words.insert(words.end(), {"--threshold", fmt::format("{}", o.threshold)});
  words.insert(words.end(), {"--alpha", fmt::format("{}", o.alpha)});
  if (!o.out.empty()) {
    make_folders(o.out);
    words.insert(words.end(), {"--out", o.out});
  }
  return fuzz::ask_report(words);
}

VERB(compare, "what changed between two runs of bench, and how sure that is") {
  auto o = std::make_shared<CompareOptions>();
  app.add_option("old", o->before, "bench.json, or a folder that holds one")->required();
  app.add_option("new", o->after, "the same of the run that is judged")->required();
  app.add_option("--out", o->out, "folder for compare.json, and its page, summary.md and JUnit");
  app.add_option("--gate", o->gate, "what a regression of is exit code 2: steady, compile, none")
      ->check(CLI::IsMember({"steady", "compile", "none"}));
  app.add_option("--threshold", o->threshold, "least change that counts: 0.02 is two per cent")
      ->check(CLI::Range(0.0, 10.0));
  app.add_option("--alpha", o->alpha,
                 "chance of a verdict faster or slower in a comparison of equals")
      ->check(CLI::Range(1e-6, 0.5));
  return [o] { return run_compare(*o); };
}

}  // namespace
}  // namespace fusillade::cli
