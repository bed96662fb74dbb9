// What a campaign's processor time went to: making programs, each oracle's judgements, and, of
// every kStagesOf-th program, the stages of both (fuzz/process/stage.h).
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fuzz/campaign/slot.h"

namespace fusillade::fuzz {

inline constexpr uint64_t kStagesOf = 8;
inline constexpr const char* kGenerate = "generate";  // in addition to the oracles' names
inline constexpr const char* kKeep = "corpus";        // seeing what is new, and keeping it

struct Spent {
  uint64_t times = 0;       // programs generated, judgements
  uint64_t executions = 0;  // of them
  uint64_t ns = 0;
};

struct Cost {
  std::map<std::string, Spent> parts;
  std::map<std::string, uint64_t> stages;  // nanoseconds of the programs that were looked at
  uint64_t other_ns = 0;  // what else children of the campaign used: triage, starting workers

  void add(const Slot& slot);
  void add(const Cost& other);
  std::string text() const;  // JSON, which reads back
  static Cost parse(const std::string& text);
  // As campaign.json has it, the dearest part first.
  nlohmann::json table() const;
};

// Of a campaign's workers and of what it used before it was resumed.
Cost cost_of(const Slot* slots, int jobs, const Cost& base);

// The part of summary.md.
std::string cost_summary(const nlohmann::json& table);

}  // namespace fusillade::fuzz
