// fusillade gen: random programs as text, or how fast they come.
#include <CLI/CLI.hpp>
#include <chrono>

#include "engine/run/plan.h"
#include "fuzz/campaign/judgement.h"
#include "fuzz/cli/engines.h"
#include "fuzz/cli/plans.h"
#include "fuzz/cli/verb.h"
#include "fuzz/cli/whole.h"
#include "fuzz/gen/generate.h"
#include "fuzz/run/foreign/engine.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/foreign/python_source.h"

namespace fusillade::cli {
namespace {

using namespace fuzz;

struct Given {
  uint64_t seed = 1, index = 0, runs = 1;
  int calls = 1;
  int max_nodes = 0;
  std::string policy, format = "case";
  std::vector<std::string> plan_words;
  std::vector<Plan> plans;
};

CampaignOptions campaign_of(const Given& g) {
  CampaignOptions campaign;
  campaign.seed = g.seed;
  campaign.plans = g.plans;
  campaign.policy = g.policy;
  campaign.calls = g.calls;
  return campaign;
}

// The first judgement of a program that a campaign over such plans meets.
Case of_campaign(const Given& g, uint64_t index) {
  Trial trial = make_trial(campaign_of(g), index);
  if (!trial.judgements.empty()) {
    trial.program.oracle = trial.judgements.front().oracle->name;
    trial.program.plans = trial.judgements.front().plans;
  }
  return std::move(trial.program);
}

Case of_generator(const Given& g, uint64_t index) {
  GenerateOptions options;
  options.policy = g.policy;
  options.calls = g.calls;
  options.max_nodes = g.max_nodes;
  Choices choices(g.seed, index);
  Case c = generate_case(choices, options);
  c.origin = fmt::format("seed={} index={} {}", g.seed, index, c.origin);
  return c;
}

int measure(const Given& g) {
  GenerateOptions options;
  options.policy = g.policy;
  options.max_nodes = g.max_nodes;
  size_t nodes = 0;
  auto start = std::chrono::steady_clock::now();
  for (uint64_t i = 0; i < g.runs; ++i) {
    Choices choices(g.seed, g.index + i);
    nodes += generate_graph(choices, options, nullptr)->node_count();
  }
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%lu programs of %.1f nodes in %.2f s: %.0f programs/s\n", g.runs,
              static_cast<double>(nodes) / static_cast<double>(g.runs), seconds,
              static_cast<double>(g.runs) / seconds);
  return kOk;
}

// Nothing, but why, of what there is no Python for.
std::string python_of(const Case& c, const std::vector<Plan>& plans) {
  try {
    const std::unique_ptr<Graph> graph = without_calls(*c.program);
    const std::string engine = plans.empty() ? "" : plans[0].engine;
    return (is_outside(engine) ? python_for(*graph, family_of(engine)) : python_source(*graph))
        .text;
  } catch (const Unsupported& e) {
    return fmt::format("# {}\n", e.what());
  }
}

// Nothing, but that, of a program that is a graph.
std::string script_of(const Case& c) {
  return c.script.empty() ? fmt::format("# a graph, no script: {}\n", c.origin) : c.script;
}

int generate(const Given& g) {
  for (uint64_t i = 0; i < g.runs; ++i) {
    Case c = g.plans.empty() ? of_generator(g, g.index + i) : of_campaign(g, g.index + i);
    std::string text = g.format == "ir"       ? print(*c.program)
                       : g.format == "script" ? script_of(c)
                       : g.format == "python" ? python_of(c, g.plans)
                                              : print(c);
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
  return kOk;
}

VERB(gen, "print random programs; --format none only measures how fast") {
  auto g = std::make_shared<Given>();
  app.add_option("--seed", g->seed, "seed of the programs, each of which also has a number")
      ->check(kWhole);
  app.add_option("--index", g->index, "number of the first program");
  app.add_option("--runs", g->runs, "programs")->check(CLI::Range(uint64_t{1}, uint64_t{1} << 40));
  CLI::Option* calls =
      app.add_option("--calls", g->calls,
                     "sets of random inputs for each program (default: 1; with --plan 4)")
          ->check(CLI::Range(0, 64));
  app.add_option("--max-nodes", g->max_nodes, "most steps of a program (0: the policy's)")
      ->check(CLI::Range(0, 1000));
  app.add_option("--policy", g->policy, kPolicyHelp);
  app.add_option("--format", g->format,
                 "case, ir, script (only a comment, if the policy makes graphs), python (as "
                 "workers get it) or none")
      ->check(CLI::IsMember({"case", "ir", "script", "python", "none"}));
  app.add_option("--plan", g->plan_words,
                 "print programs as a campaign with this plan makes them, for repro (repeats)");
  declare_engines(app);
  return [g, calls]() -> int {
    if (!g->plan_words.empty() && calls->count() == 0) g->calls = CampaignOptions().calls;
    if (!g->plan_words.empty() && g->format == "script")
      fail("--format script: with --plan, programs are graphs (case, ir or python)");
    if (!g->plan_words.empty() && g->max_nodes)
      fail("--max-nodes: with --plan, programs are as large as its campaign makes them");
    if (!g->plan_words.empty() && g->format == "none")
      fail("--format none measures the generator alone; it takes no --plan");
    if (calls->count() != 0 && g->format != "case")
      fail("--calls: --format {} prints no inputs; case does", g->format);
    g->plans = chosen_plans(g->plan_words);
    require_engines(g->plans);
    validate(campaign_of(*g));
    return g->format == "none" ? measure(*g) : generate(*g);
  };
}

}  // namespace
}  // namespace fusillade::cli
