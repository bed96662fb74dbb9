// fusillade selftest: false alarms of the differential oracle, which must be none. One program in
// kSchedules meets the oracle `schedules`, too: what transforms make of its kernels is as legal.
#include "fuzz/oracle/selftest.h"

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include "engine/base/file.h"
#include "engine/base/visible.h"
#include "fuzz/cli/folder.h"
#include "fuzz/cli/plans.h"
#include "fuzz/cli/verb.h"
#include "fuzz/cli/whole.h"
#include "fuzz/gen/generate.h"
#include "fuzz/gen/policy_mix.h"
#include "fuzz/oracle/oracle.h"

namespace fusillade::cli {
namespace {

using namespace fuzz;

constexpr uint64_t kSchedules = 64;

struct Given {
  uint64_t seed = 1;
  uint64_t first = 0;
  uint64_t runs = 100000;
  int jobs = 1;
  int ulps = 2;
  std::string policy;
  std::string out;
};

struct Totals {
  std::atomic<uint64_t> next{0};
  std::mutex mutex;
  std::string broken;  // what ended it, and where
  uint64_t checked = 0, untrusted = 0, skipped = 0, alarms = 0, schedules = 0;
  std::map<std::string, uint64_t> reasons;  // of the skipped
  Elements elements;
};

void report_alarm(const Given& g, const Case& c, Verdict v, uint64_t index, uint64_t number) {
  if (v.oracle.empty()) v.oracle = "differential";
  v.plan = {};
  std::fprintf(stderr, "false alarm at seed %lu index %lu: %s\n", g.seed, index,
               visible_lines(v.detail).c_str());
  if (g.out.empty()) {
    if (number == 0) std::fprintf(stderr, "%s", print(finding_case(c, v)).c_str());
    return;
  }
  write_atomically(fmt::format("{}/alarm-{}.case", g.out, index), print(finding_case(c, v)));
}

void judge_schedules(const Given& g, const Case& c, uint64_t index, Totals& totals) {
  Verdict v = oracle("schedules").judge(c);
  v.oracle = "schedules";
  std::lock_guard lock(totals.mutex);
  if (v.kind == VerdictKind::Ok) ++totals.schedules;
  if (is_finding(v.kind)) report_alarm(g, v.shown_by ? *v.shown_by : c, v, index, totals.alarms++);
}

void judge_program(const Given& g, GenerateOptions options, uint64_t index, Totals& totals) {
  Choices choices(g.seed, index);
  options.sizes = draw_sizes(g.seed, index, false);
  Case c = generate_case(choices, options);
  c.origin = fmt::format("seed={} index={} {}", g.seed, index, c.origin);
  if (index % kSchedules == 0 && c.script.empty()) judge_schedules(g, c, index, totals);
  Verdict v = judge_variant(c, g.seed ^ index * 0x9e3779b97f4a7c15ull, g.ulps);
  std::lock_guard lock(totals.mutex);
  totals.elements += v.elements;
  if (is_finding(v.kind)) report_alarm(g, c, v, index, totals.alarms++);
  if (v.kind == VerdictKind::Untrusted) ++totals.untrusted;
  else if (v.kind == VerdictKind::Skip) ++totals.skipped, ++totals.reasons[v.reason];
  else ++totals.checked;
}

void work(const Given& g, Totals& totals) {
  GenerateOptions options;
  options.policy = g.policy;
  options.calls = 1;
  for (uint64_t index; (index = totals.next++) < g.first + g.runs;) {
    try {
      judge_program(g, options, index, totals);
    } catch (const Error& e) {
      std::lock_guard lock(totals.mutex);
      totals.next = g.first + g.runs;
      if (totals.broken.empty())
        totals.broken = fmt::format("seed {} index {}: {}", g.seed, index, e.what());
    }
  }
}

int run(const Given& g) {
  if (const Policy* python = PolicyMix(g.policy).whole_python(); python)
    fail("the policy '{}' makes programs that external engines alone run; selftest has none",
         python->name);
  if (!g.out.empty()) {
    make_folders(g.out);
    guard_folder(g.out);
  }
  Totals t;
  t.next = g.first;
  auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int i = 1; i < g.jobs; ++i) threads.emplace_back([&] { work(g, t); });
  work(g, t);
  for (std::thread& thread : threads) thread.join();
  if (!t.broken.empty()) fail("{}", t.broken);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  double total = static_cast<double>(t.elements.compared + t.elements.untrusted);
  std::printf("programs checked   %lu (%lu untrusted, %lu skipped)\n", t.checked, t.untrusted,
              t.skipped);
  for (const auto& [reason, count] : t.reasons)
    std::printf("  skipped          %lu: %s\n", count, reason.c_str());
  std::printf("schedules          %lu programs whose kernels were transformed\n", t.schedules);
  std::printf("elements compared  %lu\n", t.elements.compared);
  std::printf("compared tightly   %.2f %% (relative bound under 1e-3, or exact)\n",
              t.elements.compared ? 100.0 * static_cast<double>(t.elements.tight) /
                                        static_cast<double>(t.elements.compared)
                                  : 0.0);
  std::printf("cannot tell        %.2f %%\n",
              total > 0 ? 100.0 * static_cast<double>(t.elements.untrusted) / total : 0.0);
  std::printf("false alarms       %lu\n", t.alarms);
  std::printf("seconds            %.1f (%.0f programs/s per job)\n", seconds,
              static_cast<double>(g.runs) / seconds / g.jobs);
  return t.alarms ? kFindings : kOk;
}

VERB(selftest,
     "look for false alarms: the oracles test a correct compiler that varies what it may") {
  auto g = std::make_shared<Given>();
  app.add_option("--seed", g->seed, "seed of all programs, each of which also has a number")
      ->check(kWhole);
  app.add_option("--index", g->first, "number of the first program")->check(kWhole);
  app.add_option("--runs", g->runs, "programs in all")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 62));
  app.add_option("-j,--jobs", g->jobs, "threads")->check(CLI::Range(1, 256));
  app.add_option("--ulps", g->ulps,
                 "how far functions differ from libm; above 2 the compiler is not correct any more")
      ->check(CLI::Range(0, 1 << 20));
  app.add_option("--policy", g->policy, kPolicyHelp);
  app.add_option("--out", g->out, "folder for the cases of false alarms");
  return [g]() -> int { return run(*g); };
}

}  // namespace
}  // namespace fusillade::cli
