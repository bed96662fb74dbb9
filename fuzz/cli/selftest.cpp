// fusillade selftest: false alarms of the differential oracle, which must be none.
#include <CLI/CLI.hpp>
#include <chrono>
#include <numeric>

#include "engine/base/error.h"
#include "engine/base/visible.h"
#include "fuzz/campaign/alarm_search.h"
#include "fuzz/cli/folder.h"
#include "fuzz/cli/plans.h"
#include "fuzz/cli/verb.h"
#include "fuzz/cli/whole.h"
#include "fuzz/gen/policy_mix.h"

namespace fusillade::cli {
namespace {

using namespace fuzz;

double percent(uint64_t part, uint64_t whole) {
  return whole ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

void print_counts(const AlarmCounts& c) {
  std::printf("programs checked   %lu (%lu untrusted, %lu skipped)\n", c.checked, c.untrusted,
              c.skipped);
  uint64_t others = c.skipped;
  for (const auto& [reason, count] : c.reasons) {
    std::printf("  skipped          %lu: %s\n", count, reason.c_str());
    others -= count;
  }
  if (others) std::printf("  skipped          %lu: for other reasons\n", others);
  if (c.left_out) std::printf("left out           %lu (--rss-limit-mb)\n", c.left_out);
  std::printf("schedules          %lu programs whose kernels were transformed\n", c.schedules);
  std::printf("elements compared  %lu\n", c.elements.compared);
  std::printf("compared tightly   %.2f %% (relative bound under 1e-3, or exact)\n",
              percent(c.elements.tight, c.elements.compared));
  std::printf("cannot tell        %.2f %%\n",
              percent(c.elements.untrusted, c.elements.compared + c.elements.untrusted));
  std::printf("false alarms       %lu\n", c.alarms);
}

int run(const AlarmOptions& o) {
  if (const Policy* python = PolicyMix(o.policy).whole_python(); python)
    fail("the policy '{}' makes programs that external engines alone run; selftest has none",
         python->name);
  if (!o.out.empty()) {
    make_folders(o.out);
    guard_folder(o.out);
  }
  const auto start = std::chrono::steady_clock::now();
  const AlarmCounts counts = search_alarms(o);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  print_counts(counts);
  std::printf("seconds            %.1f (%.0f programs/s per job)\n", seconds,
              static_cast<double>(o.runs) / seconds / o.jobs);
  return counts.alarms ? kFindings : kOk;
}

VERB(selftest,
     "look for false alarms: the oracles test a correct compiler that varies what it may") {
  auto g = std::make_shared<AlarmOptions>();
  app.add_option("--seed", g->seed, "seed of all programs, each of which also has a number")
      ->check(kWhole);
  app.add_option("--index", g->first, "number of the first program")->check(kWhole);
  app.add_option("--runs", g->runs, "programs in all")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 62));
  app.add_option("-j,--jobs", g->jobs, "worker processes")->check(CLI::Range(1, 256));
  app.add_option("--ulps", g->ulps,
                 "how far functions differ from libm; above 2 the compiler is not correct any more")
      ->check(CLI::Range(0, 1 << 20));
  app.add_option("--policy", g->policy, kPolicyHelp);
  app.add_option("--out", g->out, "folder for the cases of false alarms");
  app.add_option("--rss-limit-mb", g->megabytes,
                 "limit for each worker; a program that needs more is named, left out and counted "
                 "(0: none)")
      ->check(kWhole);
  return [g]() -> int { return run(*g); };
}

}  // namespace
}  // namespace fusillade::cli
