// See handed.h.
#include "fuzz/campaign/handed.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/lack.h"
#include "engine/base/visible.h"
#include "fuzz/campaign/folder.h"
#include "fuzz/campaign/outputs.h"
#include "fuzz/campaign/pending.h"
#include "fuzz/campaign/triage_result.h"
#include "fuzz/triage/finding.h"

namespace fusillade::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUntriaged = "untriaged-";

enum class There : uint8_t { Nothing, File, Folder };

// What lies there; a link is refused.
There what_is(const std::string& path) {
  refuse_links(path);
  struct stat s;
  if (lstat(path.c_str(), &s) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return There::Nothing;
    fail("cannot read {}: {}", path, error_text(errno));
  }
  if (S_ISREG(s.st_mode)) return There::File;
  if (S_ISDIR(s.st_mode)) return There::Folder;
  fail("{} is neither a file nor a folder", path);
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> out;
  DIR* d = opendir(folder.c_str());
  if (!d) fail("cannot read {}: {}", folder, error_text(errno));
  while (const dirent* e = readdir(d)) {
    const std::string name = e->d_name;
    if (name != "." && name != "..") out.push_back(name);
  }
  closedir(d);
  std::ranges::sort(out);
  return out;
}

// No campaign starts there while this lives; several may read.
std::shared_ptr<void> lock(const std::string& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) fail("there is no folder {}", folder);
  if (fd < 0) fail("cannot read {}: {}", folder, error_text(errno));
  std::shared_ptr<void> guard(nullptr, [fd](void*) { close(fd); });
  if (flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    const std::string who = holders_of(folder + "/campaign.lock");
    fail("a campaign is running in {}{}: wait for its end", folder, who.empty() ? "" : ": " + who);
  }
  return guard;
}

void read_parts(Handed& h, const Store& store) {
  if (!h.merged) {
    const Part part = part_of(store);
    h.origin.of = part.shard.of;
    h.parts[part.shard.index] = part;
    return;
  }
  h.origin.of = std::strtoull(store.meta(kMerged).c_str(), nullptr, 10);
  for (const auto& [name, text] : store.texts("part")) {
    const Part part = parse_part(text);
    if (part.shard.of != h.origin.of) fail("a part is of another campaign");
    h.parts[part.shard.index] = part;
  }
}

// Of a merge its own triage may have found more than it was reported.
void read_findings(Handed& h, const Store& store) {
  for (const auto& [bucket, text] : store.texts("reported"))
    h.reported[bucket] = parse_reported(text);
  const auto productions = store.productions();
  for (FindingRow row : store.findings()) {
    if (h.reported.count(row.bucket)) continue;
    row.count = 1;
    row.observations.clear();
    const auto of = productions.find(row.bucket);
    h.reported[row.bucket] = {row,
                              of == productions.end() ? std::vector<std::string>() : of->second};
  }
  for (const auto& [bucket, reported] : h.reported) {
    if (bucket != reported.row.bucket) fail("finding '{}' has two names", visible_line(bucket));
    require_own_place(reported.row);
  }
  h.observations = store.observations();
  for (const Observation& observation : h.observations)
    if (h.reported.count(observation.bucket) == 0)
      fail("a build speaks of finding '{}', which is not there", visible_line(observation.bucket));
  h.shown = store.shown_cases();
  for (const Shown& s : h.shown)
    if (!s.bucket.empty() && h.reported.count(s.bucket) == 0)
      fail("case '{}' shows a finding that is not there", visible_line(s.name));
}

void read_store(Handed& h, const Store& store) {
  h.merged = !store.meta(kMerged).empty();
  h.origin.identity = store.meta("identity");
  h.origin.build = store.meta("build");
  if (const std::string asked = store.meta("min_yield"); !asked.empty())
    h.min_yield = std::strtod(asked.c_str(), nullptr);
  if (h.origin.identity.empty() || (!h.merged && store.meta("shard").empty()))
    fail("no campaign has begun there");
  read_parts(h, store);
  read_findings(h, store);
}

void read_names(Handed& h) {
  const std::string folder = pending_folder(h.folder);
  if (what_is(folder) != There::Folder) return;
  for (const std::string& name : names_in(folder)) {
    const bool is_case = name.ends_with(".case") || name.ends_with(progress_path(".case"));
    if (!is_case || !is_plain_name(name)) continue;
    if (what_is(folder + "/" + name) == There::File) h.pending.push_back(name);
  }
}

// Of a finding's file what is not its own but the campaign's: how many cases showed it, what builds
// said of it.
std::string as_of_one_case(const std::string& name, std::string text) {
  if (name != "finding.json") return text;
  nlohmann::json finding = nlohmann::json::parse(text, nullptr, false);
  if (!finding.is_object() || !finding.contains("cases")) return text;
  finding["cases"] = 1;
  finding.erase("state");
  finding.erase("builds");
  return finding.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

bool holds_some(const std::string& folder) {
  return what_is(folder) == There::Folder && !fs::is_empty(folder);
}

// Does it contain only what a campaign creates before it has started?
bool is_bare(const std::string& folder) {
  const std::set<std::string> initial_names = {"campaign.lock", "findings", "pending", kDatabase,
                                               std::string(kDatabase) + "-journal"};
  return what_is(folder) == There::Folder &&
         std::ranges::all_of(fs::directory_iterator(folder), [&](const auto& entry) {
           return initial_names.count(entry.path().filename()) > 0;
         });
}

}  // namespace

Handed read_handed(const std::string& folder, const std::string& scratch) {
  Handed h;
  h.folder = folder;
  guard_folder(folder);
  h.lock = lock(folder);
  const std::string database = folder + "/" + kDatabase;
  const bool bare =
      is_bare(folder) && !holds_some(folder + "/findings") && !holds_some(folder + "/pending");
  if (what_is(database) == There::Nothing && bare)
    throw NotStarted(fmt::format("no campaign has begun in {}", folder));
  if (what_is(database) != There::File)
    fail("{} holds no campaign: there is no {}", folder, database);
  std::vector<std::string> copies;
  for (const char* part : {"", "-journal"}) {
    if (what_is(database + part) != There::File) continue;
    copies.push_back(scratch + "/" + kDatabase + part);
    write_atomically(copies.back(), read_file(database + part));
  }
  struct stat s;
  const bool is_empty = stat(copies[0].c_str(), &s) == 0 && s.st_size == 0;
  if (is_empty && bare) {
    for (const std::string& copy : copies) unlink(copy.c_str());
    throw NotStarted(fmt::format("no campaign has begun in {}", folder));
  }
  if (is_empty) fail("{} is empty: what was known of the campaign is lost", database);
  std::string broken;
  bool started = true;
  try {
    const Store store(scratch);
    started = !bare || !store.meta("identity").empty();
    if (started) read_store(h, store);
  } catch (const std::exception& e) {  // of text within, too
    broken = e.what();
  }
  for (const std::string& copy : copies) unlink(copy.c_str());
  if (!started && broken.empty())
    throw NotStarted(fmt::format("no campaign has begun in {}", folder));
  if (!broken.empty()) {
    for (size_t at; (at = broken.find(scratch)) != std::string::npos;)
      broken.replace(at, scratch.size(), folder);
    const size_t advice = broken.find("; give another --out");
    if (advice != std::string::npos) broken.resize(advice);
    fail("{}: {}", database, broken);
  }
  read_names(h);
  return h;
}

std::string finding_at(const Handed& h, const FindingRow& row) {
  if (row.path.empty()) return "";
  if (row.bucket.starts_with(kUntriaged)) return h.folder + "/" + row.path;
  const std::string unfolded = h.folder + "/findings/" + row.bucket;
  const std::string folded = h.folder + "/folded/" + row.bucket;
  for (const std::string& path : {unfolded, folded})
    if (what_is(path.substr(0, path.rfind('/'))) == There::Folder && what_is(path) == There::Folder)
      return path;
  fail("{} is gone, which {} tells of", unfolded, h.folder + "/" + kDatabase);
}

void copy_file(const std::string& from, const std::string& to) {
  if (what_is(from) != There::File) fail("{} is gone, or no file", from);
  const std::string name = from.substr(from.rfind('/') + 1);
  const std::string text = as_of_one_case(name, read_file(from));
  struct stat s;
  if (lstat(to.c_str(), &s) == 0 && read_file(to) <= text) return;
  write_atomically(to, text);
  if (name.ends_with(".sh")) chmod(to.c_str(), 0755);
}

void copy_files(const std::string& from, const std::string& to) {
  make_folder(to);
  for (const std::string& name : names_in(from)) {
    // joined.txt and README.md are generated from what a merge knows.
    const bool generated = name == "joined.txt" || name == "README.md";
    if (generated || !is_plain_name(name) || name.ends_with(".part")) continue;
    if (what_is(from + "/" + name) == There::File) copy_file(from + "/" + name, to + "/" + name);
  }
}

}  // namespace fusillade::fuzz
