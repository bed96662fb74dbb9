// See slot.h.
#include "fuzz/campaign/slot.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "fuzz/process/heartbeat.h"
#include "fuzz/process/shared_memory.h"

namespace fusillade::fuzz {

Counters& Counters::operator+=(const Counters& o) {
  programs += o.programs;
  executions += o.executions;
  for (int i = 0; i < kNumVerdicts; ++i) verdicts[i] += o.verdicts[i];
  compared += o.compared;
  tight += o.tight;
  untrusted += o.untrusted;
  unsaved += o.unsaved;
  replayed += o.replayed;
  return *this;
}

namespace {

// What does not find room is not counted.
void count(std::span<ReasonCount> counted, const std::string& text, uint64_t n) {
  for (ReasonCount& r : counted) {
    if (r.count == 0) std::strncpy(r.text, text.c_str(), kReasonLength - 1);
    if (std::strncmp(r.text, text.c_str(), kReasonLength - 1) != 0) continue;
    r.count += n;
    return;
  }
}

}  // namespace

void Slot::begin(uint64_t first) {
  next.store(first);
  started_us.store(0);
  alone.store(0);
  from_stage.store(0);
  from_plan.store(0);
  again.store(false);
  if (version.load() % 2 != 0) version.fetch_add(1);  // it was ended while it counted
}

void Slot::begin_program(uint64_t program, int32_t judgement) {
  index.store(program, std::memory_order_relaxed);
  stage.store(judgement, std::memory_order_relaxed);
  started_us.store(now_us(), std::memory_order_release);
}

void Slot::count_reason(const std::string& reason) { count(reasons, reason, 1); }
void Slot::count_probe(const std::string& name, uint64_t hits) { count(probes, name, hits); }

void Slot::count_productions(std::span<const uint32_t> counts) {
  for (size_t i = 0; i < std::min(counts.size(), kMostProductions); ++i)
    productions[i] += counts[i];
}

void Slot::count_cost(const std::string& part, uint64_t executions, uint64_t ns) {
  for (PartCost& p : costs) {
    if (p.times == 0) std::strncpy(p.name, part.c_str(), kCostName - 1);
    if (std::strncmp(p.name, part.c_str(), kCostName - 1) != 0) continue;
    ++p.times;
    p.executions += executions;
    p.ns += ns;
    return;
  }
}

Slot::Progress Slot::snapshot() const {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    uint32_t before = version.load(std::memory_order_acquire);
    Progress copy{counters, next.load(std::memory_order_relaxed)};
    std::atomic_thread_fence(std::memory_order_acquire);
    if (before % 2 == 0 && version.load(std::memory_order_relaxed) == before) return copy;
  }
  return {counters,
          next.load()};  // the worker died while adding: at worst one program is half counted
}

Slot* map_slots(int count) {
  auto* slots = static_cast<Slot*>(map_shared(sizeof(Slot) * static_cast<size_t>(count)));
  for (int i = 0; i < count; ++i) new (&slots[i]) Slot{};
  return slots;
}

}  // namespace fusillade::fuzz
