// fusillade ulps: how accurate the scalar functions are that eager mode and kernels call.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "bench/harness/ulps.h"
#include "engine/scalar/accuracy.h"
#include "fuzz/cli/verb.h"

namespace fusillade::cli {
namespace {

struct UlpsOptions {
  std::vector<std::string> functions;
  uint64_t every = 4099;
  uint64_t doubles = 300000;
};

// False: it is less accurate than the oracles allow, or leaves its range.
bool print_row(const std::string& name, const bench::Accuracy& a) {
  const bool good = a.worst <= accuracy::kTranscendental && a.outside == 0;
  std::string outside = std::to_string(a.outside);
  if (a.outside) outside += fmt::format(" ({:a})", a.outside_at);
  fmt::print("| {} | {} | {} | {} | {:.3f} | {:a} | {} |\n", name, a.single ? "f32" : "f64",
             a.kernel       ? "llvm"
             : a.lanes == 1 ? "libm"
                            : std::to_string(a.lanes),
             a.inputs, a.worst, a.at, outside);
  std::fflush(stdout);
  return good;
}

int run_ulps(const UlpsOptions& o) {
  const auto names = o.functions.empty() ? bench::measured_functions() : o.functions;
  fmt::print("| function | dtype | lanes | inputs | worst, ulps | at | outside of its range |\n");
  fmt::print("|---|---|---:|---:|---:|---|---:|\n");
  bool good = true;
  for (const std::string& name : names)
    for (const bench::Accuracy& a : bench::accuracy_of(name, o.every, o.doubles))
      good = print_row(name, a) && good;
  if (!good) fmt::print("\nmore than {} ulps, or outside: see above\n", accuracy::kTranscendental);
  return good ? fuzz::kOk : fuzz::kFindings;
}

VERB(ulps,
     "measure the error of scalar functions: those of libm, the vectorised ones, and those in "
     "kernels") {
  auto o = std::make_shared<UlpsOptions>();
  app.add_option("function", o->functions, "functions to measure (default: all)");
  app.add_option("--every", o->every, "measure every N-th of the 2^32 floats; 1: all of them")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 31));
  app.add_option("--doubles", o->doubles, "how many random doubles are measured")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 40));
  return [o] { return run_ulps(*o); };
}

}  // namespace
}  // namespace fusillade::cli
