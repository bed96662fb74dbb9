// See memory.h.
#include "fuzz/judge/memory.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include "engine/tensor/peak.h"
#include "engine/tensor/tensor.h"
#include "fuzz/process/beat.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {
namespace {

// So many times eager mode's peak is what an oracle may hold of a case: eight calls, each with its
// inputs, its values, their bounds (two doubles and more for an element of one byte) and copies.
constexpr size_t kJudging = 64;

// Every call, one after the other, values let go. False where one ran out of memory.
bool fits(const Case& c, const std::string& plan) {
  const Prepared ready(c, plan);
  return std::ranges::all_of(c.calls, [&](const Call& call) {
    beat();
    return ready.run(call).kind != Outcome::Kind::Memory;
  });
}

// Bytes that eager mode held at most beside what was there; none: they were too many.
std::optional<size_t> peak_of_eager(const Case& c) {
  const size_t before = Storage::live_bytes();
  restart_peak();
  if (!fits(c, reference_plan())) return std::nullopt;
  return peak_bytes() - before;
}

bool is_ours(const std::string& plan) {
  return !plan.empty() && plan != reference_plan() && !is_outside(parse_plan(plan).engine);
}

bool leaves_room(size_t peak, size_t budget) { return budget == 0 || peak <= budget / kJudging; }

}  // namespace

bool is_spree(const Case& c, const std::string& plan) {
  const std::optional<size_t> peak = peak_of_eager(c);
  if (!peak) return false;
  if (leaves_room(*peak, budget_bytes())) return true;
  return is_ours(plan) && !fits(c, plan);
}

bool is_spree(const std::function<Case()>& made, const Limits& limits) {
  const auto too_large = [&](const std::function<std::string()>& job, std::string& said) {
    ChildResult r = run_isolated(job, limits);
    said = std::move(r.output);
    return r.kind == ChildResult::Kind::Memory || said == kTooLarge;
  };
  std::string said;
  const auto eager = [&]() -> std::string {
    const Case c = made();
    const std::optional<size_t> peak = peak_of_eager(c);
    if (!peak) return kTooLarge;
    std::string out = leaves_room(*peak, budget_bytes()) ? "room" : "none";
    for (const std::string& plan : c.plans)
      if (is_ours(plan)) out += "\n" + plan;
    return out;
  };
  if (too_large(eager, said)) return false;
  std::istringstream lines(said);
  std::string plan;
  std::getline(lines, plan);
  if (plan != "none") return true;
  while (std::getline(lines, plan)) {
    std::string done;
    if (too_large([&] { return fits(made(), plan) ? "fits" : kTooLarge; }, done)) return true;
  }
  return false;
}

}  // namespace fusillade::fuzz
