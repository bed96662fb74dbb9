// See merge.h.
#include "fuzz/campaign/merge.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/durable.h"
#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/lack.h"
#include "engine/base/visible.h"
#include "fuzz/campaign/folder.h"
#include "fuzz/campaign/observation.h"
#include "fuzz/campaign/outputs.h"
#include "fuzz/campaign/pending.h"
#include "fuzz/campaign/union.h"
#include "fuzz/triage/finding.h"

namespace fusillade::fuzz {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kMark = "merged.txt";
constexpr const char* kMarkText =
    "fusillade merge wrote this folder, and replaces it whole when it merges into it.\n";
// What merges and campaigns write; all else in a folder is its user's.
constexpr const char* kOwn[] = {"campaign.db",  "campaign.json", "campaign.lock",
                                "campaign.png", "findings",      "folded",
                                kMark,          "pending",       "summary.md"};

// What triage and merges write of a finding.
constexpr const char* kOfFindings[] = {"finding.json", "README.md", "reduced.case", "original.case",
                                       "repro.sh",     "script.py", "joined.txt"};

bool is_there(const std::string& path) {
  std::error_code none;
  return fs::symlink_status(path, none).type() != fs::file_type::not_found;
}

bool is_empty_folder(const std::string& path) {
  std::error_code none;
  return fs::is_directory(path, none) && fs::is_empty(path, none);
}

// A folder that a merge wrote, and that nobody needs; the mark goes last.
void remove_marked(const std::string& folder) {
  std::vector<fs::path> inside;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename() != kMark) inside.push_back(entry.path());
  for (const fs::path& path : inside) fs::remove_all(path);
  fs::remove(folder + "/" + kMark);
  fs::remove(folder);
}

class Merge {
 public:
  explicit Merge(const MergeOptions& options)
      : options_(options), out_(real(options.out)), staging_(out_ + ".merging") {}

  int run();

 private:
  static std::string real(std::string path);
  void begin();
  int make();
  void read_all();
  void read(const std::string& folder);
  void read_shard(const std::string& folder);
  void copy_findings();
  void copy_pending();
  void write_findings(const MergedRows& rows);
  int write(const MergedRows& rows);
  void keep_what_is_users();
  void take_place();
  void report() const;

  const MergeOptions& options_;
  std::string out_;
  std::string staging_;  // where it is written
  std::vector<Handed> handed_;
  Union all_;
  std::map<std::string, std::string> representatives_;
  std::vector<std::string> not_started_;  // why folders were passed over
};

// As it is called without links, so that renaming moves the folder and not a link to it.
std::string Merge::real(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  std::error_code error;
  fs::path at = fs::weakly_canonical(fs::absolute(path), error);
  if (error) fail("cannot write {}: {}", path, error.message());
  return at;
}

// Locks the staging folder next to the target, and empties it except for the mark. One that exists
// was left by a killed merge, or is not ours to write into.
void Merge::begin() {
  for (const std::string& folder : options_.folders)
    if (out_.starts_with(real(folder) + "/"))
      fail("{} lies in {}, which is merged: give a folder beside it", options_.out, folder);
  const std::string before = out_ + ".before";
  if (!is_there(out_) && is_there(before + "/" + kMark)) rename_for_good(before, out_);
  if (is_there(out_) && !fs::is_directory(out_)) fail("{} is no folder", out_);
  const bool ours = !is_there(staging_) || is_empty_folder(staging_) ||
                    (is_there(staging_ + "/" + kMark) && !fs::is_symlink(staging_)) ||
                    (!fs::is_symlink(staging_) && fs::is_directory(staging_) &&
                     std::ranges::all_of(fs::directory_iterator(staging_), [](const auto& entry) {
                       const std::string name = entry.path().filename();
                       return name == "campaign.lock" || name == std::string(kMark) + ".part";
                     }));
  if (!ours) fail("{} is in the way: a merge is written there first, and it holds files", staging_);
  lock_folder(staging_);
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(staging_)) {
    const fs::path name = entry.path().filename();
    if (name != kMark && name != "campaign.lock") left.push_back(entry.path());
  }
  write_atomically(staging_ + "/" + kMark, kMarkText);
  for (const fs::path& path : left) fs::remove_all(path);
  for (const char* folder : {"/findings", "/folded", "/pending", "/reading"})
    make_folder(staging_ + folder);
}

void Merge::read(const std::string& folder) {
  handed_.push_back(read_handed(folder, staging_ + "/reading"));
  all_.add(handed_.back());
}

// One that was stopped before it began is as one that is not there.
void Merge::read_shard(const std::string& folder) {
  try {
    read(folder);
  } catch (const NotStarted& e) {
    not_started_.push_back(e.what());
  }
}

void Merge::read_all() {
  const bool goes_on = is_there(out_ + "/" + kDatabase);
  if (!goes_on && is_there(out_) && !is_empty_folder(out_))
    fail("{} holds files and no merge: give a folder that is new, empty or a merge", out_);
  if (goes_on) {
    read(out_);
    if (!handed_.back().merged)
      fail(
          "{} holds a campaign, not a merge: give another folder for the merge, and this one "
          "after it",
          out_);
  }
  std::set<std::string> met = {out_};
  for (const std::string& folder : options_.folders) {
    const std::string path = real(folder);
    if (met.insert(path).second) read_shard(path);
    else if (path == out_ && !goes_on) fail("{} is both the merge and merged", folder);
  }
  if (handed_.empty()) fail("{}", not_started_[0]);
  for (const std::string& why : not_started_)
    std::fprintf(stderr, "fusillade: %s: merged without it\n", visible_line(why).c_str());
  representatives_ = all_.representatives();
}

void Merge::copy_findings() {
  for (const auto& [bucket, kept] : all_.reported_findings()) {
    for (const Handed& h : handed_) {
      const auto reported = h.reported.find(bucket);
      if (reported == h.reported.end() || !same_content(reported->second, kept)) continue;
      const FindingRow& row = kept.row;
      const std::string at = finding_at(h, row);
      if (at.empty()) continue;
      if (bucket.starts_with("untriaged-")) {
        make_folder(staging_ + "/findings/untriaged");
        copy_file(at, staging_ + "/" + row.path);
      } else {
        const bool is_representative = representatives_.at(bucket) == bucket;
        copy_files(at, staging_ + (is_representative ? "/findings/" : "/folded/") + bucket);
      }
    }
  }
}

// A case that was triaged anywhere waits nowhere.
void Merge::copy_pending() {
  for (const Handed& h : handed_) {
    for (const std::string& name : h.pending) {
      const std::string case_name = name.substr(0, name.rfind(".case") + 5);
      if (all_.is_triaged(case_name)) continue;
      copy_file(pending_folder(h.folder) + "/" + name, pending_folder(staging_) + "/" + name);
    }
  }
}

void Merge::write_findings(const MergedRows& rows) {
  const auto finish = [&](const std::string& folder, int64_t cases,
                          const std::vector<Observation>& observations) {
    std::optional<json> finding = read_finding(folder);
    if (!finding) return;
    (*finding)["cases"] = cases;
    if (!observations.empty()) put_observations(*finding, observations);
    write_finding_files(folder, *finding);
  };
  const auto all_joined = all_.joined_cases(representatives_, rows.findings);
  for (const FindingRow& row : rows.findings) {
    const std::string folder = staging_ + "/findings/" + row.bucket;
    if (!fs::is_directory(folder)) continue;
    finish(folder, row.count, row.observations);
    const auto others = all_joined.find(row.bucket);
    if (others == all_joined.end()) continue;
    std::string joined;
    for (const std::string& origin : others->second) joined += visible_line(origin) + "\n";
    write_atomically(folder + "/joined.txt", joined);
  }
  for (const auto& entry : fs::directory_iterator(staging_ + "/folded"))
    finish(entry.path(), 1, {});
}

int Merge::write(const MergedRows& rows) {
  SupervisorOptions o;
  o.out = staging_;
  o.known = options_.known;
  const auto asked = rows.meta.find("min_yield");
  if (options_.min_yield) o.min_yield = *options_.min_yield;
  else if (asked != rows.meta.end()) o.min_yield = std::strtod(asked->second.c_str(), nullptr);
  o.progress = true;
  o.jobs = std::stoi(rows.meta.at("jobs"));
  const json identity = json::parse(all_.origin().identity);
  o.campaign.seed = identity.at("seed").get<uint64_t>();
  for (const json& plan : identity.at("plans"))
    o.campaign.plans.push_back(read_plan(plan.get<std::string>()));
  TriageQueue queue({});
  for (const FindingRow& row : rows.findings) queue.know(row);
  queue.set_waiting(cases_in(pending_folder(staging_)), [this](const std::string& name) {
    return read_pending(pending_folder(staging_) + "/" + name);
  });
  Ended ended{.totals = rows.totals,
              .reasons = rows.reasons,
              .reach = Reach::parse(rows.meta.at("reach")),
              .seconds = rows.seconds,
              .after = std::strtod(rows.meta.at("seconds_after").c_str(), nullptr),
              .pending = queue.size(),
              .waiting = queue.groups(),
              .muted = queue.muted_counts(o.known),
              .cost = Cost::parse(rows.meta.at("cost")),
              .job_seconds = rows.job_seconds,
              .engines = all_.engines()};
  Store store(staging_);
  store.write_merge(rows);
  ended.shards = shards_in(store);
  const std::vector<FindingRow> found = store.findings();
  ended.exit_code = comes_to(o, ended.totals, found, queue);
  announce_known(o.known, found, ended.muted,
                 o.campaign.plans.empty() ? default_plans() : o.campaign.plans);
  write_outputs(o, store, ended);
  return ended.exit_code;
}

// What lies in a folder and not in the one that takes its place, but for our own files.
void keep_others(const fs::path& from, const fs::path& to) {
  for (const auto& entry : fs::directory_iterator(from)) {
    const std::string name = entry.path().filename();
    if (std::ranges::count(kOfFindings, name) > 0 || name.ends_with(".part") || is_there(to / name))
      continue;
    fs::copy(entry.path(), to / name,
             fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  }
}

// Of the folders of findings, which may be folded by now; cases that no triage has seen are ours.
void keep_in_findings(const std::string& out, const std::string& staging) {
  for (const char* folder : {"/findings", "/folded"}) {
    if (!fs::is_directory(fs::symlink_status(out + folder))) continue;
    for (const auto& entry : fs::directory_iterator(out + folder)) {
      const std::string name = entry.path().filename();
      if (name == "untriaged" || name.ends_with(".part")) continue;
      const std::string found = staging + "/findings/" + name, folded = staging + "/folded/" + name;
      if (!entry.is_directory() || entry.is_symlink()) {
        if (!is_there(found) && !is_there(folded))
          fs::copy(entry.path(), staging + folder + "/" + name, fs::copy_options::copy_symlinks);
        continue;
      }
      if (is_there(found)) keep_others(entry.path(), found);
      else if (is_there(folded)) keep_others(entry.path(), folded);
      else if (!is_there(entry.path() / "finding.json"))
        fs::copy(entry.path(), staging + folder + "/" + name,
                 fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    }
  }
}

// What others put into the folder goes with it, links as links.
void Merge::keep_what_is_users() {
  if (!is_there(out_)) return;
  for (const auto& entry : fs::directory_iterator(out_)) {
    const std::string name = entry.path().filename();
    if (std::ranges::count(kOwn, name) > 0) continue;
    if (name.starts_with(kDatabase) || name == "reading") continue;
    fs::copy(entry.path(), staging_ + "/" + name,
             fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  }
  keep_in_findings(out_, staging_);
  if (!fs::is_directory(fs::symlink_status(out_ + "/pending"))) return;
  for (const auto& entry : fs::directory_iterator(out_ + "/pending")) {
    const std::string name = entry.path().filename(), to = staging_ + "/pending/" + name;
    if (name.find(".case") == std::string::npos && !is_there(to))
      fs::copy(entry.path(), to, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  }
}

void Merge::take_place() {
  if (is_empty_folder(out_)) fs::remove(out_);
  if (!is_there(out_)) return rename_for_good(staging_, out_);
  if (renameat2(AT_FDCWD, staging_.c_str(), AT_FDCWD, out_.c_str(), RENAME_EXCHANGE) == 0) {
    const int parent = open(fs::path(out_).parent_path().c_str(), O_PATH | O_CLOEXEC);
    sync_folder(parent);
    close(parent);
    return remove_marked(staging_);
  }
  if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP)
    fail("cannot write {}: {}", out_, error_text(errno));
  const std::string before = out_ + ".before";  // a file system without it
  if (is_there(before)) remove_marked(before);
  rename_for_good(out_, before);
  rename_for_good(staging_, out_);
  remove_marked(before);
}

void Merge::report() const {
  const std::vector<uint64_t> missing = all_.missing();
  std::fprintf(
      stderr, "fusillade: %zu of %llu shards are in %s%s\n", all_.shards().size(),
      static_cast<unsigned long long>(all_.origin().of), visible_line(options_.out).c_str(),
      missing.empty()
          ? ""
          : fmt::format("; not there: {}{}", fmt::join(missing, ", "),
                        missing.size() + all_.shards().size() < all_.origin().of ? "..." : "")
                .c_str());
}

int Merge::run() {
  begin();
  try {
    const int code = make();
    report();
    return code;
  } catch (...) {
    handed_.clear();
    std::error_code none;
    if (is_there(staging_ + "/" + kMark)) fs::remove_all(staging_, none);
    throw;
  }
}

int Merge::make() {
  read_all();
  SyncedTogether together(staging_);
  copy_findings();
  copy_pending();
  const MergedRows rows = all_.rows(representatives_);
  write_findings(rows);
  const int code = write(rows);
  fs::remove(staging_ + "/reading");
  keep_what_is_users();
  if (is_empty_folder(staging_ + "/folded")) fs::remove(staging_ + "/folded");
  handed_.clear();  // and their locks
  together.sync();
  take_place();
  return code;
}

}  // namespace

int merge_campaigns(const MergeOptions& options) { return Merge(options).run(); }

}  // namespace fusillade::fuzz
