// What a judgement's processor time goes to: a scope around each unit of work says of which stage
// it is, and the time within counts there, that of scopes within it for theirs. Whoever wants to
// know gives a place; without one a scope does nothing, for reading the clock of a thread is dear.
//
// One thread at a time: work of others counts for the stage that waits for them, as nothing.
#pragma once

#include <cstdint>
#include <string>

namespace fusillade {
struct Plan;
}

namespace fusillade::fuzz {

enum class Stage : uint8_t {
  Generate,  // generating a program and its inputs
  Compile,   // a plan prepared; what an executor compiles in its calls counts as running
  Eager,     // a call under the reference
  Shadow,    // the bound of a call computed, with eager's results
  Run,       // a call under any other plan
  Judge,     // all else: copies, comparisons, transforms
};
inline constexpr int kNumStages = 6;
const char* name_of(Stage stage);
Stage stage_under(const Plan& plan);  // Eager or Run

struct StageTimes {
  uint64_t ns[kNumStages] = {};
};

// From now on this thread's stages count there; null: nowhere.
void time_stages(StageTimes* times);

class StageScope {
 public:
  explicit StageScope(Stage stage);
  ~StageScope();
  StageScope(const StageScope&) = delete;
  StageScope& operator=(const StageScope&) = delete;

 private:
  bool timed_;
  Stage outer_;
};

// Nanoseconds of the processor that this process has used, all its threads together.
uint64_t process_ns();

}  // namespace fusillade::fuzz
