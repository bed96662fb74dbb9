// fusillade recheck FOLDER: a campaign's findings, judged again on this build.
#include "fuzz/campaign/recheck.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "engine/base/error.h"
#include "fuzz/case/against.h"
#include "fuzz/cli/campaign_defaults.h"
#include "fuzz/cli/duration.h"
#include "fuzz/cli/engines.h"
#include "fuzz/cli/limits.h"
#include "fuzz/cli/load_case.h"
#include "fuzz/cli/verb.h"
#include "fuzz/cli/version.h"
#include "fuzz/process/room.h"

namespace fusillade::cli {
namespace {

struct Options {
  fuzz::RecheckOptions recheck;
  std::string max_time, timeout, known, against;
  double min_yield = 0.5;
  size_t megabytes = 2048;
};

int run_recheck(const CLI::App& app, Options& g) {
  fuzz::RecheckOptions& o = g.recheck;
  o.build = kVersionText;
  o.max_seconds = g.max_time.empty() ? 0 : parse_duration("--max-total-time", g.max_time);
  if (!app.count("--jobs")) o.jobs = default_jobs();
  if (!g.known.empty()) o.known = fuzz::read_known(g.known);
  if (!(g.min_yield >= 0 && g.min_yield <= 1))
    fail("--min-yield: {} is not in [0, 1]", g.min_yield);
  if (app.count("--min-yield")) o.min_yield = g.min_yield;
  timeout_of(g.timeout, {});
  fuzz::require_room({0, g.megabytes});
  o.load = [&g](const std::string& file) {
    fuzz::Case c = fuzz::read_case(file);
    const bool other = c.oracle == fuzz::kAgainst;
    return load_case(file, "", other ? g.against : "");
  };
  o.limits = [&g](const fuzz::Case& c) {
    return fuzz::Limits{timeout_of(g.timeout, c.plans), g.megabytes};
  };
  return fuzz::recheck_campaign(o);
}

VERB(recheck, "judge a campaign's findings again on this build: close, or reopen, each") {
  auto g = std::make_shared<Options>();
  app.add_option("folder", g->recheck.out, "the campaign's folder")->required();
  app.add_option(
      "--max-total-time", g->max_time,
      "seconds, or 90s, 10m, 2h, after which no further finding is judged (0: no limit)");
  app.add_option("--times", g->recheck.times,
                 "how often a finding is run before it is closed (at least 20 times if it failed "
                 "only in some runs)")
      ->check(CLI::Range(1, 10000));
  app.add_option("-j,--jobs", g->recheck.jobs,
                 "findings judged at a time (default: one for each core)")
      ->check(CLI::Range(1, 256));
  app.add_option("--known", g->known,
                 "mute list: causes that do not count, with a reason, an owner and a last day");
  app.add_option("--min-yield", g->min_yield,
                 "exit code 3 if a smaller share of judgements compares something (default: as the "
                 "campaign had it)");
  app.add_option("--timeout", g->timeout, kTimeoutHelp);
  app.add_option("--rss-limit-mb", g->megabytes,
                 "limit for each judgement; more is the verdict memory");
  app.add_option("--against", g->against,
                 "the other build that findings of `fuzz --against` are about");
  declare_engines(app);
  return [g, &app] { return run_recheck(app, *g); };
}

}  // namespace
}  // namespace fusillade::cli
