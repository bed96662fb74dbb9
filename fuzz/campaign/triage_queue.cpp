// See triage_queue.h.
#include "fuzz/campaign/triage_queue.h"

#include <algorithm>

namespace fusillade::fuzz {
namespace {

constexpr int kTriageAttempts = 3;
constexpr int kSavedDeaths = 8;      // of one kind: triage comes to an end; the rest are counted
constexpr double kUsefulTriage = 1;  // seconds; less shows nothing
// Of the time that is left, one takes a part where others wait: so much of it, and seconds at
// least. The first finding takes more, for many that are cut short are none.
constexpr size_t kParts = 4;
constexpr size_t kPartsOfFirst = 2;
constexpr double kLeastOfOne = 15;
constexpr int kAsksInARow = 2;  // each takes a fraction of what a whole triage does

// Verdict and message; two of one symptom may be one cause.
std::string symptom_of(const std::string& verdict, const std::string& message) {
  return verdict + "|" + message;
}
std::string symptom_of(const Untriaged& untriaged) {
  return symptom_of(untriaged.verdict, untriaged.message);
}

// May a case join a cause of an external engine? Then its program has all that the cause needs.
bool has_all_of(const Untriaged& untriaged, const Cause& cause) {
  const bool engine =
      untriaged.engines.empty() ||
      std::ranges::find(untriaged.engines, cause.part.name) != untriaged.engines.end();
  return engine && (untriaged.ops.empty() || std::ranges::includes(untriaged.ops, cause.ops));
}

bool is_hang(const Untriaged& untriaged) { return untriaged.verdict == name_of(VerdictKind::Hang); }

// Of two that look new the smaller program is triaged first, for it takes less. Behind them come
// deaths of external engines, each of whose trials is made some times, then what an earlier triage
// did not end with, and hangs.
size_t ease_of(const Untriaged& untriaged) {
  constexpr size_t kMostOps = 1000;
  const size_t small = kMostOps - std::min(untriaged.ops.size(), kMostOps - 1);
  const bool died = untriaged.verdict == name_of(VerdictKind::Crash) && !untriaged.engines.empty();
  return is_hang(untriaged) ? 0
         : untriaged.begun  ? small
         : died             ? small + kMostOps
                            : small + 2 * kMostOps;
}

}  // namespace

void TriageQueue::set_waiting(const std::vector<std::string>& names,
                              const std::function<Untriaged(const std::string& name)>& read) {
  std::map<std::string, Untriaged> now;
  for (const std::string& name : names) {
    auto met = waiting_.extract(name);
    if (met) now.insert(std::move(met));
    else now.emplace(name, read(name));
  }
  waiting_ = std::move(now);
}

void TriageQueue::know(const FindingRow& finding) {
  ++findings_;
  Cause cause = parse_cause(finding.cause);
  if (!cause.part.is(CulpritKind::EngineOutside))
    symptoms_.insert(symptom_of(cause.verdict, cause.message));
  if (!print(cause.part).empty()) causes_.push_back({finding.bucket, std::move(cause)});
}

bool TriageQueue::has_time(double elapsed) const {
  return share_.seconds_left(elapsed, waiting_.size(), findings_) >= kUsefulTriage;
}

bool TriageQueue::may_finish(const std::string& name, double seconds) const {
  if (halved_.count(name) && programs_run()) return false;  // all of it comes later
  auto it = cut_.find(name);
  return it == cut_.end() || seconds >= 2 * it->second;
}

bool TriageQueue::may_join(const Untriaged& untriaged) const {
  if (symptoms_.count(symptom_of(untriaged))) return true;
  return std::ranges::any_of(causes_, [&](const KnownCause& known) {
    const Cause& cause = known.cause;
    return cause.part.is(CulpritKind::EngineOutside) && cause.verdict == untriaged.verdict &&
           cause.message == untriaged.message && has_all_of(untriaged, cause);
  });
}

TriagePick::Why TriageQueue::why_of(const std::string& name, const Untriaged& untriaged) const {
  if (!may_join(untriaged)) return TriagePick::Why::LooksNew;
  const auto asked = unlike_.find(name);
  const bool matches_none = asked != unlike_.end() && asked->second >= findings_;
  return matches_none ? TriagePick::Why::DidNotJoin : TriagePick::Why::MayJoin;
}

std::optional<TriagePick> TriageQueue::next(double elapsed) const {
  if (!has_time(elapsed)) return {};
  const double left = share_.seconds_left(elapsed, waiting_.size(), findings_);
  const size_t parts = findings_ == 0 ? kPartsOfFirst : kParts;
  const double part = left / static_cast<double>(std::clamp<size_t>(waiting_.size(), 1, parts));
  const double seconds = std::min(left, std::max(part, kLeastOfOne));
  std::map<std::string, size_t> group;
  for (const auto& [name, untriaged] : waiting_)
    if (may_finish(name, seconds)) ++group[symptom_of(untriaged)];
  std::optional<TriagePick> ask, whole;  // the best of either
  size_t ask_weight = 0, whole_weight = 0;
  for (const auto& [name, untriaged] : waiting_) {
    if (!may_finish(name, seconds)) continue;
    TriagePick pick{name, why_of(name, untriaged), seconds};
    const bool asks = pick.why == TriagePick::Why::MayJoin;
    // The largest group first of those that may join.
    const size_t weight = asks ? group[symptom_of(untriaged)] : ease_of(untriaged);
    std::optional<TriagePick>& best = asks ? ask : whole;
    size_t& best_weight = asks ? ask_weight : whole_weight;
    if (best && std::pair(pick.why, weight) <= std::pair(best->why, best_weight)) continue;
    // A hang may take all that there is: while programs run, half is kept for what shows otherwise.
    pick.halved = is_hang(untriaged) && programs_run();
    if (pick.halved) pick.seconds /= 2;
    best = std::move(pick);
    best_weight = weight;
  }
  return ask && (!whole || asks_ < kAsksInARow) ? ask : whole;
}

void TriageQueue::begin(const TriagePick& pick) {
  asks_ = pick.why == TriagePick::Why::MayJoin ? asks_ + 1 : 0;
}

void TriageQueue::cut(const TriagePick& pick) {
  if (pick.halved) halved_.insert(pick.name);
  else cut_[pick.name] = pick.seconds;
}

bool TriageQueue::note_killed(const TriagePick& pick) {
  return ++killed_[pick.name] < kTriageAttempts;
}

bool TriageQueue::saves_death(const std::string& kind) { return saved_[kind]++ < kSavedDeaths; }

std::map<std::string, std::vector<std::string>> TriageQueue::groups() const {
  std::map<std::string, std::vector<std::string>> out;
  for (const auto& [name, untriaged] : waiting_) out[symptom_of(untriaged)].push_back(name);
  return out;
}

std::map<std::string, size_t> TriageQueue::muted_counts(const KnownList& known) const {
  std::map<std::string, size_t> out;
  for (const auto& [name, untriaged] : waiting_)
    if (const KnownRecord* record = known.of(untriaged)) ++out[record->name];
  return out;
}

}  // namespace fusillade::fuzz
