// See supervisor.h. One loop, a few times a second, that joins a pool of workers (worker_pool.h), a
// queue of cases that wait for triage (triage_queue.h) and the books (books.h): has a worker died
// (save what it was judging), is there a pending case and no triage running (start one, in a
// child), has a triage ended (fold its result into the store)?
#include "fuzz/campaign/supervisor.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "engine/base/text.h"
#include "engine/base/visible.h"
#include "engine/run/plan.h"
#include "fuzz/campaign/books.h"
#include "fuzz/campaign/corpus_books.h"
#include "fuzz/campaign/folder.h"
#include "fuzz/campaign/outputs.h"
#include "fuzz/campaign/pending.h"
#include "fuzz/campaign/triage_queue.h"
#include "fuzz/campaign/triage_result.h"
#include "fuzz/campaign/worker.h"
#include "fuzz/campaign/worker_pool.h"
#include "fuzz/judge/whose_limit.h"
#include "fuzz/process/exit_code.h"
#include "fuzz/process/room.h"
#include "fuzz/process/stop_signals.h"
#include "fuzz/process/unstartable.h"
#include "fuzz/run/foreign/family.h"

namespace fusillade::fuzz {
namespace {

constexpr double kToEndATriage = 0.2;  // of what one may take, beyond blame and reduction

volatile sig_atomic_t g_stop = 0;
void on_signal(int) { g_stop = 1; }

TriageShare share_of(const SupervisorOptions& o) {
  const bool outside = std::ranges::any_of(
      o.campaign.plans, [](const Plan& plan) { return is_outside(plan.engine); });
  const double least = o.compares_releases ? kLeastShareOfReleases
                       : outside           ? kLeastShareOutside
                                           : kLeastShare;
  return {.least = least, .asked = o.max_seconds};
}

class Supervisor {
 public:
  explicit Supervisor(SupervisorOptions options)
      : o_(std::move(options)),
        pending_(pending_folder(o_.out)),
        books_(o_),
        corpus_(o_, books_.store()),
        queue_(share_of(o_)),
        campaign_(o_.campaign),
        pool_(crew(), obstacle_) {
    for (const FindingRow& row : books_.store().findings()) queue_.know(row);
    for (const auto& [name, findings] : books_.store().join_attempts())
      queue_.did_not_join(name, findings);
  }

  int run();

 private:
  Crew crew();
  void hunt();
  void judge_corpus();
  template <class Until>
  void work(const Until& until);
  void triage_the_rest();
  void save_death(const Death& death);
  void save_hang(const Death& death);
  std::optional<TriagePick> next_pick();
  void start_triage();
  void cut_triage();
  void reap_triage();
  void keep_triage(bool succeeded);
  void note_hit(const FindingRow& row);
  void see_waiting();
  double triage_seconds() const { return books_.seconds() - triage_started_; }
  bool is_enough() const {
    return g_stop || obstacle_ || (o_.max_findings > 0 && fresh_findings_ >= o_.max_findings);
  }
  bool out_of_time() const {
    return o_.max_seconds > 0 && books_.hunting_seconds() >= o_.max_seconds;
  }
  std::optional<Stop> why_stopped() const;  // none: it came to its end
  int end();

  SupervisorOptions o_;
  std::string pending_;
  Obstacle obstacle_;
  Books books_;
  CorpusBooks corpus_;
  TriageQueue queue_;
  CampaignOptions campaign_;  // as asked for, less what turned out to be endless
  WorkerPool pool_;
  Child triage_;
  TriagePick triaged_;  // by the child
  const TriageResult triage_result_;
  double triage_started_ = 0;  // when its finding was noticed
  uint64_t fresh_findings_ = 0;
};

Crew Supervisor::crew() {
  std::vector<std::string> writes = {pending_};
  if (!o_.campaign.corpus.empty()) writes.push_back(o_.campaign.corpus);
  return {.jobs = o_.jobs,
          .seed = o_.campaign.seed,
          .limits = o_.limits,
          .writes = std::move(writes),
          .work =
              [this](const Assignment& assignment, Slot& slot) {
                run_worker({campaign_, assignment, pending_, corpus_.seen_features()}, slot);
              },
          .died =
              [this](const Death& death) {
                if (death.kind == VerdictKind::Hang) save_hang(death);
                else save_death(death);
              }};
}

// A given program that does not end in eager mode ends under no plan, and with few inputs: it is
// judged no more, for each judgement would take the whole time that it may.
void Supervisor::save_hang(const Death& death) {
  const Late late = who_is_late(campaign_, death, o_.limits);
  if (late == Late::Judging) return books_.count_skip(kTooLong);
  if (late == Late::Eager && is_replay(death.index))
    return books_.count_skip("a case of the corpus that does not end in eager mode");
  save_death(death);
  if (late == Late::Eager && campaign_.use == Use::Check)
    campaign_.left_out.insert(program_of_check(campaign_, death.index));
}

void Supervisor::save_death(const Death& d) {
  const bool too_large = d.kind == VerdictKind::Memory && is_too_large(o_.campaign, d, o_.limits);
  if (too_large || d.kind == VerdictKind::Skip)
    return books_.count_skip(too_large ? kTooLarge : d.why);
  const bool saved = queue_.saves_death(fmt::format("{}|{}|{}", name_of(d.kind), d.why, d.stage));
  books_.count_death(d.kind, saved);
  if (!saved) return;
  std::optional<FailedGeneration> failed = save_dead(o_.campaign, d, pending_, o_.limits);
  if (!failed) return;
  failed->finding.first_seen = books_.seconds();
  if (!books_.store().add_finding(failed->finding, fmt::format("{:012d}-unmade", d.index)))
    return note_hit(failed->finding);
  books_.note_productions();
  queue_.know(failed->finding);
  ++fresh_findings_;
  std::fputs(failed->message.c_str(), stderr);
}

void Supervisor::see_waiting() {
  queue_.set_waiting(cases_in(pending_), [this](const std::string& name) {
    Untriaged out = read_pending(pending_ + "/" + name);
    out.begun = std::filesystem::exists(progress_path(pending_ + "/" + name));
    return out;
  });
}

std::optional<TriagePick> Supervisor::next_pick() {
  if (!queue_.has_time(books_.elapsed_seconds())) return {};
  see_waiting();
  return queue_.next(books_.elapsed_seconds());
}

void Supervisor::start_triage() {
  if (triage_.alive()) return;
  std::optional<TriagePick> pick = next_pick();
  if (!pick) return;
  triaged_ = std::move(*pick);
  queue_.begin(triaged_);
  triage_started_ = books_.seconds();
  const TriageJob job{.path = pending_ + "/" + triaged_.name,
                      .budget = std::min(triaged_.seconds * (1 - kToEndATriage), o_.triage_seconds),
                      .known = &queue_.causes(),
                      .only_join = triaged_.why == TriagePick::Why::MayJoin,
                      .result = &triage_result_};
  triage_result_.clear();
  triage_ =
      spawn([&] { triage_file(o_.out, job, o_.limits); }, {.name = "triage of " + triaged_.name});
}

void Supervisor::cut_triage() {
  if (!triage_.alive()) return;
  const double taken = triage_seconds();
  const bool written = triage_result_.is_written();
  if (taken < triaged_.seconds + (written ? kScriptShare : 0)) return;
  triage_.end();
  queue_.add_time(taken);
  if (written) keep_triage(true);
  else queue_.cut(triaged_);
}

void Supervisor::reap_triage() {
  const std::optional<Ending> ending = triage_.try_reap();
  if (!ending) return;
  queue_.add_time(triage_seconds());
  if (obstacle_.note(*ending, "the triage of a finding")) return;  // still pending
  const bool starved = ending->signal == 0 && ending->status == kOutOfMemory;
  if ((ending->from_outside() || starved) && queue_.note_killed(triaged_)) return;  // tried again
  keep_triage(ending->clean());
}

// What the triage that ended came to.
void Supervisor::keep_triage(bool succeeded) {
  const std::string path = pending_ + "/" + triaged_.name;
  std::string let_go;
  std::optional<FindingRow> row = read_triage_result(path, triage_result_, succeeded, &let_go);
  if (!row) {
    books_.count_skip(let_go);
    books_.store().let_go(triaged_.name);
    unlink(path.c_str());
    return;
  }
  row->first_seen = triage_started_;
  if (row->bucket.empty()) {
    queue_.did_not_join(triaged_);
    return books_.store().note_asked(triaged_.name, queue_.findings());
  }
  if (books_.store().add_finding(*row, triaged_.name)) {
    books_.note_productions();
    queue_.know(*row);
    const KnownRecord* muted = o_.known.of(*row);
    if (!muted) ++fresh_findings_;
    announce_finding(o_.out, *row, muted);
    corpus_.add(*row);
  } else {
    list_joined(o_.out, *row);
    note_hit(*row);
  }
  unlink(path.c_str());
  unlink(progress_path(path).c_str());
}

// A finding that is not new; one that was closed is news.
void Supervisor::note_hit(const FindingRow& row) {
  if (!books_.shows_again(row)) return;
  if (!o_.known.of(row)) ++fresh_findings_;
  std::fprintf(stderr, "\nreopened  %s: it was closed, and a case shows it again\n",
               visible_line(row.bucket).c_str());
}

std::optional<Stop> Supervisor::why_stopped() const {
  if (!obstacle_.lack.empty()) return Stop{kUsage, obstacle_.lack};
  if (g_stop) return Stop{kInterrupted, "a signal stopped it"};
  if (!obstacle_.unstartable) return {};
  std::set<std::string> families;
  for (const Plan& plan : o_.campaign.plans)
    if (is_outside(plan.engine)) families.insert("'" + family_of(plan.engine).name + ":'");
  return Stop{kUsage, fmt::format("the worker of {} cannot be started",
                                  join({families.begin(), families.end()}, " or of "))};
}

// Until that is so, or something says that it is enough.
template <class Until>
void Supervisor::work(const Until& until) {
  while (!is_enough() && !until() && !pool_.has_finished()) {
    usleep(20000);
    reap_triage();
    pool_.look();
    cut_triage();
    start_triage();
    corpus_.keep(books_.seconds());
    books_.keep(queue_.findings(), false);
  }
}

// The corpus' cases, for the share of the time that they have. What a signal cut goes on when the
// campaign does.
void Supervisor::judge_corpus() {
  books_.begin_replays(corpus_.to_judge());
  pool_.start(books_.replays(), kEndless);
  work([this] { return out_of_time() || corpus_.is_over(books_.hunting_seconds()); });
  if (is_enough()) return;
  pool_.stop();
  corpus_.end_replays(books_.end_replays());
}

void Supervisor::hunt() {
  nurse_outside(o_.campaign.plans);
  if (out_of_time()) return report_time_over(o_, books_.hunting_seconds());
  if (corpus_.any()) judge_corpus();
  if (is_enough()) return;
  pool_.start(books_.lots(), o_.runs ? o_.runs : kEndless);
  work([this] { return out_of_time(); });
}

// What was found is triaged as far as the time goes; a signal or enough findings cut this short
// (the cases stay pending).
void Supervisor::triage_the_rest() {
  while (!is_enough() && (triage_.alive() || next_pick())) {
    start_triage();
    usleep(20000);
    reap_triage();
    cut_triage();
  }
}

int Supervisor::run() {
  on_stop_signals(&on_signal, 0);
  std::fputs(o_.greeting.c_str(), stderr);
  books_.start(pool_.slots());
  int code = kUsage;
  const auto unless_it_lacks = [this](auto step) {
    try {
      step();
    } catch (const Error& e) {
      if (obstacle_.lack.empty()) obstacle_.lack = e.what();
    } catch (const Unstartable&) {  // reported by the child that met it
      obstacle_.unstartable = true;
    }
  };
  unless_it_lacks([&] { hunt(); });
  pool_.stop();
  queue_.workers_ended(books_.end_of_workers());
  unless_it_lacks([&] { triage_the_rest(); });
  unless_it_lacks([&] { code = end(); });
  if (!obstacle_.lack.empty())
    fail("{}; the campaign in {} was stopped, and --resume goes on with it", obstacle_.lack,
         o_.out);
  return code;
}

int Supervisor::end() {
  if (triage_.alive()) queue_.add_time(triage_seconds());
  triage_.end();
  see_waiting();
  books_.keep(queue_.findings(), true);
  corpus_.close(books_.seconds());
  const std::optional<Stop> stop = why_stopped();
  if (stop && obstacle_.unstartable)
    std::fprintf(stderr, "%sthe campaign ended after %llu program(s): %s; --resume goes on\n",
                 kErrorHead, static_cast<unsigned long long>(books_.totals().programs),
                 stop->why.c_str());
  return books_.close(queue_, stop, corpus_.report(books_.totals().replayed));
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
