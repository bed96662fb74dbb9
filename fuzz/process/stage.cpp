// See stage.h.
#include "fuzz/process/stage.h"

#include <ctime>

#include "engine/run/plan.h"

namespace fusillade::fuzz {
namespace {

uint64_t ns_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

thread_local StageTimes* times_of_thread = nullptr;
thread_local Stage now = Stage::Judge;
thread_local uint64_t since = 0;

// What passed since the last look counts for the stage that it was.
void look(Stage next) {
  const uint64_t t = ns_of(CLOCK_THREAD_CPUTIME_ID);
  times_of_thread->ns[static_cast<int>(now)] += t - since;
  since = t;
  now = next;
}

}  // namespace

const char* name_of(Stage stage) {
  static constexpr const char* kNames[kNumStages] = {"generate", "compile", "eager",
                                                     "shadow",   "run",     "judge"};
  return kNames[static_cast<int>(stage)];
}

Stage stage_under(const Plan& plan) { return plan == reference_plan() ? Stage::Eager : Stage::Run; }

void time_stages(StageTimes* times) {
  if (times_of_thread) look(Stage::Judge);
  times_of_thread = times;
  now = Stage::Judge;
  if (times) since = ns_of(CLOCK_THREAD_CPUTIME_ID);
}

StageScope::StageScope(Stage stage) : timed_(times_of_thread != nullptr), outer_(now) {
  if (timed_) look(stage);
}

StageScope::~StageScope() {
  if (timed_ && times_of_thread) look(outer_);
}

uint64_t process_ns() { return ns_of(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace fusillade::fuzz
