// See alarm_search.h. One program in kSchedules meets the oracle `schedules`, too: what transforms
// make of its kernels is as legal. Workers take programs in blocks of kSchedules, so that each has
// its share of these.
#include "fuzz/campaign/alarm_search.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/lack.h"
#include "engine/base/visible.h"
#include "engine/tensor/memory_pool.h"
#include "fuzz/campaign/worker_pool.h"
#include "fuzz/gen/generate.h"
#include "fuzz/oracle/oracle.h"
#include "fuzz/oracle/selftest.h"
#include "fuzz/process/heap.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/process/room.h"
#include "fuzz/process/shared_memory.h"

namespace fusillade::fuzz {
namespace {

constexpr uint64_t kSchedules = 64;
constexpr size_t kKept = size_t{32} << 20;

// Of all workers, in memory that they share.
struct Totals {
  std::atomic<uint64_t> checked, untrusted, skipped, alarms, schedules, left_out;
  std::atomic<uint64_t> compared, tight, unknown;  // elements
};

void report_left_out(const AlarmOptions& o, uint64_t index) {
  std::fprintf(stderr,
               "left out: seed %lu index %lu needs more than %zu MB of memory (--rss-limit-mb)\n",
               o.seed, index, o.megabytes);
}

class AlarmWorker {
 public:
  AlarmWorker(const AlarmOptions& o, Totals& totals, Slot& slot)
      : o_(o), totals_(totals), slot_(slot) {
    generate_.policy = o.policy;
    generate_.calls = 1;
  }

  void judge_all(const Assignment& assignment) {
    heartbeat_at(&slot_.started_us);
    keep_small_blocks();
    keep_large(kKept);
    for (uint64_t i = assignment.first; i < assignment.end;) {
      slot_.begin_program(i, 0);
      judge(i);
      commit();
      i = assignment.lot.from(i + 1);
      slot_.started_us.store(0, std::memory_order_release);
      slot_.next.store(i, std::memory_order_release);
    }
  }

 private:
  void judge(uint64_t index) {
    try {
      judge_program(index);
    } catch (const std::bad_alloc&) {
      if (!noted_lack().empty()) throw;  // of the machine
      report_left_out(o_, index);
      judged_.left_out = 1;
    } catch (const Error& e) {
      fail("seed {} index {}: {}", o_.seed, index, e.what());
    }
  }

  void judge_program(uint64_t index) {
    Choices choices(o_.seed, index);
    GenerateOptions options = generate_;
    options.sizes = draw_sizes(o_.seed, index, false);
    Case c = generate_case(choices, options);
    c.origin = fmt::format("seed={} index={} {}", o_.seed, index, c.origin);
    if (index % kSchedules == 0 && c.script.empty()) judge_schedules(c, index);
    const Verdict v = judge_variant(c, o_.seed ^ index * 0x9e3779b97f4a7c15ull, o_.ulps);
    judged_.elements = v.elements;
    if (is_finding(v.kind)) report_alarm(c, v, index);
    if (v.kind == VerdictKind::Untrusted) ++judged_.untrusted;
    else if (v.kind == VerdictKind::Skip) ++judged_.skipped, reason_ = v.reason;
    else ++judged_.checked;
  }

  void judge_schedules(const Case& c, uint64_t index) {
    Verdict v = oracle("schedules").judge(c);
    v.oracle = "schedules";
    if (v.kind == VerdictKind::Ok) ++judged_.schedules;
    if (is_finding(v.kind)) report_alarm(v.shown_by ? *v.shown_by : c, v, index);
  }

  void report_alarm(const Case& c, Verdict v, uint64_t index) {
    const bool is_first = totals_.alarms++ == 0;  // now: it was told, whatever ends this worker
    if (v.oracle.empty()) v.oracle = "differential";
    v.plan = {};
    std::fprintf(stderr, "false alarm at seed %lu index %lu: %s\n", o_.seed, index,
                 visible_lines(v.detail).c_str());
    if (!o_.out.empty())
      write_atomically(fmt::format("{}/alarm-{}.case", o_.out, index), print(finding_case(c, v)));
    else if (is_first) std::fprintf(stderr, "%s", print(finding_case(c, v)).c_str());
  }

  // A program is counted when it is done: one that its worker died of comes again, or is left out.
  void commit() {
    totals_.checked += judged_.checked;
    totals_.untrusted += judged_.untrusted;
    totals_.skipped += judged_.skipped;
    totals_.schedules += judged_.schedules;
    totals_.left_out += judged_.left_out;
    totals_.compared += judged_.elements.compared;
    totals_.tight += judged_.elements.tight;
    totals_.unknown += judged_.elements.untrusted;
    if (judged_.skipped) slot_.count_reason(reason_);
    judged_ = {};
  }

  const AlarmOptions& o_;
  GenerateOptions generate_;
  Totals& totals_;
  Slot& slot_;
  AlarmCounts judged_;  // the program at work
  std::string reason_;  // and why it was skipped
};

// Blocks of kSchedules programs, by turns.
std::vector<Lot> deal_blocks(const AlarmOptions& o) {
  const auto jobs = static_cast<uint64_t>(o.jobs);
  std::vector<Lot> out(jobs);
  for (uint64_t i = 0; i < kSchedules * jobs; ++i)
    out[i / kSchedules].add({o.first + i, kSchedules * jobs, o.first + o.runs});
  return out;
}

class AlarmSearch {
 public:
  explicit AlarmSearch(const AlarmOptions& options)
      : o_(options),
        totals_(*new(map_shared(sizeof(Totals))) Totals{}),
        lots_(deal_blocks(options)),
        pool_(crew(), obstacle_) {}

  AlarmCounts run() {
    pool_.start(lots_, o_.first + o_.runs);
    while (!pool_.has_finished() && !obstacle_ && broken_.empty()) {
      usleep(kTick);
      pool_.look();
    }
    pool_.stop();
    if (!broken_.empty()) fail("{}", broken_);
    if (obstacle_) fail("{}", obstacle_.lack);
    return counts();
  }

 private:
  static constexpr useconds_t kTick = 20000;

  Crew crew() {
    return {.jobs = o_.jobs,
            .seed = o_.seed,
            .limits = {std::numeric_limits<double>::infinity(), o_.megabytes},
            .writes = o_.out.empty() ? std::vector<std::string>() : std::vector{o_.out},
            .work = [this](const Assignment& assignment,
                           Slot& slot) { AlarmWorker(o_, totals_, slot).judge_all(assignment); },
            .died = [this](const Death& death) { note_death(death); }};
  }

  void note_death(const Death& d) {
    if (d.kind == VerdictKind::Memory) report_left_out(o_, d.index);
    if (d.kind == VerdictKind::Memory || d.kind == VerdictKind::Skip) ++totals_.left_out;
    else broken_ = fmt::format("seed {} index {}: {}", o_.seed, d.index, d.why);
  }

  AlarmCounts counts() const {
    AlarmCounts out{.checked = totals_.checked,
                    .untrusted = totals_.untrusted,
                    .skipped = totals_.skipped,
                    .alarms = totals_.alarms,
                    .schedules = totals_.schedules,
                    .left_out = totals_.left_out,
                    .reasons = {},
                    .elements = {totals_.compared, totals_.tight, totals_.unknown}};
    for (int w = 0; w < o_.jobs; ++w) {
      for (const ReasonCount& r : pool_.slots()[w].reasons)
        if (r.count) out.reasons[std::string(r.text, strnlen(r.text, kReasonLength))] += r.count;
    }
    return out;
  }

  const AlarmOptions& o_;
  Totals& totals_;
  const std::vector<Lot> lots_;
  std::string broken_;  // what ended it, and where
  Obstacle obstacle_;
  WorkerPool pool_;
};

}  // namespace

AlarmCounts search_alarms(const AlarmOptions& options) {
  require_room({0, options.megabytes});
  return AlarmSearch(options).run();
}

}  // namespace fusillade::fuzz
