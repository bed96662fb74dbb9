// See recheck.h.
#include "fuzz/campaign/recheck.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <tuple>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/visible.h"
#include "engine/run/plan.h"
#include "fuzz/campaign/folder.h"
#include "fuzz/campaign/outputs.h"
#include "fuzz/campaign/rewrite_outputs.h"
#include "fuzz/judge/judge.h"
#include "fuzz/process/exit_code.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/process/stop_signals.h"
#include "fuzz/process/unstartable.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/triage/finding.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

// Of failures that come and go: one that fails in every third process is missed in 20 once in 3,000
// times.
constexpr int kTimesOfFlaky = 20;
constexpr size_t kMostWhy = 2000;   // characters, so that a pipe takes them without a reader
constexpr size_t kMostReasons = 5;  // reasons

volatile sig_atomic_t g_stop = 0;
void on_signal(int) { g_stop = 1; }

enum class Found : uint8_t { Shows, Gone, Unknown };

// Both raise the same error, or nothing was wrong: the claim that failed holds. What compares
// nothing says nothing.
bool holds(const Verdict& v) {
  return v.kind == VerdictKind::Ok ||
         (v.kind == VerdictKind::Skip && v.reason == "the program raises an error");
}

// Does it not fail each time?
bool comes_and_goes(const FindingRow& row, const std::string& folder) {
  if (row.verdict == name_of(VerdictKind::Flaky)) return true;
  const std::optional<json> finding = read_finding(folder);
  return finding && (*finding)["reproduced"] < (*finding)["tried"];
}

class Recheck {
 public:
  explicit Recheck(const RecheckOptions& options) : o_(options), store_(o_.out) {
    if (store_.meta("identity").empty()) fail("no campaign has begun in {}", o_.out);
    rows_ = store_.findings();
    std::ranges::sort(rows_, {}, [](const FindingRow& row) {
      int64_t last = 0;
      for (const Observation& observation : row.observations) last = std::max(last, observation.at);
      return std::tuple(last, row.first_seen, row.bucket);
    });
  }

  int run();

 private:
  struct Running {
    const FindingRow* row;
    Child child;
    int pipe = -1;
  };
  bool is_enough() const {
    const double seconds = static_cast<double>(now_us() - start_us_) / 1e6;
    return g_stop || (o_.max_seconds > 0 && seconds >= o_.max_seconds);
  }
  void start(const FindingRow& row);
  bool reap(Running& running);
  std::string judge_finding(const FindingRow& row) const;
  void note(const FindingRow& row, Found found, const std::string& build, const std::string& why);
  void report() const;

  const RecheckOptions& o_;
  Store store_;
  std::vector<FindingRow> rows_;
  std::vector<Running> running_;
  std::map<std::string, size_t> why_unknown_;
  size_t shows_ = 0, gone_ = 0, unknown_ = 0, closed_ = 0, reopened_ = 0;
  int64_t start_us_ = now_us();
};

// In a child: what came of it, as JSON.
std::string Recheck::judge_finding(const FindingRow& row) const {
  Found found = Found::Unknown;
  std::string why, build;
  try {
    const std::string path = o_.out + "/" + row.path;
    const Case c = o_.load(path);
    const int often = comes_and_goes(row, path.substr(0, path.rfind('/'))) ? kTimesOfFlaky : 1;
    found = Found::Gone;
    for (int i = 0; i < std::max(often, o_.times) && found == Found::Gone; ++i) {
      const Verdict v = judge_fairly(c, o_.limits(c));
      if (is_finding(v.kind)) found = Found::Shows;
      else if (!holds(v))
        found = Found::Unknown, why = fmt::format("{}: {}", name_of(v.kind), v.reason);
    }
    build = build_of(o_.build, c.plans);
  } catch (const Unstartable& e) {
    found = Found::Unknown;
    why = e.why;
  } catch (const Error& e) {
    found = Found::Unknown;
    why = e.what();
  }
  why.resize(std::min(why.size(), kMostWhy));
  build.resize(std::min(build.size(), kMostWhy / 2));
  const json result = {{"found", static_cast<int>(found)}, {"build", build}, {"why", why}};
  return result.dump(-1, ' ', true, json::error_handler_t::replace);
}

void Recheck::start(const FindingRow& row) {
  if (row.path.empty()) return note(row, Found::Unknown, "", "its program cannot be made");
  const std::string path = o_.out + "/" + row.path;
  try {
    refuse_links(path);
  } catch (const Error& e) {
    return note(row, Found::Unknown, "", e.what());
  }
  if (access(path.c_str(), R_OK) != 0) return note(row, Found::Unknown, "", "its case is gone");
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("there is no pipe to be had");
  Running running{&row, {}, ends[0]};
  running.child = spawn(
      [&] {
        const std::string text = judge_finding(row);
        if (write(ends[1], text.data(), text.size()) < 0) return;
      },
      {.name = "recheck of " + row.bucket});
  close(ends[1]);
  running_.push_back(std::move(running));
}

// False: it runs still.
bool Recheck::reap(Running& running) {
  const std::optional<Ending> ending = running.child.try_reap();
  if (!ending) return false;
  std::string text(4 * kMostWhy, '\0');
  const ssize_t n = read(running.pipe, text.data(), text.size());
  close(running.pipe);
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  const json result = json::parse(text, nullptr, false);
  if (!result.is_object()) note(*running.row, Found::Unknown, "", "judging it ended early");
  else
    note(*running.row, static_cast<Found>(result["found"].get<int>()), result["build"],
         result["why"]);
  return true;
}

void Recheck::note(const FindingRow& row, Found found, const std::string& build,
                   const std::string& why) {
  if (found == Found::Unknown) {
    ++unknown_;
    ++why_unknown_[why];
    return;
  }
  const bool shows = found == Found::Shows;
  ++(shows ? shows_ : gone_);
  const FindingState before = row.state();
  store_.say(row.bucket, build, shows, std::time(nullptr));
  const bool closes = !shows && before != FindingState::Closed;
  const bool reopens = shows && before == FindingState::Closed;
  closed_ += closes;
  reopened_ += reopens;
  if (closes || reopens)
    std::fprintf(stderr, "%s  %s by %s\n", closes ? "closed  " : "reopened",
                 visible_line(row.bucket).c_str(), visible_line(build).c_str());
}

void Recheck::report() const {
  const size_t judged = shows_ + gone_ + unknown_;
  std::fprintf(
      stderr,
      "fusillade: %zu of %zu findings judged again: %zu show, %zu do not, %zu are unknown; "
      "%zu closed, %zu reopened\n",
      judged, rows_.size(), shows_, gone_, unknown_, closed_, reopened_);
  size_t printed = 0;
  for (const auto& [why, count] : why_unknown_) {
    if (++printed > kMostReasons) break;
    std::fprintf(stderr, "fusillade: %zu unknown: %s\n", count, visible_line(why).c_str());
  }
  if (judged < rows_.size() && !g_stop)
    std::fprintf(stderr, "fusillade: the time is over; the same command goes on with the others\n");
}

int Recheck::run() {
  on_stop_signals(&on_signal, 0);
  const json identity = json::parse(store_.meta("identity"), nullptr, false);
  std::vector<Plan> plans;
  if (identity.is_object())
    for (const json& plan : identity.value("plans", json::array()))
      plans.push_back(read_plan(plan.get<std::string>()));
  nurse_outside(plans);
  for (size_t next = 0; (next < rows_.size() || !running_.empty()) && !is_enough();) {
    while (next < rows_.size() && running_.size() < static_cast<size_t>(o_.jobs))
      start(rows_[next++]);
    std::erase_if(running_, [this](Running& running) { return reap(running); });
    if (!running_.empty()) usleep(2000);
  }
  for (Running& running : running_) {
    running.child.end();
    close(running.pipe);
  }
  running_.clear();
  update_findings(o_.out, store_);
  report();
  const int code = rewrite_outputs(o_.out, store_, o_.known, o_.min_yield);
  return g_stop ? kInterrupted : code;
}

}  // namespace

int recheck_campaign(const RecheckOptions& options) {
  require_campaign(options.out);
  lock_folder(options.out);
  require_whole(options.out);
  return Recheck(options).run();
}

}  // namespace fusillade::fuzz
