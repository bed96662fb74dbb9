// fusillade compare: two runs of bench, two commits built and measured by turns, or such a pair
// from each of several machines. The statistics are in reports/ (fusillade_reports/compare.py,
// machines).
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/harness/blame.h"
#include "bench/harness/commits.h"
#include "bench/harness/measure.h"
#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/base/visible.h"
#include "fuzz/campaign/python.h"
#include "fuzz/cli/folder.h"
#include "fuzz/cli/verb.h"
#include "fuzz/process/installed.h"
#include "fuzz/run/commit.h"

namespace fusillade::cli {
namespace {

using nlohmann::json;

struct CompareOptions {
  std::string before;
  std::string after;
  std::string out;
  std::string history;
  std::string gate = "steady";
  double threshold = 0.02;
  double alpha = 0.01;
  bool allow_missing = false;
  bool commits = false;
  bool bisect = false;
  std::vector<std::string> machines;
  // Of commits alone:
  bool instructions = false;
  int processes = 10;
  int iterations = 40;
  std::string builds = fuzz::kBuilds;
  std::string programs = fuzz::here_or_installed("bench/programs");
  std::string filter;
  std::vector<std::string> plans;
  std::vector<std::string> sizes;
  std::vector<std::string> given;  // those of them that were given
};

// `what`: old and new, or machines.
int ask(const CompareOptions& o, const std::vector<std::string>& what, const std::string& again) {
  std::vector<std::string> words{"compare"};
  words.insert(words.end(), what.begin(), what.end());
  words.insert(words.end(), {"--gate", o.gate});
  words.insert(words.end(), {"--threshold", fmt::format("{}", o.threshold)});
  words.insert(words.end(), {"--alpha", fmt::format("{}", o.alpha)});
  if (!o.history.empty()) words.insert(words.end(), {"--history", o.history});
  if (o.allow_missing) words.emplace_back("--allow-missing");
  if (!again.empty()) words.insert(words.end(), {"--again", again});
  if (!o.out.empty()) words.insert(words.end(), {"--out", o.out});
  return fuzz::ask_report(words);
}

bool is_gated(const std::string& metric, const std::string& gate) {
  if (gate == "instructions") return metric.ends_with("instructions");
  return gate == "times" ? metric == "steady" || metric == "compile" : metric == gate;
}

// Puts the blame of each regression into compare.json, draws the page anew, and prints.
void blame_regressions(const CompareOptions& o, const fuzz::CommitBuild& before,
                       const fuzz::CommitBuild& after, std::vector<bench::Program> programs,
                       const std::vector<std::string>& words) {
  const std::string path = o.out + "/compare.json";
  json compared = json::parse(read_text_file(path));
  bench::Blamer blamer(before, after, std::move(programs), words, o.out + "/parts");
  for (json& row : compared["rows"]) {
    const std::string metric = row["metric"];
    const std::string plan = row["plan"];
    if (row["verdict"] != json("slower") || !is_gated(metric, o.gate)) continue;
    const std::string cause = blamer.blame({row["program"], plan, metric.starts_with("compile")});
    row["blame"] = cause;
    fmt::print("{}, {}: {}\n", visible_line(row["name"].get<std::string>()), metric,
               visible_line(cause));
  }
  write_atomically(path, compared.dump(1, ' ', true) + "\n");
  const std::string problem = fuzz::run_report({"page", o.out, o.history});
  if (!problem.empty()) fail("{}", problem);
}

// What is asked for, before anything is built: programs that are there, plans, commits.
std::vector<bench::Program> check_and_load(const CompareOptions& o) {
  fuzz::find_commit(o.before);
  fuzz::find_commit(o.after);
  const std::vector<Plan> plans = parse_plans(o.plans);
  for (const Plan& plan : plans) check_device(plan);
  bench::refuse_twice(plans);
  using enum bench::Size;
  return bench::load_programs(
      o.programs, o.filter,
      o.sizes.empty() ? std::vector<bench::Size>{Small, Medium} : bench::sizes_named(o.sizes));
}

int compare_commits(const CompareOptions& o) {
  if (o.bisect && o.gate == "memory")
    fail(
        "--bisect counts instructions, so it takes the gates steady, compile, times and "
        "instructions");
  if (o.out.empty()) fail("--commits needs --out FOLDER for what it measures");
  std::vector<bench::Program> loaded = check_and_load(o);
  const fuzz::CommitBuild before = fuzz::build_commit(o.before, o.builds);
  const fuzz::CommitBuild after = fuzz::build_commit(o.after, o.builds);
  std::vector<std::string> programs{"--programs", o.programs};
  for (const std::string& size : o.sizes) programs.insert(programs.end(), {"--size", size});
  std::vector<std::string> words = programs;
  words.insert(words.end(), {"--iterations", std::to_string(o.iterations)});
  if (!o.filter.empty()) words.insert(words.end(), {"--filter", o.filter});
  for (const std::string& plan : o.plans) words.insert(words.end(), {"--plan", plan});
  std::vector<std::string> first;
  if (o.instructions || o.gate == "instructions") first.push_back("--instructions");
  bench::measure_interleaved(before, after, o.processes, words, first, o.out);
  const int status = ask(o, {o.out + "/old.json", o.out + "/new.json"}, o.out + "/again.json");
  if (o.bisect && status == kFindings)
    blame_regressions(o, before, after, std::move(loaded), programs);
  return status;
}

// What is compared are two runs, or folders of machines.
void require_sides(const CompareOptions& o) {
  if (o.machines.empty()) {
    if (o.after.empty())
      fail("{} is required: a bench.json or a folder that holds one (see fusillade compare --help)",
           o.before.empty() ? "old" : "new");
    return;
  }
  if (!o.before.empty())
    fail("'{}': --machines takes the folders, and there is no old and new beside", o.before);
  if (o.commits) fail("--commits measures on this machine; --machines joins what is measured");
}

// The folder of the results: created, and removed again where nothing was written.
class OutFolder {
 public:
  explicit OutFolder(std::string path)
      : path_(std::move(path)), created_(!path_.empty() && access(path_.c_str(), F_OK) != 0) {
    if (path_.empty()) return;
    make_folders(path_);
    guard_folder(path_);
  }
  ~OutFolder() {
    if (created_) rmdir(path_.c_str());
  }
  OutFolder(const OutFolder&) = delete;
  OutFolder& operator=(const OutFolder&) = delete;

 private:
  std::string path_;
  bool created_;
};

int run_compare(const CompareOptions& o) {
  require_sides(o);
  const OutFolder out(o.out);
  if (o.commits) return compare_commits(o);
  if (!o.given.empty()) fail("{} needs --commits: it is about what is measured", o.given[0]);
  if (o.machines.empty()) return ask(o, {o.before, o.after}, "");
  std::vector<std::string> words{"--machines"};
  for (const std::string& folder : o.machines) words.push_back(folder);
  return ask(o, words, "");
}

// Flags that mean nothing where the runs are there already. A variable of the same name may be set
// for other verbs of a job.
void add_measuring(CLI::App& app, const std::shared_ptr<CompareOptions>& o) {
  const auto mark = [o](const char* name) {
    return [o, name](const std::string&) {
      if (is_on_command_line(name)) o->given.emplace_back(name);
    };
  };
  app.add_flag("--bisect", o->bisect, "with --commits: name the pass behind each gated regression")
      ->each(mark("--bisect"));
  app.add_flag("--instructions", o->instructions, "with --commits: also count instructions")
      ->each(mark("--instructions"));
  app.add_option("--processes", o->processes,
                 "with --commits: rounds, each with a process of each build")
      ->check(CLI::Range(1, 1000))
      ->each(mark("--processes"));
  app.add_option("--iterations", o->iterations, "with --commits: timed rounds in each process")
      ->check(CLI::Range(20, 100000))
      ->each(mark("--iterations"));
  app.add_option("--builds", o->builds, "with --commits: folder that keeps the builds")
      ->each(mark("--builds"));
  app.add_option("--programs", o->programs, "with --commits: folder of programs, the same for both")
      ->each(mark("--programs"));
  app.add_option("--filter", o->filter,
                 "with --commits: regular expression on program names (default: all)")
      ->each(mark("--filter"));
  app.add_option("--plan", o->plans, "with --commits: plan to time (repeats; default: as in bench)")
      ->each(mark("--plan"));
  app.add_option("--size", o->sizes,
                 "with --commits: sizes of the programs (repeats; default: as in bench)")
      ->check(CLI::IsMember({"small", "medium", "large"}))
      ->each(mark("--size"));
}

VERB(compare, "compare two runs of bench or two commits: what changed, and how sure that is") {
  auto o = std::make_shared<CompareOptions>();
  app.add_option("old", o->before,
                 "the older run: bench.json, or a folder that holds one; a commit");
  app.add_option("new", o->after, "the newer run, or commit");
  app.add_option("--machines", o->machines,
                 "instead of old and new: folders, each with old and new of one machine, as "
                 "--commits leaves them")
      ->expected(1, 1 << 20);
  app.add_option("--out", o->out, "folder for compare.json, and its page, summary.md and JUnit");
  app.add_option("--gate", o->gate,
                 "exit code 2 if this regresses, or if a timing of the old run is missing, failed "
                 "or wrong: steady, compile, times (both), instructions, memory, none")
      ->check(CLI::IsMember({"steady", "compile", "times", "instructions", "memory", "none"}));
  app.add_option("--threshold", o->threshold, "smallest change that counts: 0.02 is two per cent")
      ->check(CLI::Range(0.0, 10.0));
  app.add_option("--history", o->history,
                 "a file of `history add`: each timing's threshold comes from its own history, if "
                 "that is long enough");
  app.add_option("--alpha", o->alpha, "chance of a verdict faster or slower if nothing changed")
      ->check(CLI::Range(1e-6, 0.5));
  app.add_flag("--allow-missing", o->allow_missing,
               "programs and plans that the new run lacks fail no gate");
  app.add_flag("--commits", o->commits,
               "old and new are commits: build both, measure interleaved, compare");
  add_measuring(app, o);
  return [o] { return run_compare(*o); };
}

}  // namespace
}  // namespace fusillade::cli
