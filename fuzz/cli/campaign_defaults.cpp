// See campaign_defaults.h.
#include "fuzz/cli/campaign_defaults.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "engine/base/file.h"
#include "engine/base/shell.h"
#include "engine/base/text.h"
#include "engine/base/visible.h"
#include "fuzz/campaign/folder.h"
#include "fuzz/campaign/store.h"

namespace fusillade::cli {
namespace {

constexpr int kMostJobs = 256;

// The cores that a container's share comes to, rounded up; 0: it has no limit.
int cores_of_container() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  double quota = 0, period = 0;  // "max 100000" is no number
  if (!(file >> quota >> period) || period <= 0) return 0;
  return static_cast<int>(std::ceil(quota / period));
}

std::string limits_text(uint64_t runs, double seconds) {
  std::string out;
  if (runs) out = fmt::format("{} programs", runs);
  if (seconds > 0) out += fmt::format("{}{:g} s", out.empty() ? "" : " or ", seconds);
  return out;
}

// The words of this process, as a shell reads them; --seed and --resume left out.
std::string command_without_seed() {
  std::istringstream words(read_text_file("/proc/self/cmdline"));
  std::string out;
  bool skip = false;
  for (std::string word; std::getline(words, word, '\0');) {
    const std::string flag = word.substr(0, word.find('='));
    const bool is_seed = flag == "--seed" || flag == "-seed";
    if (!skip && !is_seed && flag != "--resume" && !word.empty())
      out += (out.empty() ? "" : " ") + shell_word(word);
    skip = is_seed && word.find('=') == std::string::npos;
  }
  return out;
}

}  // namespace

const std::vector<Mode>& modes() {
  static const std::vector<Mode> out{
      {"pr", false, 2000, 600, 5, false, false},
      {"nightly", true, 0, 7200, 0, true, false},
      {"regress", false, 500, 600, 5, false, true},
  };
  return out;
}

std::vector<std::string> mode_names() {
  std::vector<std::string> out;
  for (const Mode& m : modes()) out.emplace_back(m.name);
  return out;
}

std::string modes_text() {
  std::vector<std::string> out;
  for (const Mode& m : modes()) {
    std::string text = fmt::format("{}: seed {}, {}", m.name, m.date ? "date" : "1",
                                   limits_text(m.runs, m.seconds));
    if (m.max_findings) text += fmt::format(", {} findings", m.max_findings);
    if (m.resumes) text += ", resumes the campaign in --out";
    if (m.needs_seeds) text += ", half of them mutants of --seeds";
    out.push_back(std::move(text));
  }
  return join(out, "; ");
}

void apply_mode(const CLI::App& app, const std::string& name, fuzz::SupervisorOptions& o) {
  const auto mode = std::ranges::find_if(modes(), [&](const Mode& m) { return name == m.name; });
  if (mode == modes().end()) {
    fail("--mode: there is no '{}'{} (legal: {})", name, near_misses(name, mode_names()),
         join(mode_names(), ", "));
  }
  if (mode->needs_seeds && !app.count("--seeds"))
    fail("--mode {}: give the folder of saved cases with --seeds", name);
  if (!app.count("--seed") && mode->date) o.campaign.seed = std::stoull(seed_of_today());
  const bool limited = app.count("--runs") || app.count("--max-total-time");
  if (!limited) o.runs = mode->runs;
  if (!limited) o.max_seconds = mode->seconds;
  if (!app.count("--max-findings")) o.max_findings = mode->max_findings;
  const bool there = std::filesystem::exists(o.out + "/" + fuzz::kDatabase);
  o.resume = o.resume || (mode->resumes && there);
}

std::string seed_of_today() {
  const std::time_t now = std::time(nullptr);
  std::tm day{};
  gmtime_r(&now, &day);
  return fmt::format("{:04}{:02}{:02}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

int default_jobs() {
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int share = cores_of_container();
  return std::min({cores, share > 0 ? share : cores, kMostJobs});
}

void keep_identity(fuzz::SupervisorOptions& o, bool seed_given, bool jobs_given) {
  const std::string database = o.out + "/" + fuzz::kDatabase;
  std::error_code none;
  if (!o.resume || std::filesystem::file_size(database, none) == 0 || none) return;
  using nlohmann::json;
  const fuzz::Store store(o.out);
  const json began = json::parse(store.meta("identity"), nullptr, false);
  if (!began.is_object()) return;
  const std::string jobs = store.meta("jobs");  // an older version's are with the identity
  if (!seed_given) o.campaign.seed = began.value("seed", o.campaign.seed);
  const std::string shard = store.meta("shard");
  if (!o.shard && !shard.empty() && shard != fuzz::Shard{}.text())
    o.shard = fuzz::parse_shard(shard);
  if (!jobs_given)
    o.jobs = jobs.empty() ? began.value("jobs", o.jobs)
                          : std::clamp(std::atoi(jobs.c_str()), 1, kMostJobs);
}

bool goes_on_with_merge(const fuzz::SupervisorOptions& o) {
  std::error_code none;
  const bool there = std::filesystem::file_size(o.out + "/" + fuzz::kDatabase, none) > 0 && !none;
  return o.resume && there && !fuzz::Store(o.out).meta(fuzz::kMerged).empty();
}

std::string greeting_of(const fuzz::SupervisorOptions& o, bool seed_given) {
  const std::string ends = limits_text(o.runs, o.max_seconds);
  const std::string shard = o.shard ? ", shard " + o.shard->text() : "";
  const bool mixed = o.campaign.policy.find('=') != std::string::npos;
  const std::string policy = mixed ? ", policy " + o.campaign.policy : "";
  return fmt::format("fusillade: seed {}{}{}{}, {} job{}, {}{}, in {}\n", o.campaign.seed,
                     seed_given || o.resume ? "" : " (the default; --seed date: another each day)",
                     policy, shard, o.jobs, o.jobs == 1 ? "" : "s", ends.empty() ? "" : "at most ",
                     ends, visible_line(o.out));
}

void print_resume_hint(const fuzz::SupervisorOptions& o) {
  std::fprintf(stderr,
               "fusillade: interrupted; what was found is in %s. To go on:\n  %s --resume\n",
               visible_line(o.out).c_str(), visible_line(command_without_seed()).c_str());
}

}  // namespace fusillade::cli
