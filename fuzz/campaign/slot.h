// What a worker and its supervisor share: some pages of memory per worker, mapped before the fork.
//
// The worker writes which program it is about to make or judge (its index in the campaign's
// decision streams, and the stage) before it starts; when it dies or hangs, the supervisor reads
// the index here and makes the program again from the same decisions, since generation is a pure
// function of (seed, index). Counters are only ever added to by the worker, and survive it.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "fuzz/process/stage.h"

namespace fusillade::fuzz {

inline constexpr int kNumVerdicts = 10;
inline constexpr int kMaxReasons = 192;  // distinct skip and untrusted reasons counted per worker
inline constexpr int kReasonLength = 160;
inline constexpr size_t kMostOperators = 4096;  // whose runs are counted
inline constexpr size_t kMostProductions = 512;
inline constexpr int kMostProbes = 256;
inline constexpr int kMostParts = 48;  // of the cost: making programs, and an oracle each
inline constexpr int kCostName = 32;

struct Counters {
  uint64_t programs = 0;
  uint64_t executions = 0;
  uint64_t verdicts[kNumVerdicts] = {};
  uint64_t compared = 0;
  uint64_t tight = 0;
  uint64_t untrusted = 0;
  uint64_t unsaved = 0;   // findings not written because enough of the same kind were
  uint64_t replayed = 0;  // cases of the corpus that were judged again; no `programs`
  Counters& operator+=(const Counters& o);
};

struct ReasonCount {
  char text[kReasonLength];
  uint64_t count;
};

struct PartCost {
  char name[kCostName];
  uint64_t times;
  uint64_t executions;
  uint64_t ns;  // of the processor
};

struct Slot {
  std::atomic<uint64_t> index;      // program being generated or judged
  std::atomic<uint64_t> next;       // first index of this worker not finished yet
  std::atomic<int64_t> started_us;  // of the unit of work (fuzz/process/heartbeat.h); 0 while idle
  std::atomic<uint64_t>
      alone;  // programs before this one are generated one at a time: one killed a worker
  // Of the program at `next`: what of it a worker before judged. One that lost its GPU wants
  // another in its place, and counts those.
  std::atomic<int32_t> from_stage;
  std::atomic<int32_t> from_plan;
  std::atomic<bool> again;
  std::atomic<uint64_t> gpus_lost;
  std::atomic<int32_t> stage;     // position in the program's list of judgements; -1: generating
  std::atomic<uint32_t> version;  // odd while counters, and `next` with them, are being written
  Counters counters;
  ReasonCount reasons[kMaxReasons];
  ReasonCount probes[kMostProbes];         // of compilers (engine/base/probe.h)
  uint64_t operator_runs[kMostOperators];  // by Operator::number
  uint64_t productions[kMostProductions];  // by Production::number
  PartCost costs[kMostParts];
  StageTimes stages;  // of the programs that were looked at (cost.h)

  // For a worker that begins there, after one that ended or was ended between or amid programs.
  void begin(uint64_t first);
  void begin_program(uint64_t program, int32_t judgement);
  void count_reason(const std::string& reason);
  void count_probe(const std::string& name, uint64_t hits);
  void count_productions(std::span<const uint32_t> counts);
  void count_cost(const std::string& part, uint64_t executions, uint64_t ns);
  // What was counted, and the first index of which nothing was: both of one moment.
  struct Progress {
    Counters counters;
    uint64_t next = 0;
  };
  Progress snapshot() const;
};

// `count` zeroed slots in memory shared with children. Never freed before exit.
Slot* map_slots(int count);

}  // namespace fusillade::fuzz
