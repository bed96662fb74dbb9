// fusillade fuzz: a campaign.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "engine/base/text.h"
#include "fuzz/campaign/folder.h"
#include "fuzz/campaign/supervisor.h"
#include "fuzz/campaign/yield_mix.h"
#include "fuzz/case/against.h"
#include "fuzz/cli/campaign_defaults.h"
#include "fuzz/cli/duration.h"
#include "fuzz/cli/engines.h"
#include "fuzz/cli/given_file.h"
#include "fuzz/cli/limits.h"
#include "fuzz/cli/plans.h"
#include "fuzz/cli/verb.h"
#include "fuzz/cli/version.h"
#include "fuzz/cli/whole.h"
#include "fuzz/process/stop_signals.h"
#include "fuzz/run/commit.h"
#include "fuzz/run/other_build.h"

namespace fusillade::cli {
namespace {

const CLI::Validator kSeed(
    [](std::string& text) { return text == kSeedOfDay ? std::string() : kWhole(text); }, "");

// What --against names: a program, or a commit, which is built.
std::string other_build(const std::string& given, const std::string& builds) {
  namespace fs = std::filesystem;
  const fs::path path = fs::absolute(given);
  if (fs::exists(path) && !fs::is_directory(path)) return path;
  std::string why;
  try {
    fuzz::find_commit(given);
  } catch (const Error& e) {
    why = e.what();
  }
  if (why.empty()) return fuzz::build_commit(given, builds).binary;
  if (fs::exists(path)) fail("{} is no program but a folder; {}", path.string(), why);
  fail("there is no other build at {}; {}", path.string(), why);
}

void set_other_build(fuzz::CampaignOptions& campaign, const std::string& builds) {
  campaign.against = other_build(campaign.against, builds);
  fuzz::OtherBuild other(campaign.against);
  other.require();
  fuzz::OtherBuild::trust(campaign.against);
  other.stop();
  std::vector<std::string>& oracles = campaign.oracles;
  if (std::find(oracles.begin(), oracles.end(), fuzz::kAgainst) == oracles.end())
    oracles.emplace_back(fuzz::kAgainst);
}

struct FuzzOptions {
  fuzz::SupervisorOptions campaign;
  std::vector<std::string> plans;
  std::string seed = "1", mode, max_time, timeout, known, seeds, shard, yield;
  std::string builds = fuzz::kBuilds;
};

int run_fuzz(const CLI::App& app, FuzzOptions& g) {
  fuzz::SupervisorOptions& o = g.campaign;
  o.campaign.plans = chosen_plans(g.plans);
  o.max_seconds = g.max_time.empty() ? 0 : parse_duration("--max-total-time", g.max_time);
  if (!g.mode.empty()) apply_mode(app, g.mode, o);
  if (!g.yield.empty()) o.campaign.policy = fuzz::mix_by_yield_of(g.yield);
  const bool seed_given = app.count("--seed") > 0;
  if (seed_given) o.campaign.seed = std::stoull(g.seed == kSeedOfDay ? seed_of_today() : g.seed);
  if (!app.count("--jobs")) o.jobs = default_jobs();
  if (app.count("--shard")) o.shard = fuzz::parse_shard(g.shard);
  o.build = kVersionText;
  keep_identity(o, seed_given && g.seed != kSeedOfDay, app.count("--jobs") > 0);
  o.limits.seconds = timeout_of(g.timeout, o.campaign.plans);
  require_engines(o.campaign.plans);
  if (!g.known.empty()) o.known = fuzz::read_known(g.known);
  o.progress = true;
  if (!(o.min_yield >= 0 && o.min_yield <= 1))
    fail("--min-yield: {} is not in [0, 1]", o.min_yield);
  if (o.limits.seconds <= 0) fail("--timeout: a program needs some time");
  if (o.resume) fuzz::require_resumable(o.out);
  if (o.runs == 0 && o.max_seconds == 0 && !goes_on_with_merge(o)) {
    fail("a campaign needs an end: give --max-total-time, --runs or --mode");
  }
  if (o.campaign.against.empty() && app.count("--builds"))
    fail("--builds is of --against COMMIT: nothing is built without");
  if (!o.campaign.against.empty()) set_other_build(o.campaign, g.builds);
  fuzz::validate(o.campaign);
  if (!g.seeds.empty()) o.campaign.given = seeds_of(g.seeds, o.limits);
  o.greeting = greeting_of(o, seed_given || !g.mode.empty());
  const int code = fuzz::run_campaign(o);
  if (code == kInterrupted) print_resume_hint(o);
  // What shards found is `merge`'s to say: to whoever schedules them, a shard that ran is well.
  const bool ran = code == kFindings || code == kInconclusive;
  return o.shard && ran ? static_cast<int>(kOk) : code;
}

VERB(fuzz, "run a campaign: random programs, judged by the oracles") {
  auto g = std::make_shared<FuzzOptions>();
  fuzz::SupervisorOptions& o = g->campaign;
  app.add_option("--out", o.out, "folder for findings, database and reports")->required();
  app.add_option("--mode", g->mode, "defaults for CI; other flags override them. " + modes_text())
      ->type_name("TEXT:{" + join(mode_names(), ",") + "}");
  app.add_option("--seed", g->seed,
                 "seed of all programs, each of which also has a number; `date`: the day's, as "
                 "20270131, UTC")
      ->capture_default_str()
      ->check(kSeed);
  app.add_option(
         "--shard", g->shard,
         "I/N: only programs I, I + N, I + 2N and so on; slurm, slurm/N, kubernetes/N: I from the "
         "scheduler. Exit code 0 whatever is found; `merge` joins the folders")
      ->type_name("I/N");
  app.add_option("--runs", o.runs, "programs in all, also those of other shards (0: no limit)")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 62));
  app.add_option(
      "--max-total-time", g->max_time,
      "limit of the time of all starts together: seconds, or 90s, 10m, 2h (0: no limit)");
  app.add_option("--max-findings", o.max_findings,
                 "stop after that many new findings (0: no limit)");
  app.add_option("-j,--jobs", o.jobs, "worker processes (default: one for each core)")
      ->check(CLI::Range(1, 256));
  app.add_option("--plan", g->plans,
                 "plan to test (repeats; =-PLAN removes one from the default set)");
  app.add_option("--oracle", o.campaign.oracles, "oracle to use (repeats; default: all)");
  app.add_option("--against", o.campaign.against,
                 "another build's fusillade, or a commit to build: a program that costs more in "
                 "this build is a finding; --oracle adds oracles (default: only `against`)");
  app.add_option("--builds", g->builds,
                 "with --against COMMIT: folder that keeps the builds (default: build/commits)");
  app.add_option("--policy", o.campaign.policy, kPolicyHelp);
  app.add_option("--yield", g->yield,
                 "folder of an earlier campaign: policies are drawn by what each found there "
                 "(the greeting says the --policy that this comes to)")
      ->excludes("--policy");
  app.add_option(
      "--seeds", g->seeds,
      "folder of programs (.py, .ir, .case, .pt, .pt2, .onnx); half of the campaign's programs are "
      "mutants of them");
  app.add_option("--corpus", o.campaign.corpus,
                 "folder of cases that campaigns share: cases that reach something new are added, "
                 "and its cases are judged again (docs/how/corpus.md)");
  app.add_option("--calls", o.campaign.calls, "sets of random inputs for each program")
      ->check(CLI::Range(1, 64));
  app.add_option("--timeout", g->timeout, kTimeoutHelp);
  app.add_option("--rss-limit-mb", o.limits.megabytes,
                 "limit for each worker; more memory is a finding");
  app.add_option("--min-yield", o.min_yield,
                 "exit code 3 if a smaller share of judgements compares something")
      ->capture_default_str();
  app.add_option("--known", g->known,
                 "mute list: causes that do not count, with a reason, an owner and a last day");
  declare_engines(app);
  app.add_flag("--resume", o.resume, "continue the campaign in --out");
  app.preparse_callback([](size_t) { fuzz::end_on_stop_signals(); });  // flags start engines
  return [g, &app] { return run_fuzz(app, *g); };
}

}  // namespace
}  // namespace fusillade::cli
