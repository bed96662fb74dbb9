// See minimise.h.
//
// Cases are taken from the smallest on, where one reaches what none before did; then, from the last
// one taken back, each goes that the others make needless. A case that fails, or ends its process,
// stays: that is for a campaign to report.
#include "fuzz/corpus/minimise.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "fuzz/corpus/folder.h"
#include "fuzz/corpus/watch.h"
#include "fuzz/judge/judge.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/process/isolate.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

constexpr size_t kBatch = 32;  // judged in one child

// Held until it is let go.
std::shared_ptr<void> lock(const std::string& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) fail("cannot read {}: {}", folder, error_text(errno));
  std::shared_ptr<void> folder_lock(nullptr, [fd](void*) { close(fd); });
  if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    fail("another process minimises {}: wait for its end", folder);
  return folder_lock;
}

// What a case reaches; none: it fails, or its oracle or an engine of its plans is not there.
std::optional<Features> features_of(const CorpusCase& kept) {
  try {
    const Case c = parse_case(kept.text, kept.name);
    Features out = noted_productions(kept.features);
    const Watch watch;
    const Verdict verdict = judge_here(c);
    if (is_finding(verdict.kind)) return {};
    out.merge(watch.reached_features(verdict));
    return out;
  } catch (const Error&) {
    return {};
  }
}

// Of each case what it reaches, none where it fails or its child dies.
class Judging {
 public:
  Judging(const std::vector<CorpusCase>& cases, const Limits& limits)
      : cases_(cases), limits_(limits), reached(cases.size()) {
    for (size_t first = 0; first < cases_.size(); first += kBatch)
      judge(first, std::min(first + kBatch, cases_.size()));
  }

 private:
  void judge(size_t first, size_t end) {
    const ChildResult r = run_isolated(
        [&] {
          json out = json::array();
          for (size_t i = first; i < end; ++i) {
            heartbeat();
            const std::optional<Features> features = features_of(cases_[i]);
            out.push_back(features ? json(*features) : json());
          }
          return out.dump();
        },
        limits_);
    if (r.kind == ChildResult::Kind::Done && !r.output.empty()) {
      const json answers = json::parse(r.output);
      for (size_t i = first; i < end; ++i)
        if (!answers[i - first].is_null()) reached[i] = answers[i - first].get<Features>();
    } else if (end - first > 1) {
      const size_t middle = first + (end - first) / 2;
      judge(first, middle);
      judge(middle, end);
    }
  }

  const std::vector<CorpusCase>& cases_;
  const Limits& limits_;

 public:
  std::vector<std::optional<Features>> reached;
};

void remove_case(const std::string& path) {
  if (unlink(path.c_str()) != 0 && errno != ENOENT)
    fail("cannot remove {}: {}", path, error_text(errno));
}

// What a process that was killed amid a write has left, once nobody can be writing it any more.
void remove_leavings(const std::string& folder) {
  constexpr std::time_t kOld = 3600;  // seconds
  for (const std::string& within : {std::string("/"), fmt::format("/{}/", kRegression)}) {
    DIR* d = opendir((folder + within).c_str());
    if (!d) continue;
    while (const dirent* e = readdir(d)) {
      const std::string name = e->d_name, path = folder + within + name;
      struct stat s;
      if (name.find(kBeingWritten) == std::string::npos || lstat(path.c_str(), &s) != 0) continue;
      if (S_ISREG(s.st_mode) && std::time(nullptr) - s.st_mtime > kOld) unlink(path.c_str());
    }
    closedir(d);
  }
}

}  // namespace

std::vector<size_t> smallest_cover(const std::vector<Candidate>& cases) {
  std::vector<size_t> order(cases.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return std::pair(cases[i].bytes, cases[i].name); });
  std::map<std::string, size_t> times;  // by feature, in how many of those taken
  std::vector<size_t> taken, out;
  for (const size_t i : order) {
    const Features& features = cases[i].features;
    if (std::ranges::all_of(features, [&](const std::string& f) { return times.count(f) > 0; }))
      continue;
    taken.push_back(i);
    for (const std::string& f : features) ++times[f];
  }
  for (auto i = taken.rbegin(); i != taken.rend(); ++i) {
    const Features& features = cases[*i].features;
    if (std::ranges::all_of(features, [&](const std::string& f) { return times[f] > 1; }))
      for (const std::string& f : features) --times[f];
    else out.push_back(*i);
  }
  std::ranges::sort(out);
  return out;
}

Minimised minimise_corpus(const std::string& folder, const Limits& limits) {
  open_corpus_folder(folder);
  const std::shared_ptr<void> folder_lock = lock(folder);
  if (access(folder.c_str(), W_OK) != 0) fail("cannot change {}: {}", folder, error_text(errno));
  Corpus corpus = read_corpus(folder, limits);
  Minimised out;
  out.passed_over = corpus.passed_over;
  out.regression = static_cast<size_t>(
      std::ranges::count_if(corpus.cases, [](const CorpusCase& c) { return c.is_regression(); }));
  std::erase_if(corpus.cases, [](const CorpusCase& c) { return c.is_regression(); });
  const Judging judging(corpus.cases, limits);
  Features noted, shown;
  std::vector<Candidate> candidates;
  std::vector<size_t> at;  // of candidates, among the cases
  for (size_t i = 0; i < corpus.cases.size(); ++i) {
    const CorpusCase& c = corpus.cases[i];
    ++out.cases;
    out.bytes += c.text.size();
    noted.insert(c.features.begin(), c.features.end());
    if (!judging.reached[i]) {
      out.failing.push_back(c.name);
      out.kept_bytes += c.text.size();
      shown.insert(c.features.begin(), c.features.end());
      continue;
    }
    shown.insert(judging.reached[i]->begin(), judging.reached[i]->end());
    candidates.push_back({c.name, c.text.size(), *judging.reached[i]});
    at.push_back(i);
  }
  std::vector<bool> stays(candidates.size());
  for (const size_t i : smallest_cover(candidates)) stays[i] = true;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const CorpusCase& c = corpus.cases[at[i]];
    if (!stays[i]) continue;
    const std::string text = corpus_text(parse_case(c.text, c.name), candidates[i].features);
    if (text != c.text) replace_in_corpus(folder, c.name, text);
    out.kept_bytes += text.size();
  }
  // Only now: whatever ends this process, no feature is lost.
  for (size_t i = 0; i < candidates.size(); ++i)
    if (!stays[i]) remove_case(folder + "/" + candidates[i].name);
  remove_leavings(folder);
  out.kept = out.failing.size() + smallest_cover(candidates).size();
  out.features = shown.size();
  out.lost = static_cast<size_t>(
      std::ranges::count_if(noted, [&](const std::string& f) { return shown.count(f) == 0; }));
  return out;
}

}  // namespace fusillade::fuzz
