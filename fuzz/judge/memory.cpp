// See memory.h.
#include "fuzz/judge/memory.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include "engine/tensor/peak.h"
#include "engine/tensor/tensor.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {
namespace {

// So many times eager mode's peak is what an oracle may hold of a case: eight calls, each with its
// inputs, its values, their bounds (two doubles and more for an element of one byte) and copies.
constexpr size_t kJudging = 64;

// Every call, one after the other, values let go. False where one ran out of memory.
bool fits(const Case& c, const Plan& plan) {
  const Prepared ready(c, plan);
  return std::ranges::all_of(c.calls, [&](const Call& call) {
    heartbeat();
    return ready.run(call).kind != Outcome::Kind::Memory;
  });
}

// Peak bytes that eager mode adds to what was live before; none: they were too many.
std::optional<size_t> peak_of_eager(const Case& c) {
  const size_t before = Storage::live_bytes();
  restart_peak();
  if (!fits(c, reference_plan())) return std::nullopt;
  return peak_bytes() - before;
}

bool is_ours(const Plan& plan) {
  return !plan.empty() && plan != reference_plan() && !is_outside(plan.engine);
}

bool leaves_room(size_t peak, size_t budget) { return budget == 0 || peak <= budget / kJudging; }

}  // namespace

bool is_spree(const Case& c, const Plan& plan) {
  const std::optional<size_t> peak = peak_of_eager(c);
  if (!peak) return false;
  if (leaves_room(*peak, budget_bytes())) return true;
  return is_ours(plan) && !fits(c, plan);
}

bool is_spree(const std::function<Case()>& make_case, const Limits& limits) {
  const auto too_large = [&](const std::function<std::string()>& job, std::string& said) {
    ChildResult r = run_isolated(job, limits);
    said = std::move(r.output);
    return r.kind == ChildResult::Kind::Memory || said == kTooLarge;
  };
  std::string said;
  const auto eager = [&]() -> std::string {
    const Case c = make_case();
    const std::optional<size_t> peak = peak_of_eager(c);
    if (!peak) return kTooLarge;
    std::string out = leaves_room(*peak, budget_bytes()) ? "room" : "none";
    for (size_t i = 0; i < c.plans.size(); ++i)
      if (is_ours(c.plans[i])) out += "\n" + std::to_string(i);
    return out;
  };
  if (too_large(eager, said)) return false;
  std::istringstream lines(said);
  std::string room;
  lines >> room;
  if (room != "none") return true;
  for (size_t plan = 0; lines >> plan;) {
    std::string done;
    const auto fits_under_it = [&] {
      const Case c = make_case();
      return fits(c, c.plans.at(plan)) ? "fits" : kTooLarge;
    };
    if (too_large(fits_under_it, done)) return true;
  }
  return false;
}

}  // namespace fusillade::fuzz
