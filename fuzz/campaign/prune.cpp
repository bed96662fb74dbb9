// See prune.h.
#include "fuzz/campaign/prune.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <set>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/lack.h"
#include "fuzz/campaign/folder.h"
#include "fuzz/campaign/outputs.h"
#include "fuzz/campaign/pending.h"
#include "fuzz/campaign/rewrite_outputs.h"
#include "fuzz/campaign/store.h"
#include "fuzz/process/exit_code.h"

namespace fusillade::fuzz {
namespace {

namespace fs = std::filesystem;

// What a finding's folder may lose: what campaigns write there in addition to finding.json and the
// reduced case. A file of another name is the user's.
const std::set<std::string> kSpare = {"README.md", "joined.txt", "original.case", "repro.sh",
                                      "script.py"};

struct Removed {
  uint64_t files = 0, bytes = 0;
};

// A name that a stranger's database has for a finding may lead elsewhere.
bool is_plain(const std::string& bucket) {
  return !bucket.starts_with(".") && bucket.find('/') == std::string::npos;
}

// -1: there is no such file, or it is none of ours (a link, a folder).
int64_t size_of(const std::string& path) {
  struct stat s;
  return lstat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode) ? s.st_size : -1;
}

bool is_own_folder(const std::string& path) {
  struct stat s;
  return lstat(path.c_str(), &s) == 0 && S_ISDIR(s.st_mode);
}

class Prune {
 public:
  explicit Prune(const PruneOptions& options) : o_(options), store_(o_.out) {}

  int run();

 private:
  void remove(const std::string& path, Removed& count) const;
  // Where it can be judged again without them: of a finding whose reduced case is gone all stays.
  void spare_files(const std::string& folder, Removed& count) const;
  void prune_closed();
  void prune_folded();
  void prune_half_written();
  void prune_joined();
  void prune_pending();
  void report(const char* what, const Removed& count) const;

  const PruneOptions& o_;
  Store store_;
  std::set<std::string> spared_;  // buckets of those closed
  Removed closed_, folded_, half_written_, joined_, pending_;
};

void Prune::remove(const std::string& path, Removed& count) const {
  const int64_t size = size_of(path);
  if (size < 0) return;
  if (!o_.dry_run && unlink(path.c_str()) != 0 && errno != ENOENT)
    fail("cannot remove {}: {}", path, error_text(errno));
  ++count.files;
  count.bytes += static_cast<uint64_t>(size);
}

void Prune::spare_files(const std::string& folder, Removed& count) const {
  if (!is_own_folder(folder) || size_of(folder + "/reduced.case") < 0) return;
  for (const std::string& name : kSpare) remove(folder + "/" + name, count);
}

void Prune::prune_closed() {
  if (!is_own_folder(o_.out + "/findings")) return;
  const double now = static_cast<double>(std::time(nullptr));
  for (const FindingRow& row : store_.findings()) {
    if (row.state() != FindingState::Closed || !is_plain(row.bucket)) continue;
    const double closed = static_cast<double>(closed_since(row.observations));
    if (now - closed < o_.closed_seconds) continue;
    spare_files(o_.out + "/findings/" + row.bucket, closed_);
    spared_.insert(row.bucket);
  }
}

// Folders of findings that are folded into another.
void Prune::prune_folded() {
  const std::string folder = o_.out + "/folded";
  if (!is_own_folder(folder)) return;
  for (const auto& entry : fs::directory_iterator(folder)) spare_files(entry.path(), folded_);
}

// What a triage that was killed left: NAME.part, which becomes NAME once it is whole.
void Prune::prune_half_written() {
  const std::string folder = o_.out + "/findings";
  if (!is_own_folder(folder)) return;
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".part" && is_own_folder(entry.path()))
      left.push_back(entry.path());
  for (const fs::path& path : left) {
    for (const auto& entry : fs::directory_iterator(path)) remove(entry.path(), half_written_);
    if (!o_.dry_run) rmdir(path.c_str());
  }
}

// Where the other cases of a finding came from, shortened; the store keeps all.
void Prune::prune_joined() {
  if (!is_own_folder(o_.out + "/findings")) return;
  for (const FindingRow& row : store_.findings()) {
    if (!is_plain(row.bucket) || spared_.count(row.bucket) > 0) continue;
    const std::string path = o_.out + "/findings/" + row.bucket + "/joined.txt";
    if (row.count <= static_cast<int64_t>(o_.joined_lines) || size_of(path) < 0) continue;
    const std::string text = read_text_file(path);
    size_t at = 0;
    for (uint64_t line = 0; line < o_.joined_lines && at != std::string::npos; ++line)
      at = text.find('\n', at == 0 ? 0 : at + 1);
    const size_t kept = o_.joined_lines == 0 ? 0 : at == std::string::npos ? text.size() : at + 1;
    if (kept >= text.size()) continue;
    if (!o_.dry_run) write_atomically(path, text.substr(0, kept));
    ++joined_.files;
    joined_.bytes += text.size() - kept;
  }
}

// Muted, whatever triage would find. The store knows first that they are not to be triaged: a file
// that a kill leaves is nothing that counts.
void Prune::prune_pending() {
  const std::string folder = pending_folder(o_.out);
  if (o_.known.records().empty() || !is_own_folder(folder)) return;
  for (const std::string& name : cases_in(folder)) {
    const std::string path = folder + "/" + name;
    if (size_of(path) < 0 || !o_.known.of(read_pending(path))) continue;
    if (!o_.dry_run) store_.let_go(name);
    remove(progress_path(path), pending_);
    remove(path, pending_);
  }
}

void Prune::report(const char* what, const Removed& count) const {
  fmt::print("{:<40} {:>8} files {:>12} bytes\n", what, count.files, count.bytes);
}

int Prune::run() {
  if (store_.meta("identity").empty()) fail("no campaign has begun in {}", o_.out);
  prune_half_written();
  prune_folded();
  prune_closed();
  prune_joined();
  prune_pending();
  fmt::print("{}\n", o_.dry_run ? "would be removed:" : "removed:");
  report("left by a triage that was killed", half_written_);
  report("of findings that others stand for", folded_);
  report("of closed findings", closed_);
  report("lines of joined.txt", joined_);
  report("waiting cases that are muted", pending_);
  if (!o_.dry_run && pending_.files > 0) rewrite_outputs(o_.out, store_, o_.known, {});
  return kOk;
}

}  // namespace

int prune_campaign(const PruneOptions& options) {
  require_campaign(options.out);
  lock_folder(options.out);
  require_whole(options.out);
  return Prune(options).run();
}

}  // namespace fusillade::fuzz
