// fusillade releases: one worker under two interpreters, which hold two releases of a compiler.
//
//   causes   one campaign over the plans of both; each finding is judged again under either
//            (fuzz/campaign/release_causes.h)
//   speed    one bench over the plans of both, and of the old one twice (A/A): its calls
//            interleaved, compiles from cold caches
//
// reports/fusillade_reports/releases.py compares the times, decides, and draws the page.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/harness/program.h"
#include "engine/base/file.h"
#include "engine/base/visible.h"
#include "engine/run/plan.h"
#include "fuzz/campaign/pending.h"
#include "fuzz/campaign/python.h"
#include "fuzz/campaign/release_causes.h"
#include "fuzz/campaign/supervisor.h"
#include "fuzz/cli/campaign_defaults.h"
#include "fuzz/cli/duration.h"
#include "fuzz/cli/engines.h"
#include "fuzz/cli/folder.h"
#include "fuzz/cli/limits.h"
#include "fuzz/cli/plans.h"
#include "fuzz/cli/verb.h"
#include "fuzz/cli/whole.h"
#include "fuzz/process/installed.h"
#include "fuzz/process/tool.h"
#include "fuzz/run/foreign/family.h"

namespace fusillade::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kOld = "old";
constexpr const char* kAgain = "again";
constexpr const char* kNew = "new";

struct ReleasesOptions {
  std::string before, after, out;
  std::vector<std::string> plans{"torch:compile"};
  std::string part = "both", gate = "all";
  fuzz::SupervisorOptions hunt;
  std::string max_time = "10m", timeout;
  int tries = 3;
  std::string filter, programs = fuzz::here_or_installed("bench/programs");
  std::vector<std::string> sizes{"small"};
  int processes = 8, iterations = 40;
  double threshold = 0.05;
};

// "torch:compile(dynamic)" of the family "new": "new:compile(dynamic)".
std::string with_family(const std::string& plan, const std::string& family) {
  return family + plan.substr(plan.find(':'));
}

// The plans' family, which the two releases are of.
fuzz::Family family_of_plans(const ReleasesOptions& o) {
  std::string name;
  for (const std::string& text : o.plans) {
    const Plan plan = read_plan(text);
    if (!plan.error.empty()) fail("--{}", plan.error);
    if (!fuzz::is_outside(plan.engine))
      fail(
          "--plan {}: it is no external engine, of which there are releases; legal: torch:compile, "
          "jax:jit, ort:all, or an engine of --engine",
          text);
    const std::string& family = fuzz::family_of(plan.engine).name;
    if (name.empty()) name = family;
    if (family != name)
      fail("--plan {}: the plans are of two compilers, '{}' and '{}'", text, name, family);
    if (fuzz::name_in_family(plan.engine) == "eager")
      fail("--plan {}: it is what the others are compared with", text);
  }
  return fuzz::family_of(read_plan(o.plans.at(0)).engine);
}

// Interpreters, and what runs in them, as the flags say it to another process.
std::vector<std::string> engine_words(const ReleasesOptions& o, const fuzz::Family& family) {
  std::vector<std::string> out;
  for (const char* name : {kOld, kAgain, kNew}) {
    out.push_back(fmt::format("{}={}", name, family.worker));
    out.push_back(fmt::format("{}={}", name, name == kNew ? o.after : o.before));
  }
  return out;
}

void declare_releases(const ReleasesOptions& o, const fuzz::Family& family) {
  for (const auto& [flag, python] : {std::pair{"--old", o.before}, std::pair{"--new", o.after}}) {
    if (access(python.c_str(), X_OK) != 0 || fs::is_directory(python))
      fail(
          "{}: '{}' is no interpreter that can be run: it names one of a virtual environment, as "
          "in venv/bin/python",
          flag, python);
  }
  const std::vector<std::string> words = engine_words(o, family);
  std::vector<std::string> engines, pythons;
  for (size_t i = 0; i < words.size(); i += 2) {
    engines.push_back(words[i]);
    pythons.push_back(words[i + 1]);
  }
  fuzz::declare_families(engines, pythons);
}

std::vector<Plan> plans_of(const ReleasesOptions& o, std::initializer_list<const char*> families) {
  std::vector<Plan> out;
  for (const std::string& plan : o.plans)
    for (const char* family : families) out.push_back(read_plan(with_family(plan, family)));
  return out;
}

// Without the family, which is "old" or "new".
json version_of(const std::string& python, const std::string& engine) {
  const std::string line = fuzz::require_outside(plan_of_engine(engine));
  const size_t colon = line.find(": ");
  return {{"python", python}, {"version", line.substr(colon == line.npos ? 0 : colon + 2)}};
}

void require_end(ReleasesOptions& o) {
  o.hunt.max_seconds = parse_duration("--max-total-time", o.max_time);
  if (o.hunt.runs == 0 && o.hunt.max_seconds == 0)
    fail("a campaign needs an end: give --max-total-time or --runs");
}

// The campaign's exit code, and the rows.
int hunt(ReleasesOptions& o, const fuzz::Family& family, json& report) {
  fuzz::SupervisorOptions& h = o.hunt;
  h.out = o.out;
  h.campaign.plans = plans_of(o, {kOld, kNew});
  h.limits.seconds = timeout_of(o.timeout, h.campaign.plans);
  h.progress = true;
  h.compares_releases = true;
  fuzz::validate(h.campaign);
  h.greeting = greeting_of(h, true);
  const int code = fuzz::run_campaign(h);
  if (code == kInterrupted || code == kUsage) return code;
  report.update(fuzz::causes_by_release(o.out, {kOld, kNew, family.name}, h.limits, o.tries));
  report["waiting"] = fuzz::cases_in(fuzz::pending_folder(o.out)).size();
  report["yield_too_low"] = code == kInconclusive;
  return code;
}

void time_both(const ReleasesOptions& o, const fuzz::Family& family) {
  fuzz::Tool bench{{"/proc/self/exe", "bench"}};  // also where the file was replaced since
  const auto add = [&](const char* flag, const std::string& value) {
    bench.words.insert(bench.words.end(), {flag, value});
  };
  const std::vector<std::string> words = engine_words(o, family);
  for (size_t i = 0; i < words.size(); i += 2) {
    add("--engine", words[i]);
    add("--engine-python", words[i + 1]);
  }
  for (const Plan& plan : plans_of(o, {kOld, kAgain, kNew})) add("--plan", plan.text);
  for (const std::string& size : o.sizes) add("--size", size);
  if (!o.filter.empty()) add("--filter", o.filter);
  add("--programs", o.programs);
  add("--processes", std::to_string(o.processes));
  add("--iterations", std::to_string(o.iterations));
  add("--out", o.out + "/bench.json");
  bench.shows = true;
  bench.also_fine = kFindings;  // of wrong outputs: rows say so
  fuzz::run_tool(bench);
}

std::string file_of(const ReleasesOptions& o) { return o.out + "/releases.json"; }

void keep(const ReleasesOptions& o, const json& report) {
  write_atomically(file_of(o), report.dump(1, ' ', true, json::error_handler_t::replace) + "\n");
}

// --out must be of these releases: findings of others would be reported as of these.
void require_same_releases(const ReleasesOptions& o, const json& report) {
  if (!o.hunt.resume || !fs::exists(file_of(o))) return;
  const json kept = json::parse(read_text_file(file_of(o)), nullptr, false);
  for (const char* side : {kOld, kNew}) {
    const json::json_pointer at(fmt::format("/{}/version", side));
    const std::string before = kept.is_object() ? kept.value(at, "") : "";
    const std::string& now = report.at(at).get_ref<const std::string&>();
    if (before != now)
      fail("--resume: --{} is {}, and {} is of {}; give the same interpreters, or another --out",
           side, now, o.out, before.empty() ? "an unknown one" : before);
  }
}

int run_releases(ReleasesOptions& o) {
  const fuzz::Family family = family_of_plans(o);
  if (o.part != "causes") bench::load_programs(o.programs, o.filter, bench::sizes_named(o.sizes));
  if (o.part != "speed") require_end(o);
  declare_releases(o, family);
  make_folders(o.out);
  guard_folder(o.out);
  const std::vector<Plan> plans = plans_of(o, {kOld, kNew});
  require_engines(plans);
  json report = {{"schema", 1},
                 {"family", family.name},
                 {"plans", o.plans},
                 {"old", version_of(o.before, plans[0].engine)},
                 {"new", version_of(o.after, plans[1].engine)},
                 {"causes", nullptr},
                 {"waiting", 0},
                 {"unread", 0},
                 {"yield_too_low", false},
                 {"counters", nullptr},
                 {"exit_code", nullptr}};
  require_same_releases(o, report);
  keep(o, report);
  if (o.part != "speed") {
    const int code = hunt(o, family, report);
    if (code == kInterrupted) print_resume_hint(o.hunt);
    if (code == kInterrupted || code == kUsage) return code;
  }
  keep(o, report);
  if (o.part != "causes") time_both(o, family);
  return fuzz::ask_report(
      {"releases", o.out, "--gate", o.gate, "--threshold", fmt::format("{}", o.threshold)});
}

void add_hunt(CLI::App& app, ReleasesOptions& o) {
  app.add_option("--max-total-time", o.max_time, "time of the campaign: seconds, or 90s, 10m, 2h")
      ->capture_default_str();
  app.add_option("--runs", o.hunt.runs, "programs of the campaign in all (0: no limit)")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 62))
      ->capture_default_str();
  app.add_option("--seed", o.hunt.campaign.seed,
                 "seed of all programs, each of which also has a number")
      ->check(kWhole)
      ->capture_default_str();
  app.add_option("-j,--jobs", o.hunt.jobs, "worker processes (default: one for each core)")
      ->check(CLI::Range(1, 256));
  app.add_option("--policy", o.hunt.campaign.policy, kPolicyHelp);
  app.add_option("--min-yield", o.hunt.min_yield,
                 "exit code 3 if a smaller share of judgements compares something")
      ->capture_default_str();
  app.add_option("--timeout", o.timeout, kTimeoutHelp);
  app.add_option("--tries", o.tries, "judgements of each cause under each release")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_flag("--resume", o.hunt.resume,
               "go on with the campaign in --out; times are measured again");
}

void add_speed(CLI::App& app, ReleasesOptions& o) {
  app.add_option("--filter", o.filter, "regular expression on names of the programs to time");
  app.add_option("--size", o.sizes,
                 "sizes of the programs to time: small, medium or large (repeats)")
      ->check(CLI::IsMember({"small", "medium", "large"}))
      ->capture_default_str();
  app.add_option("--programs", o.programs, "folder of programs to time")->capture_default_str();
  app.add_option("--processes", o.processes, "fresh processes, each with both releases")
      ->check(CLI::Range(3, 1000))
      ->capture_default_str();
  app.add_option("--iterations", o.iterations, "timed rounds per process")
      ->check(CLI::Range(20, 100000))
      ->capture_default_str();
  app.add_option("--threshold", o.threshold, "least change of a time that counts: 0.05 is 5 %")
      ->check(CLI::Range(0.0, 10.0))
      ->capture_default_str();
}

VERB(releases,
     "compare two releases of a compiler: which causes are new or fixed, what became slower") {
  auto o = std::make_shared<ReleasesOptions>();
  app.add_option("--old", o->before, "interpreter that has the old release")->required();
  app.add_option("--new", o->after, "interpreter that has the new one")->required();
  app.add_option("--out", o->out, "folder for campaign, bench.json, releases.json and the page")
      ->required();
  app.add_option("--plan", o->plans, "plan of the compiler (repeats)")->capture_default_str();
  app.add_option("--part", o->part, "what to compare: causes, speed or both")
      ->check(CLI::IsMember({"causes", "speed", "both"}))
      ->capture_default_str();
  app.add_option("--gate", o->gate,
                 "exit code 2 for: causes that are new; times that became slower; all; none")
      ->check(CLI::IsMember({"all", "causes", "times", "none"}))
      ->capture_default_str();
  add_hunt(app, *o);
  add_speed(app, *o);
  declare_engines(app, {o, &o->after});  // only to ask what engines there are
  return [o, &app] {
    if (!app.count("--jobs")) o->hunt.jobs = default_jobs();
    return run_releases(*o);
  };
}

}  // namespace
}  // namespace fusillade::cli
