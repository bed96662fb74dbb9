// Measures programs under several plans: fresh processes, separate phases, interleaved calls.
//
// In each process every plan is compiled (timed) and called once (timed); then rounds: in each
// round the plans are visited in a random order and each is called a batch of times, so that drift
// of the machine falls on all alike. A batch is as long as makes one plan's share last about
// kBatchSeconds. `alone` adds processes with one plan each: what a plan takes when no other plan
// empties the caches between its calls. All processes of all programs run in one random order, one
// at a time. For an external engine, the time of a call is what its worker reports, without the
// round trip. It compiles when it is first called: `compile` is what that call took beyond the
// second. Its worker has started and prepared the engine before (`worker_start`).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/cost.h"
#include "bench/harness/events.h"
#include "bench/harness/program.h"
#include "bench/harness/steady.h"

namespace fusillade::bench {

struct MeasureOptions {
  std::vector<Plan> plans;
  int processes = 5;
  int rounds = 40;
  uint64_t seed = 1;
  double seconds = 60;                 // for preparing a plan, or one round of its calls
  bool typed = false;                  // compile for the types of the inputs
  bool check = true;                   // judge the outputs; else the verdict is "not checked"
  bool alone = false;                  // measure each plan also in processes of its own
  std::function<bool()> stopped = {};  // asked at any time; true ends what runs
};

// Of a process, seconds in all: the stages of compiling the plan, whichever call caused them.
struct Stages {
  double worker_start = 0;  // of an external engine: its process, its imports, what it warms
  double script = 0;        // source text or archive to graphs, once more for each process
  double passes = 0;        // over graphs, of every version
  double lowering = 0;      // groups to kernels
  double codegen = 0;       // kernels to machine code
  double linking = 0;       // machine code into memory
};

// Seconds per call, except compile.
struct PlanSeries {
  double compile = 0;
  double first_call = 0;
  double second_call = 0;  // before all rounds: it decides the length of a batch
  Stages stages;
  std::string engine;                       // of one outside: its version and its interpreter's
  std::map<std::string, int64_t> counters;  // of one outside: what its worker counts
  int batch = 1;
  std::vector<double> rounds;    // seconds per call, in round order
  std::vector<double> cpu;       // the same of processor time, all threads together
  std::vector<JitEvent> events;  // of our own engines

  // From the compile to where steady state begins.
  double until(size_t round) const;
};

// Of one call, or of the compile.
struct Instructions {
  int64_t compile = 0;
  int64_t first_call = 0;
  int64_t steady = 0;
};

struct Measured {
  const Program* program = nullptr;
  Plan plan;
  bool alone = false;
  std::vector<PlanSeries> processes;  // in the order in which they ran
  std::vector<Steady> steady;         // per process
  Estimate compile, first_call, call;
  Estimate cpu;                                          // of steady calls, processor time
  std::vector<std::pair<std::string, Estimate>> stages;  // those that every process had
  std::optional<Estimate> to_steady;                     // where every process has a steady state
  // A/A: the later half of the processes over the earlier; none with fewer than four of them.
  std::optional<double> aa_steady, aa_compile;
  std::string verdict = "not checked";  // of the oracle that is about its plan: "ok", ...
  double tight_share = 0;
  std::string code;  // program_code: empty where it is not known
  std::optional<Cost> cost;
  std::optional<Instructions> instructions;
};

// Calls from which on making it ready and its first call have paid against `base`; none: never.
std::optional<int64_t> break_even(const Measured& base, const Measured& m);

// By how much equal code seems to differ: the median over timings of A/A differences.
std::optional<double> noise_floor(const std::vector<Measured>& all,
                                  std::optional<double> Measured::* of);

// Throws Error where one plan appears twice, in whatever spelling.
void refuse_twice(const std::vector<Plan>& plans);

// What could not be measured, and what its process said.
struct NotMeasured {
  std::string program = {}, plan = {};
  std::string kind = {};  // timeout, memory, error
  std::string error = {};
};

// What each plan of a program takes, by program, interleaved before alone, then in the order of
// plans. `goes_on` is asked before each process with how many have run and how many will; after
// false what was measured is returned, outputs not checked. A program that a plan cannot run goes
// to `failed`, and the others go on.
std::vector<Measured> measure(const std::vector<Program>& programs, const MeasureOptions& options,
                              const std::function<bool(size_t done, size_t all)>& goes_on,
                              std::vector<NotMeasured>& failed);

}  // namespace fusillade::bench
