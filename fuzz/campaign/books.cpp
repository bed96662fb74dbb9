// See books.h.
#include "fuzz/campaign/books.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "engine/base/file.h"
#include "fuzz/campaign/pending.h"
#include "fuzz/process/exit_code.h"
#include "fuzz/process/heartbeat.h"

namespace fusillade::fuzz {
namespace {

const std::string& with_folders(const std::string& out) {
  make_folder(pending_folder(out));
  make_folder(out + "/findings");
  return out;
}

}  // namespace

Books::Books(const SupervisorOptions& options)
    : o_(options), store_(with_folders(o_.out)), next_(store_.load_progress()) {
  if (!next_.empty() && !o_.resume) {
    fail("{} holds a campaign already; give --resume to go on with it, or another --out", o_.out);
  }
  std::string identity = campaign_identity(o_.campaign, o_.jobs);
  std::string known = store_.meta("identity");
  if (!known.empty() && known != identity) {
    fail("--resume needs the same seed, plans, oracles, policy and jobs as before ({}), got {}",
         known, identity);
  }
  store_.set_meta("identity", identity);
  base_ = store_.load_totals();
  base_reasons_ = store_.load_reasons();
  base_reach_ = Reach::parse(store_.meta("reach"));
  base_cost_ = Cost::parse(store_.meta("cost"));
  base_seconds_ = store_.load_seconds();
  base_after_ = std::strtod(store_.meta("seconds_after").c_str(), nullptr);
}

void Books::start(const Slot* slots) {
  slots_ = slots;
  start_us_ = now_us();
}

double Books::elapsed() const { return static_cast<double>(now_us() - start_us_) / 1e6; }

void Books::count_skip(const std::string& reason) {
  ++base_.verdicts[static_cast<int>(VerdictKind::Skip)];
  ++base_reasons_[fmt::format("{}: {}", name_of(VerdictKind::Skip), reason)];
}

void Books::count_death(VerdictKind kind, bool saved) {
  ++base_.verdicts[static_cast<int>(kind)];
  if (!saved) ++base_.unsaved;
}

Counters Books::totals() const {
  Counters c = base_;
  for (int w = 0; w < o_.jobs; ++w) c += slots_[w].snapshot().counters;
  return c;
}

std::map<std::string, uint64_t> Books::reasons() const {
  std::map<std::string, uint64_t> out = base_reasons_;
  for (int w = 0; w < o_.jobs; ++w) {
    for (const ReasonCount& r : slots_[w].reasons) {
      if (r.count) out[std::string(r.text, strnlen(r.text, kReasonLength))] += r.count;
    }
  }
  return out;
}

Reach Books::reach() const {
  Reach out = base_reach_;
  for (int w = 0; w < o_.jobs; ++w) out.add(slots_[w]);
  return out;
}

void Books::keep(size_t findings, bool now) {
  constexpr int64_t kReachUs = 10'000'000;
  const int64_t at = now_us();
  if (!now && at - kept_us_ < 1'000'000) return;
  kept_us_ = at;
  const Reach reached = reach();
  if (now || at - reach_kept_us_ >= kReachUs) {
    store_.set_meta("reach", reached.text());
    store_.set_meta("cost", cost().text());
    reach_kept_us_ = at;
  }
  std::vector<uint64_t> next;
  Counters counted = base_;
  for (int w = 0; w < o_.jobs; ++w) {
    const Slot::Progress progress = slots_[w].snapshot();
    next.push_back(progress.next);
    counted += progress.counters;
  }
  Sample sample{.seconds = seconds(),
                .programs = counted.programs,
                .findings = findings,
                .operators = reached.operators.size(),
                .rewrites = reached.rewrites.size()};
  sample.count(counted.verdicts);
  store_.save_progress(next, counted, reasons(), sample);
  if (o_.progress) {
    print_progress(totals(), seconds() - base_after_, elapsed(), o_.jobs, findings,
                   cases_in(pending_folder(o_.out)).size());
  }
}

// Says so on stderr where they are not.
bool Books::compared_enough() const {
  const Counters c = totals();
  uint64_t judged = 0;
  for (uint64_t v : c.verdicts) judged += v;
  const uint64_t compared = judged - c.verdicts[static_cast<int>(VerdictKind::Skip)] -
                            c.verdicts[static_cast<int>(VerdictKind::Untrusted)];
  if (judged > 0 && static_cast<double>(compared) >= o_.min_yield * judged) return true;
  if (o_.campaign.use == Use::Check) {
    std::fprintf(stderr, "inconclusive: none of %llu judgements compared something\n",
                 static_cast<unsigned long long>(judged));
    return false;
  }
  std::fprintf(
      stderr, "inconclusive: %llu of %llu judgements compared something; --min-yield asks for %g\n",
      static_cast<unsigned long long>(compared), static_cast<unsigned long long>(judged),
      o_.min_yield);
  return false;
}

int Books::code_of(const std::vector<FindingRow>& found, const TriageQueue& queue,
                   const Ended& ended) const {
  const bool open = std::ranges::any_of(
      found, [&](const FindingRow& row) { return o_.known.of(row) == nullptr; });
  size_t muted_waiting = 0;
  for (const auto& [record, cases] : ended.muted) muted_waiting += cases;
  if (open || queue.size() > muted_waiting) return kFindings;
  return compared_enough() ? kOk : kInconclusive;
}

int Books::close(const TriageQueue& queue, std::optional<int> stopped) {
  const double after = base_after_ + elapsed() - queue.seconds_of_workers();
  store_.set_meta("seconds_after", fmt::format("{}", after));
  Ended ended{.totals = totals(),
              .reasons = reasons(),
              .reach = reach(),
              .seconds = seconds(),
              .after = after,
              .triage_seconds = queue.seconds_used(),
              .pending = queue.size(),
              .waiting = queue.groups(),
              .muted = queue.muted(o_.known),
              .cost = cost()};
  const std::vector<FindingRow> found = store_.findings();
  ended.exit_code = stopped ? *stopped : code_of(found, queue, ended);
  for (const FindingRow& row : found) write_case_count(o_.out, row.bucket, row.count);
  announce_known(o_.known, found, ended.muted,
                 o_.campaign.plans.empty() ? default_plans() : o_.campaign.plans);
  write_outputs(o_, store_, ended);
  return ended.exit_code;
}

}  // namespace fusillade::fuzz
