// See whose_limit.h.
#include "fuzz/judge/whose_limit.h"

#include <algorithm>
#include <ctime>
#include <optional>
#include <sstream>

#include "engine/tensor/peak.h"
#include "engine/tensor/tensor.h"
#include "fuzz/case/against.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {
namespace {

// So many times what eager mode takes is what an oracle may take for a case: eight calls, each with
// its inputs, its values, their bounds (two doubles and more for an element of one byte) and
// copies.
constexpr size_t kJudging = 64;
// Bytes that an oracle may hold for each second of eager mode's: records of the operators that ran,
// of which a loop runs some millions a second.
constexpr double kRecorded = 16e9;

// Every call, one after the other, values let go. False where one ran out of memory.
bool fits(const Case& c, const Plan& plan) {
  const Prepared ready(c, plan);
  return std::ranges::all_of(c.calls, [&](const Call& call) {
    heartbeat();
    return ready.run(call).kind != Outcome::Kind::Memory;
  });
}

struct Effort {
  size_t bytes = 0;    // at its peak, more than were live before
  double seconds = 0;  // of the processor
};

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// None: it ran out of memory.
std::optional<Effort> effort_of_eager(const Case& c) {
  const size_t before = Storage::live_bytes();
  const double start = processor_seconds();
  restart_peak();
  if (!fits(c, reference_plan())) return std::nullopt;
  return Effort{peak_bytes() - before, processor_seconds() - start};
}

bool is_ours(const Plan& plan) {
  return !plan.empty() && plan != reference_plan() && !is_outside(plan.engine);
}

bool leaves_room(const Effort& effort, size_t budget) {
  return budget == 0 || (effort.bytes <= budget / kJudging &&
                         effort.seconds * kRecorded <= static_cast<double>(budget));
}

bool leaves_time(const Effort& effort, double limit) {
  return limit <= 0 || effort.seconds <= limit / kJudging;
}

// What became of eager mode in a process of its own.
struct Asked {
  ChildResult::Kind kind = ChildResult::Kind::Done;
  std::optional<Effort> effort;  // none: it did not end, or ran out of memory
  bool elsewhere = false;        // is another engine, or another build of ours, asked, too?
  std::vector<size_t> plans_of_ours;
};

bool is_asked_elsewhere(const Case& c) {
  return c.oracle == kAgainst ||
         std::ranges::any_of(c.plans, [](const Plan& plan) { return is_outside(plan.engine); });
}

Asked ask_eager(const std::function<Case()>& make_case, const Limits& limits) {
  const auto job = [&] {
    const Case c = make_case();
    const std::optional<Effort> effort = effort_of_eager(c);
    if (!effort) return std::string();
    std::string out =
        fmt::format("{} {} {:d}", effort->bytes, effort->seconds, is_asked_elsewhere(c));
    for (size_t i = 0; i < c.plans.size(); ++i)
      if (is_ours(c.plans[i])) out += fmt::format(" {}", i);
    return out;
  };
  const ChildResult r = run_isolated(job, limits);
  Asked out;
  out.kind = r.kind;
  std::istringstream words(r.output);
  Effort effort;
  if (words >> effort.bytes >> effort.seconds >> out.elsewhere) out.effort = effort;
  for (size_t plan = 0; words >> plan;) out.plans_of_ours.push_back(plan);
  return out;
}

// One plan alone, in a process of its own.
ChildResult run_plan(const std::function<Case()>& make_case, size_t plan, const Limits& limits) {
  const auto job = [&] {
    const Case c = make_case();
    return std::string(fits(c, c.plans.at(plan)) ? "fits" : "");
  };
  return run_isolated(job, limits);
}

}  // namespace

bool is_spree(const Case& c, const Plan& plan) {
  const std::optional<Effort> effort = effort_of_eager(c);
  if (!effort) return false;
  if (leaves_room(*effort, budget_bytes())) return true;
  return is_ours(plan) && !fits(c, plan);
}

bool is_spree(const std::function<Case()>& make_case, const Limits& limits) {
  const Asked eager = ask_eager(make_case, limits);
  if (eager.kind == ChildResult::Kind::Memory) return false;
  if (eager.kind != ChildResult::Kind::Done) return true;
  if (!eager.effort) return false;
  if (leaves_room(*eager.effort, limits.megabytes << 20)) return true;
  return std::ranges::any_of(eager.plans_of_ours, [&](size_t plan) {
    const ChildResult r = run_plan(make_case, plan, limits);
    return r.kind == ChildResult::Kind::Memory ||
           (r.kind == ChildResult::Kind::Done && r.output.empty());
  });
}

Late who_is_late(const std::function<Case()>& make_case, const Limits& limits) {
  const Asked eager = ask_eager(make_case, limits);
  if (eager.kind == ChildResult::Kind::Hang) return Late::Eager;
  if (!eager.effort || eager.elsewhere || leaves_time(*eager.effort, limits.seconds))
    return Late::Other;
  const bool plan_is = std::ranges::any_of(eager.plans_of_ours, [&](size_t plan) {
    return run_plan(make_case, plan, limits).kind == ChildResult::Kind::Hang;
  });
  return plan_is ? Late::Other : Late::Judging;
}

}  // namespace fusillade::fuzz
