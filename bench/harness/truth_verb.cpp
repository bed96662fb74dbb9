// fusillade truth: what bench, compare and history say of data whose truth is known. Series of
// known shape are detected here (shapes.h), planted regressions in reports/
// (fusillade_reports/truth.py and history_truth.py).
#include <CLI/CLI.hpp>
#include <memory>

#include "bench/harness/shapes.h"
#include "fuzz/campaign/python.h"
#include "fuzz/cli/verb.h"

namespace fusillade::cli {
namespace {

struct TruthOptions {
  std::string noise;
  std::string history;
  int trials = 100;
};

int run_truth(const TruthOptions& o) {
  constexpr double kSpread = 0.02;
  constexpr size_t kCalls[] = {40, 80, 200};
  fmt::print("shapes of {} processes, calls scatter by {:.0f} %: detected with so many calls\n\n",
             o.trials, 100 * kSpread);
  fmt::print("| shape | is | 40 | 80 | 200 |\n|---|---|---:|---:|---:|\n");
  for (const bench::Shape& s : bench::shapes()) {
    fmt::print("| {} | {} |", s.name, s.kind);
    for (size_t calls : kCalls)
      fmt::print(" {:.1f} % |", 100 * bench::detected_share(s, calls, kSpread, o.trials));
    fmt::print("\n");
  }
  fmt::print("\n");
  return fuzz::ask_report({"truth", std::to_string(o.trials), o.noise, o.history});
}

VERB(truth,
     "measure how often bench, compare and history are right on series whose truth is known") {
  auto o = std::make_shared<TruthOptions>();
  app.add_option("bench", o->noise,
                 "bench.json, or a folder that holds one, whose noise is also used");
  app.add_option("--history", o->history, "a file of `history add`, whose noise is also used");
  app.add_option(
         "--trials", o->trials,
         "how many processes of each kind of warm-up are simulated, and how many comparisons and "
         "histories with each kind of noise")
      ->check(CLI::Range(1, 100000));
  return [o] { return run_truth(*o); };
}

}  // namespace
}  // namespace fusillade::cli
