// See supervisor.h. One loop, a few times a second: has a worker died (save what it was judging,
// start it again after that program), is one stuck or too large (kill it, which makes it die), is
// there a pending case and no triage running (start one, in a child), has a triage ended (fold its
// result into the store).
//
// Triage takes its share of the campaign's time (triage_share.h): one that takes more is cut short,
// and not tried again before twice as much is left. What then still waits stays in pending/, with
// what its triage came to so far. A case that looks like a cause that is known (verdict and
// message) is first only asked whether it joins it, the largest group of such cases first; then
// come cases that look like none, and last those that did not join.
//
// Books: the counters live in shared memory and are added to the store's totals as of the start;
// progress is written every second. A kill of anything loses at most the last second's counts,
// never a saved case: those are files in pending/ until their finding is in the store.
#include "fuzz/campaign/supervisor.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>
#include <tuple>

#include "engine/base/file.h"
#include "engine/base/lack.h"
#include "engine/base/visible.h"
#include "engine/run/plan.h"
#include "fuzz/campaign/cost.h"
#include "fuzz/campaign/dead_case.h"
#include "fuzz/campaign/folder.h"
#include "fuzz/campaign/outputs.h"
#include "fuzz/campaign/pending.h"
#include "fuzz/campaign/reach.h"
#include "fuzz/campaign/store.h"
#include "fuzz/campaign/triage_share.h"
#include "fuzz/campaign/watched.h"
#include "fuzz/campaign/worker.h"
#include "fuzz/judge/memory.h"
#include "fuzz/process/beat.h"
#include "fuzz/process/exit_code.h"
#include "fuzz/process/isolate.h"
#include "fuzz/process/room.h"
#include "fuzz/process/stop_signals.h"
#include "fuzz/process/unstartable.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/outcome.h"
#include "fuzz/triage/triage.h"

namespace fusillade::fuzz {
namespace {

constexpr int kTriageAttempts = 3;
constexpr int kSavedDeaths = 8;        // of one kind: triage comes to an end; the rest are counted
constexpr double kUsefulTriage = 1;    // seconds; less shows nothing
constexpr double kToEndATriage = 0.2;  // of what one may take, beyond blame and reduction

volatile sig_atomic_t g_stop = 0;
void on_signal(int) { g_stop = 1; }

bool asks_outside(const std::vector<std::string>& plans) {
  return std::any_of(plans.begin(), plans.end(),
                     [](const std::string& plan) { return is_outside(parse_plan(plan).engine); });
}

class Supervisor {
 public:
  explicit Supervisor(const SupervisorOptions& options)
      : o_(options), pending_(o_.out + "/pending"), campaign_(o_.campaign) {}

  int run();

 private:
  // How often in a row a program was ended from outside.
  struct Outside {
    uint64_t index = 0;
    int times = 0;
  };

  void open();
  void start(int w);
  void watch();
  void reap();
  void worker_died(int w, const Ending& ending);
  void save_death(int w, VerdictKind kind, const std::string& why);
  bool is_too_large(uint64_t index, int stage);
  bool ended_outside_again(int w, uint64_t index);
  void skip(const std::string& reason);
  void see_whether_endless(uint64_t index);
  void hunt();
  void triage_the_rest();
  void start_triage();
  void cut_triage();
  void keep_triage(bool succeeded);
  void know(const FindingRow& row);
  std::vector<std::string> triable(double seconds) const;
  const Untriaged& waiting(const std::string& name);
  std::string symptom_of(const std::string& name);
  bool hung(const std::string& name);
  std::map<std::string, size_t> muted_pending();
  TriageJob next_job(const std::vector<std::string>& waiting);
  bool muted(const FindingRow& row) const { return o_.known.of(row) != nullptr; }
  void triage_ended(const Ending& ending);
  bool cannot_start(const Ending& ending);
  void keep_books(bool last);
  void stop_workers();
  bool enough_findings() const { return o_.max_findings > 0 && fresh_findings_ >= o_.max_findings; }
  bool stopped() const { return g_stop || broken_ || !lack_.empty(); }
  bool out_of_time() const { return o_.max_seconds > 0 && elapsed() >= o_.max_seconds; }
  bool workers_done() const {
    return std::all_of(workers_.begin(), workers_.end(),
                       [](const Watched& c) { return c.finished; });
  }
  double elapsed() const { return static_cast<double>(now_us() - start_us_) / 1e6; }
  double campaign_seconds() const { return base_seconds_ + elapsed(); }
  Counters totals() const;
  std::map<std::string, uint64_t> reasons() const;
  Reach reach() const;
  Cost cost() const { return cost_of(slots_, o_.jobs, base_cost_); }
  int exit_code();
  int end();

  const SupervisorOptions& o_;
  std::string pending_;
  CampaignOptions campaign_;  // as asked for, less what turned out to be endless
  std::unique_ptr<Store> store_;
  Slot* slots_ = nullptr;
  std::vector<Watched> workers_;
  Counters base_;
  std::map<std::string, uint64_t> base_reasons_;  // and those of the supervisor itself
  Reach base_reach_;
  Cost base_cost_;
  Counters deaths_;                            // verdicts given by the supervisor itself
  std::map<std::string, int> killed_triages_;  // by pending case
  std::map<std::string, int> saved_deaths_;    // by verdict, reason and stage
  double base_seconds_ = 0;
  double base_after_ = 0;  // of these, after the last program
  int64_t start_us_ = 0;
  int64_t last_books_us_ = 0;
  int64_t last_reach_us_ = 0;
  Child triage_;
  std::string triaging_;
  TriageShare share_;
  double triage_allowance_ = 0;               // seconds of the one that runs
  bool triage_halved_ = false;                // is that half of what it might have had?
  std::set<std::string> halved_;              // cut short then
  std::map<std::string, double> cut_;         // by pending case: seconds that were too few
  std::map<std::string, Untriaged> waiting_;  // by pending case
  std::map<std::string, size_t> unlike_;      // by pending case: how many causes it did not join
  double triage_started_ = 0;                 // when its finding was noticed
  std::vector<KnownCause> causes_;            // of the store's findings
  std::set<std::string> symptoms_;            // of these
  size_t findings_ = 0;                       // of the store, those without a cause, too
  uint64_t fresh_findings_ = 0;
  bool stopping_ = false;
  std::string lack_;  // what the machine did not let us have: the campaign stops
  std::vector<Outside> outside_;
  bool broken_ = false;  // an engine's worker cannot be started: the campaign ends
};

void Supervisor::open() {
  make_folder(pending_);
  make_folder(o_.out + "/findings");
  store_ = std::make_unique<Store>(o_.out);
  std::vector<uint64_t> next = store_->load_progress();
  if (!next.empty() && !o_.resume) {
    fail("{} holds a campaign already; give --resume to go on with it, or another --out", o_.out);
  }
  std::string identity = campaign_identity(o_.campaign, o_.jobs);
  std::string known = store_->meta("identity");
  if (!known.empty() && known != identity) {
    fail("--resume needs the same seed, plans, oracles, policy and jobs as before ({}), got {}",
         known, identity);
  }
  store_->set_meta("identity", identity);
  for (const FindingRow& row : store_->findings()) know(row);
  base_ = store_->load_totals();
  base_reasons_ = store_->load_reasons();
  base_reach_ = Reach::parse(store_->meta("reach"));
  base_cost_ = Cost::parse(store_->meta("cost"));
  base_seconds_ = store_->load_seconds();
  base_after_ = std::strtod(store_->meta("seconds_after").c_str(), nullptr);
  slots_ = map_slots(o_.jobs);
  workers_.resize(static_cast<size_t>(o_.jobs));
  outside_.resize(workers_.size());
  for (int w = 0; w < o_.jobs; ++w) {
    uint64_t first = static_cast<uint64_t>(w);
    if (static_cast<size_t>(w) < next.size()) first = next[static_cast<size_t>(w)];
    slots_[w].next.store(first);
  }
}

void Supervisor::start(int w) {
  WorkerOptions options{campaign_, slots_[w].next.load(), static_cast<uint64_t>(o_.jobs),
                        o_.runs ? o_.runs : ~0ull, pending_};
  if (options.first >= options.end) {
    workers_[w].finished = true;
    return;
  }
  SpawnOptions how{.name = fmt::format("worker {}", w)};
  how.megabytes = o_.limits.megabytes;
  workers_[w] = {};
  workers_[w].child = spawn([&] { run_worker(options, slots_[w]); }, how);
}

void Supervisor::watch() {
  for (size_t w = 0; w < workers_.size(); ++w) workers_[w].kill_beyond(o_.limits, slots_[w]);
}

void Supervisor::reap() {
  if (std::optional<Ending> ending = triage_.ended()) triage_ended(*ending);
  for (size_t w = 0; w < workers_.size(); ++w) {
    if (std::optional<Ending> ending = workers_[w].child.ended())
      worker_died(static_cast<int>(w), *ending);
  }
}

// Did this child end because an engine outside is not to be had any more? It said so on stderr.
bool Supervisor::cannot_start(const Ending& ending) {
  const bool it_is = ending.signal == 0 && ending.status == kCannotStart;
  broken_ = broken_ || it_is;
  return it_is;
}

void Supervisor::worker_died(int w, const Ending& ending) {
  Watched& c = workers_[w];
  VerdictKind killed_for = c.killed_for;
  const bool stood_still = c.stood_still;
  if (stood_still) {
    std::fprintf(stderr,
                 "fusillade: worker %d stood still for %g s between two programs, as one that was "
                 "stopped does: another goes on in its place\n",
                 w, c.most_idle);
  }
  c = {};
  const bool again = slots_[w].again.exchange(false);
  if (ending.clean() && !again) {
    c.finished = true;
    return;
  }
  if (stopping_) return;
  if (cannot_start(ending)) return;
  if (ending.clean()) return start(w);
  if (ending.signal == 0 && ending.status == kLackStatus) {
    lack_ = fmt::format("worker {} could not have what it needs of the machine", w);
    return;
  }
  bool idle = stood_still || slots_[w].started_us.load() == 0;
  bool by_hand = ending.from_outside() && killed_for == VerdictKind::Ok;
  uint64_t index = slots_[w].index.load();
  bool ahead = slots_[w].next.load() <
               index;  // those before it are made, not judged: it comes again, when they are
  if (ahead) slots_[w].alone.store(index + 1);
  by_hand = by_hand && !(idle || ahead || ended_outside_again(w, index));
  if (!idle && !by_hand && !ahead) {
    if (ending.from_outside() && killed_for == VerdictKind::Ok) {
      skip("ended from outside, each time");
    } else if (killed_for == VerdictKind::Hang) {
      save_death(w, VerdictKind::Hang, "time");
      if (campaign_.use == Use::Check) see_whether_endless(index);
    } else if (killed_for == VerdictKind::Memory || ending.status == kOutOfMemory) {
      save_death(w, VerdictKind::Memory, "memory");
    } else if (ending.signal) {
      save_death(w, VerdictKind::Crash, fmt::format("signal {}", ending.signal));
    } else {
      save_death(w, VerdictKind::Bug, "exception");
    }
    slots_[w].from_stage.store(0);
    slots_[w].from_plan.store(0);
    slots_[w].next.store(index + static_cast<uint64_t>(o_.jobs));
  }
  slots_[w].started_us.store(0);
  start(w);
}

// A machine without memory, or a limit of processor time, ends the same program each time: it is
// given up, and said.
bool Supervisor::ended_outside_again(int w, uint64_t index) {
  constexpr int kTimes = 3;
  Outside& o = outside_[static_cast<size_t>(w)];
  o = {index, o.index == index ? o.times + 1 : 1};
  if (o.times < kTimes) return false;
  std::fprintf(stderr,
               "fusillade: seed=%llu index=%llu is left out: its worker was ended from outside %d "
               "times (no memory left on the machine, or ulimit -t)\n",
               static_cast<unsigned long long>(o_.campaign.seed),
               static_cast<unsigned long long>(index), kTimes);
  return true;
}

void Supervisor::skip(const std::string& reason) {
  ++deaths_.verdicts[static_cast<int>(VerdictKind::Skip)];
  ++base_reasons_[fmt::format("{}: {}", name_of(VerdictKind::Skip), reason)];
}

// Of a program that ended a worker by its memory.
bool Supervisor::is_too_large(uint64_t index, int stage) {
  const auto made = [&] {
    Trial trial = make_trial(o_.campaign, index);
    if (stage >= 0) trial.program.plans = trial.judgements[static_cast<size_t>(stage)].plans;
    return std::move(trial.program);
  };
  return !is_spree(made, o_.limits);
}

// The dead worker's program is made again, in a child: generation itself may be what crashed.
void Supervisor::save_death(int w, VerdictKind kind, const std::string& why) {
  uint64_t index = slots_[w].index.load();
  int stage = slots_[w].stage.load();
  if (kind == VerdictKind::Memory && is_too_large(index, stage)) return skip(kTooLarge);
  ++deaths_.verdicts[static_cast<int>(kind)];
  if (saved_deaths_[fmt::format("{}|{}|{}", name_of(kind), why, stage)]++ >= kSavedDeaths) {
    ++deaths_.unsaved;
    return;
  }
  const ChildResult made = remake_dead(o_.campaign, index, stage, kind, why, o_.limits);
  std::string path = fmt::format("{}/{:012d}-{}", pending_, index, stage);
  if (made.kind == ChildResult::Kind::Done && !made.output.empty()) {
    write_atomically(path + ".case", made.output);
    return;
  }
  FindingRow row;
  row.verdict = name_of(VerdictKind::Bug);
  row.oracle = "generate";
  row.bucket = "bug-generate-" + why.substr(0, why.find(' '));
  row.blame = print(Culprit{CulpritKind::Generator, "generator", {}});
  row.origin = fmt::format("seed={} index={}", o_.campaign.seed, index);
  row.first_seen = campaign_seconds();
  if (store_->add_finding(row)) {
    know(row);
    ++fresh_findings_;
    std::fprintf(stderr, "finding %s: generating the program dies (%s); %s\n%s", row.bucket.c_str(),
                 why.c_str(), row.origin.c_str(), visible_lines(made.log).c_str());
  }
}

// A given program that does not end in eager mode ends under no plan, and with few inputs: it is
// judged no more, for each judgement would take the whole time that it may.
void Supervisor::see_whether_endless(uint64_t index) {
  const size_t program = program_of_check(campaign_, index);
  if (campaign_.left_out.count(program)) return;
  auto job = [&]() -> std::string {
    const Trial trial = make_trial(campaign_, index);
    Prepared eager(trial.program, reference_plan());
    for (const Call& call : trial.program.calls) eager.run(call);
    return "ended";
  };
  if (run_isolated(job, o_.limits).kind == ChildResult::Kind::Hang)
    campaign_.left_out.insert(program);
}

// Pending cases that triage may finish in so many seconds, as far as is known.
std::vector<std::string> Supervisor::triable(double seconds) const {
  if (seconds < kUsefulTriage) return {};
  std::vector<std::string> out = cases_in(pending_);
  std::erase_if(out, [&](const std::string& name) {
    if (halved_.count(name) && share_.workers_ended == 0) return true;  // all of it comes later
    auto it = cut_.find(name);
    return it != cut_.end() && seconds < 2 * it->second;
  });
  return out;
}

const Untriaged& Supervisor::waiting(const std::string& name) {
  auto it = waiting_.find(name);
  return it != waiting_.end() ? it->second : waiting_[name] = read_pending(pending_ + "/" + name);
}

// Verdict and message; two of one symptom may be one cause.
std::string Supervisor::symptom_of(const std::string& name) {
  const Untriaged& told = waiting(name);
  return told.verdict + "|" + told.message;
}

bool Supervisor::hung(const std::string& name) {
  return waiting(name).verdict == name_of(VerdictKind::Hang);
}

// Pending cases of causes that are known, whatever triage will say of them, by record.
std::map<std::string, size_t> Supervisor::muted_pending() {
  std::map<std::string, size_t> out;
  for (const std::string& name : cases_in(pending_))
    if (const KnownRecord* record = o_.known.of(waiting(name))) ++out[record->name];
  return out;
}

TriageJob Supervisor::next_job(const std::vector<std::string>& waiting) {
  TriageJob job;
  job.known = &causes_;
  std::map<std::string, size_t> group;
  for (const std::string& name : waiting) ++group[symptom_of(name)];
  // 2: may join, not asked yet; 1: looks like nothing known, a hang last; 0: did not join.
  auto rank = [&](const std::string& name) {
    const bool asked = unlike_.count(name) && unlike_[name] >= findings_;
    const bool alike = symptoms_.count(symptom_of(name)) > 0;
    const int kind = alike ? (asked ? 0 : 2) : 1;
    return std::pair(kind, kind == 2 ? group[symptom_of(name)] : size_t{!hung(name)});
  };
  const std::string* best = &waiting.front();
  auto best_rank = rank(*best);
  for (const std::string& name : waiting) {
    const auto its_rank = rank(name);
    if (its_rank > best_rank) std::tie(best, best_rank) = std::pair(&name, its_rank);
  }
  job.path = pending_ + "/" + *best;
  job.only_join = best_rank.first == 2;
  return job;
}

void Supervisor::start_triage() {
  if (triage_.alive()) return;
  const double allowance = share_.left(elapsed());
  std::vector<std::string> waiting = triable(allowance);
  if (waiting.empty()) return;
  TriageJob job = next_job(waiting);
  triaging_ = job.path.substr(pending_.size() + 1);
  triage_started_ = campaign_seconds();
  // A hang may take all that there is: while programs run, half is kept for what shows otherwise.
  triage_halved_ = hung(triaging_) && share_.workers_ended == 0;
  triage_allowance_ = triage_halved_ ? allowance / 2 : allowance;
  job.budget = std::min(triage_allowance_ * (1 - kToEndATriage), o_.triage_seconds);
  triage_ = spawn([&] { triage_file(o_.out, job, o_.limits); }, {.name = "triage of " + triaging_});
}

void Supervisor::cut_triage() {
  if (!triage_.alive()) return;
  const double taken = campaign_seconds() - triage_started_;
  const bool written = access((pending_ + "/" + triaging_ + ".json").c_str(), F_OK) == 0;
  if (taken < triage_allowance_ + (written ? kScriptShare : 0)) return;
  triage_.end();
  share_.used += taken;
  if (written) return keep_triage(true);
  if (triage_halved_) halved_.insert(triaging_);
  else cut_[triaging_] = triage_allowance_;
}

void Supervisor::triage_ended(const Ending& ending) {
  if (stopping_) return;
  share_.used += campaign_seconds() - triage_started_;
  if (ending.signal == 0 && ending.status == kLackStatus) {
    lack_ = "the triage of a finding could not have what it needs of the machine";
    return;
  }
  if (cannot_start(ending)) return;  // still pending
  if (ending.from_outside() && ++killed_triages_[triaging_] < kTriageAttempts)
    return;  // still pending: tried again
  keep_triage(ending.clean());
}

// A finding that is in the store now, or was.
void Supervisor::know(const FindingRow& row) {
  ++findings_;
  Cause cause = parse_cause(row.cause);
  symptoms_.insert(cause.verdict + "|" + cause.message);
  if (!print(cause.part).empty()) causes_.push_back({row.bucket, std::move(cause)});
}

// What the triage that ended came to.
void Supervisor::keep_triage(bool succeeded) {
  std::string path = pending_ + "/" + triaging_;
  std::optional<FindingRow> result = read_triage_result(path, succeeded);
  unlink((path + ".json").c_str());
  if (!result) {
    skip(kTooLarge);
    unlink(path.c_str());
    return;
  }
  FindingRow& row = *result;
  row.first_seen = triage_started_;
  if (row.bucket.empty()) {
    unlike_[triaging_] = findings_;
    return;
  }
  bool fresh = store_->add_finding(row);
  if (fresh) {
    know(row);
    if (!muted(row)) ++fresh_findings_;
    announce_finding(o_.out, row, o_.known.of(row));
  } else {
    list_joined(o_.out, row);
  }
  unlink(path.c_str());
  unlink(begun_beside(path).c_str());
}

Counters Supervisor::totals() const {
  Counters c = base_;
  c += deaths_;
  for (int w = 0; w < o_.jobs; ++w) c += slots_[w].snapshot();
  return c;
}

std::map<std::string, uint64_t> Supervisor::reasons() const {
  std::map<std::string, uint64_t> out = base_reasons_;
  for (int w = 0; w < o_.jobs; ++w) {
    for (const ReasonCount& r : slots_[w].reasons) {
      if (r.count) out[std::string(r.text, strnlen(r.text, kReasonLength))] += r.count;
    }
  }
  return out;
}

Reach Supervisor::reach() const {
  Reach out = base_reach_;
  for (int w = 0; w < o_.jobs; ++w) out.add(slots_[w]);
  return out;
}

void Supervisor::keep_books(bool last) {
  constexpr int64_t kReachUs = 10'000'000;
  int64_t now = now_us();
  if (!last && now - last_books_us_ < 1'000'000) return;
  last_books_us_ = now;
  const Reach reached = reach();
  if (last || now - last_reach_us_ >= kReachUs) {
    store_->set_meta("reach", reached.text());
    store_->set_meta("cost", cost().text());
    last_reach_us_ = now;
  }
  std::vector<uint64_t> next;
  for (int w = 0; w < o_.jobs; ++w) next.push_back(slots_[w].next.load());
  const Counters counted = totals();
  Sample sample{.seconds = campaign_seconds(),
                .programs = counted.programs,
                .findings = findings_,
                .rows = reached.rows.size(),
                .rewrites = reached.rewrites.size()};
  sample.count(counted.verdicts);
  store_->save_progress(next, counted, reasons(), sample);
  if (o_.progress) {
    print_progress(totals(), campaign_seconds() - base_after_, elapsed(), o_.jobs, findings_,
                   cases_in(pending_).size());
  }
}

void Supervisor::stop_workers() {
  stopping_ = true;
  for (Watched& c : workers_) c.child.kill();
  for (Watched& c : workers_) c.child.end();
  stopping_ = false;
}

int Supervisor::exit_code() {
  if (!lack_.empty()) return kUsage;
  if (g_stop) return kInterrupted;
  if (broken_) {
    std::fprintf(stderr,
                 "%sthe campaign ended at its %llu. program: what it compares with cannot be "
                 "started; --resume goes on with it\n",
                 kErrorHead, static_cast<unsigned long long>(totals().programs + 1));
    return kUsage;
  }
  const std::vector<FindingRow> found = store_->findings();
  const bool open =
      std::any_of(found.begin(), found.end(), [&](const FindingRow& row) { return !muted(row); });
  size_t muted_waiting = 0;
  for (const auto& [record, cases] : muted_pending()) muted_waiting += cases;
  if (open || cases_in(pending_).size() > muted_waiting) return kFindings;
  Counters c = totals();
  uint64_t judged = 0;
  for (uint64_t v : c.verdicts) judged += v;
  uint64_t idle = c.verdicts[static_cast<int>(VerdictKind::Skip)] +
                  c.verdicts[static_cast<int>(VerdictKind::Untrusted)];
  bool useless = judged == 0 || static_cast<double>(judged - idle) < o_.min_yield * judged;
  if (useless) {
    std::fprintf(
        stderr,
        "inconclusive: %llu of %llu judgements compared something; --min-yield asks for %g\n",
        static_cast<unsigned long long>(judged - idle), static_cast<unsigned long long>(judged),
        o_.min_yield);
    return kInconclusive;
  }
  return kOk;
}

// Until something says that it is enough.
void Supervisor::hunt() {
  nurse_outside(o_.campaign.plans);
  for (int w = 0; w < o_.jobs; ++w) start(w);
  while (!stopped() && !out_of_time() && !enough_findings() && !workers_done()) {
    usleep(20000);
    reap();
    watch();
    cut_triage();
    start_triage();
    keep_books(false);
  }
}

// What was found is triaged as far as the time goes; a signal or enough findings cut this short
// (the cases stay pending).
void Supervisor::triage_the_rest() {
  auto more = [&] { return !triable(share_.left(elapsed())).empty(); };
  while (!stopped() && !enough_findings() && (triage_.alive() || more())) {
    start_triage();
    usleep(20000);
    reap();
    cut_triage();
  }
}

int Supervisor::run() {
  open();
  on_stop_signals(&on_signal, 0);
  start_us_ = now_us();
  share_.asked = o_.max_seconds;
  share_.least = asks_outside(o_.campaign.plans) ? kLeastShareOutside : kLeastShare;
  try {
    hunt();
  } catch (const Error& e) {
    lack_ = e.what();
  }
  stop_workers();
  share_.workers_ended = elapsed();
  try {
    triage_the_rest();
  } catch (const Error& e) {
    lack_ = e.what();
  }
  int code = kUsage;
  try {
    code = end();
  } catch (const Error& e) {
    if (lack_.empty()) lack_ = e.what();
  }
  if (!lack_.empty())
    fail("{}; the campaign in {} was stopped, and --resume goes on with it", lack_, o_.out);
  return code;
}

// Books, and what is written of them.
int Supervisor::end() {
  if (triage_.alive()) share_.used += campaign_seconds() - triage_started_;
  triage_.end();
  keep_books(true);
  const double after = base_after_ + elapsed() - share_.workers_ended;
  store_->set_meta("seconds_after", fmt::format("{}", after));
  std::map<std::string, std::vector<std::string>> shown;
  for (const std::string& name : cases_in(pending_)) shown[symptom_of(name)].push_back(name);
  Ended ended{totals(),
              reasons(),
              reach(),
              campaign_seconds(),
              after,
              share_.used,
              cases_in(pending_).size(),
              std::move(shown),
              muted_pending(),
              cost()};
  ended.exit_code = exit_code();
  const std::vector<FindingRow> found = store_->findings();
  for (const FindingRow& row : found) write_case_count(o_.out, row.bucket, row.count);
  announce_known(o_.known, found, ended.muted,
                 o_.campaign.plans.empty() ? default_plans() : o_.campaign.plans);
  write_outputs(o_, *store_, ended);
  return ended.exit_code;
}

}  // namespace

int run_campaign(const SupervisorOptions& options) {
  validate(options.campaign);
  require_room(options.limits);
  if (options.resume) require_resumable(options.out);
  lock_folder(options.out);
  require_whole(options.out);
  return Supervisor(options).run();
}

}  // namespace fusillade::fuzz
