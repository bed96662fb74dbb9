// Measures one program under several plans: fresh processes, phases apart, calls interleaved.
//
// In each process every plan is compiled (timed) and called once (timed); then rounds: in each
// round the plans are visited in a random order and each is called a batch of times, so that drift
// of the machine falls on all alike. A batch is as long as makes one plan's share last about
// kBatchSeconds. Of an engine outside, what its worker says that the call took counts, and not the
// way there and back; its first call and its compile are by the clock here.
#pragma once

#include <string>
#include <vector>

#include "bench/harness/program.h"
#include "bench/harness/steady.h"

namespace fusillade::bench {

struct MeasureOptions {
  std::vector<std::string> plans;
  int processes = 5;
  int rounds = 40;
  uint64_t seed = 1;
  bool typed = false;  // compile for the types of the inputs
  bool check = true;   // judge the outputs; else the verdict is "not checked"
};

// Seconds per call, except compile.
struct PlanSeries {
  std::string plan;
  double compile = 0;
  double first_call = 0;
  int batch = 1;
  std::vector<double> rounds;  // seconds per call, in round order
  std::vector<double> cpu;     // the same of processor time, all threads together
};

struct Measured {
  std::string plan;
  std::vector<PlanSeries> processes;
  std::vector<Steady> steady;  // per process
  Estimate compile, first_call, call;
  Estimate cpu;         // of steady calls, processor time
  std::string verdict;  // of the oracle that is about its plan: "ok", ...
  double tight_share = 0;
};

// Throws Error when a plan cannot run the program.
std::vector<Measured> measure(const Program& program, const MeasureOptions& options);

}  // namespace fusillade::bench
