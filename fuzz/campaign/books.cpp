// See books.h.
#include "fuzz/campaign/books.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "fuzz/campaign/part.h"
#include "fuzz/campaign/pending.h"
#include "fuzz/campaign/used_productions.h"
#include "fuzz/process/confine.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/process/unstartable.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/foreign/versions.h"

namespace fusillade::fuzz {
namespace {

constexpr const char* kSeveralBuilds = "several builds";

const std::string& with_folders(const std::string& out) {
  make_folder(pending_folder(out));
  make_folder(out + "/findings");
  return out;
}

}  // namespace

Books::Books(const SupervisorOptions& options) : o_(options), store_(with_folders(o_.out)) {
  const bool merged = !store_.meta(kMerged).empty();
  std::vector<Progression> left = store_.load_left();
  if ((merged || !left.empty()) && !o_.resume) {
    fail("{} holds a campaign already; give --resume to go on with it, or another --out", o_.out);
  }
  take_identity();
  resumed_ = !left.empty();
  std::ranges::copy_if(left, std::back_inserter(replays_left_),
                       [](const Progression& p) { return is_replay(p.first); });
  std::erase_if(left, [](const Progression& p) { return is_replay(p.first); });
  // Of a merge all programs are the shards'; what waits is triaged here.
  lots_ = merged ? std::vector<Lot>(static_cast<size_t>(o_.jobs))
                 : deal(parse_shard(store_.meta("shard")), std::move(left), o_.jobs);
  base_ = store_.load_totals();
  base_reasons_ = store_.load_reasons();
  base_reach_ = Reach::parse(store_.meta("reach"));
  base_cost_ = Cost::parse(store_.meta("cost"));
  base_seconds_ = kept_seconds();
  base_after_ = std::strtod(store_.meta("seconds_after").c_str(), nullptr);
  base_job_seconds_ = store_.load_job_seconds();
  if (base_job_seconds_ == 0) base_job_seconds_ = (base_seconds_ - base_after_) * o_.jobs;
}

void Books::begin_replays(uint64_t cases) {
  const std::string of = store_.meta("shard");
  const Shard shard = of.empty() ? Shard{} : parse_shard(of);  // a merge has none
  const auto n = static_cast<uint64_t>(o_.jobs);
  if (!resumed_) {
    for (uint64_t w = 0; w < n; ++w)
      replays_left_.push_back(
          {kReplays + shard.index + w * shard.of, shard.of * n, kReplays + cases});
  }
  replays_.assign(n, Lot());
  for (size_t i = 0; i < replays_left_.size(); ++i) replays_[i % n].add(replays_left_[i]);
}

std::vector<uint64_t> Books::end_replays() {
  std::vector<uint64_t> out;
  for (size_t w = 0; w < replays_.size(); ++w)
    for (const Progression& p : replays_[w].left_from(slots_[w].snapshot().next))
      for (uint64_t i = p.first; i < p.end; i += p.stride) out.push_back(i);
  replays_.clear();
  return out;
}

double Books::kept_seconds() const {
  double out = store_.load_seconds();
  for (const Sample& s : store_.samples()) out = std::max(out, s.seconds);
  return out;
}

// Throws Error where the folder has another campaign than is asked for.
void Books::take_identity() {
  const std::string identity = campaign_identity(o_.campaign);
  const std::string known = store_.meta("identity");
  if (!known.empty() && !is_identity(known, identity))
    fail("--resume needs the same seed, plans, oracles and policy as before ({}), got {}", known,
         identity);
  if (o_.shard && !store_.meta(kMerged).empty())
    fail(
        "--shard: {} is a merge, which has no shard of its own; --resume without --shard triages "
        "what waits in it",
        o_.out);
  const std::string whole = Shard{}.text();
  std::string before = store_.meta("shard");
  if (before.empty() && !known.empty()) before = whole;
  const std::string shard = o_.shard ? o_.shard->text() : before.empty() ? whole : before;
  if (!before.empty() && shard != before)
    fail("--resume needs the same shard as before: {} holds shard {}, --shard is {}", o_.out,
         before, shard);
  if (parse_shard(shard).of > 1 && !known.empty()) require_alike();
  store_.set_meta("jobs", std::to_string(o_.jobs));
  store_.set_meta("min_yield", fmt::format("{}", o_.min_yield));
  if (store_.meta(kMerged).empty()) {  // of a merge no program runs
    if (known.empty()) store_.set_meta("build", o_.build);
    else if (store_.meta("build") != o_.build) store_.set_meta("build", kSeveralBuilds);
    store_.set_meta("shard", shard);
  }
  store_.set_meta("identity", identity);  // last: without it nothing is known of a campaign there
}

// Shards of several builds are not merged: that is said before there is one.
void Books::require_alike() const {
  if (const std::string build = store_.meta("build"); build != o_.build)
    fail("--resume: {} holds a shard of another build ({}), and this is {}: they would not merge",
         o_.out, build_name(build, {}), build_name(o_.build, {}));
  const auto before = nlohmann::json::parse(store_.meta("engines"), nullptr, false);
  const auto now = engine_versions(o_.campaign.plans);
  for (const auto& [family, version] : now)
    if (before.is_object() && before.contains(family) && before[family] != version)
      fail(
          "--resume: {} holds a shard that compared with {}, and here it is {}: they would not "
          "merge",
          o_.out, before[family].get<std::string>(), version);
}

void Books::start(const Slot* slots) {
  slots_ = slots;
  start_us_ = now_us();
}

double Books::elapsed_seconds() const { return static_cast<double>(now_us() - start_us_) / 1e6; }

double Books::end_of_workers() { return workers_ended_ = std::max(elapsed_seconds(), 1e-6); }

// All in one child; where one of them ends it, each in its own.
void Books::note_productions() {
  const auto unknown = store_.missing_productions();
  std::vector<std::string> origins;
  for (const auto& [bucket, origin] : unknown) origins.push_back(origin);
  std::map<std::string, std::vector<std::string>> productions;
  try {
    const auto all = productions_of(o_.campaign, origins, o_.limits);
    for (size_t i = 0; i < unknown.size(); ++i) {
      const auto one = all.empty() && unknown.size() > 1
                           ? productions_of(o_.campaign, {origins[i]}, o_.limits)
                           : std::vector<std::vector<std::string>>();
      std::vector<std::string>& names = productions[unknown[i].first];
      if (i < all.size()) names = all[i];
      else if (!one.empty()) names = one[0];
    }
  } catch (const Unstartable&) {  // programs are drawn for an engine that is gone: at a later start
    return;
  }
  if (!productions.empty()) store_.set_productions(productions);
}

bool Books::shows_again(const FindingRow& finding) {
  const Cause cause = parse_cause(finding.cause);
  const std::string build =
      cause.plan.empty() ? build_name(o_.build, {}) : build_of(o_.build, {read_plan(cause.plan)});
  return store_.shows_again(finding.bucket, build, std::time(nullptr));
}

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

std::vector<Progression> Books::rest(Counters& counted) const {
  std::vector<Progression> out;
  const auto add = [&out](const std::vector<Progression>& some) {
    out.insert(out.end(), some.begin(), some.end());
  };
  for (size_t w = 0; w < lots_.size(); ++w) {
    const Slot::Progress progress = slots_[w].snapshot();
    if (!replays_.empty()) add(replays_[w].left_from(progress.next));
    add(lots_[w].left_from(replays_.empty() ? progress.next : 0));
    counted += progress.counters;
  }
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
  Counters counted = base_;
  const std::vector<Progression> left = rest(counted);
  Sample sample{.seconds = seconds(),
                .programs = counted.programs,
                .findings = findings,
                .operators = reached.operators.size(),
                .rewrites = reached.rewrites.size()};
  sample.count(counted.verdicts);
  store_.save_progress(left, counted, reasons(), sample, job_seconds());
  if (o_.progress) {
    print_progress(totals(), seconds() - base_after_, elapsed_seconds(), o_.jobs, findings,
                   cases_in(pending_folder(o_.out)).size());
  }
}

int Books::close(const TriageQueue& queue, const std::optional<Stop>& stop,
                 const std::string& corpus) {
  const double after = base_after_ + elapsed_seconds() - hunted_here();
  // Of what the store has, so that the time in which programs ran is kept as it is.
  store_.set_meta("seconds_after",
                  fmt::format("{}", std::max(0.0, kept_seconds() - hunting_seconds())));
  Ended ended{.totals = totals(),
              .reasons = reasons(),
              .reach = reach(),
              .seconds = seconds(),
              .after = after,
              .triage_seconds = queue.seconds_used(),
              .pending = queue.size(),
              .waiting = queue.groups(),
              .muted = queue.muted_counts(o_.known),
              .cost = cost()};
  const std::vector<FindingRow> found = store_.findings();
  note_productions();
  ended.job_seconds = job_seconds();
  ended.engines = engine_versions(o_.campaign.plans);
  if (!ended.engines.empty()) ended.walls = walls_around_engines();
  ended.worker_walls = walls_around_workers();
  store_.set_meta("engines", nlohmann::json(ended.engines).dump());
  ended.shards = shards_in(store_);
  ended.corpus = corpus;
  ended.exit_code = stop ? stop->code : comes_to(o_, ended.totals, found, queue);
  if (stop) ended.stopped = stop->why;
  update_findings(o_.out, store_);
  announce_known(o_.known, found, ended.muted,
                 o_.campaign.plans.empty() ? default_plans() : o_.campaign.plans);
  write_outputs(o_, store_, ended);
  return ended.exit_code;
}

}  // namespace fusillade::fuzz
