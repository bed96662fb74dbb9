// The case of a judgement that ended its worker. The program is generated again, in a child, since
// generating it may be what ended the worker. Also further questions about such a program.
#pragma once

#include <optional>
#include <string>

#include "fuzz/campaign/judgement.h"
#include "fuzz/campaign/store.h"
#include "fuzz/judge/whose_limit.h"
#include "fuzz/process/isolate.h"

namespace fusillade::fuzz {

struct Death {
  uint64_t index = 0;                    // of the program
  int stage = 0;                         // which of its judgements; -1: it was being generated
  VerdictKind kind = VerdictKind::Skip;  // Skip: it says nothing of the program
  std::string why = "";
};

// A program that cannot be generated has no case: that is the finding.
struct FailedGeneration {
  FindingRow finding;
  std::string message;  // for people
};

// Writes the case into the folder, where the program can be generated. Where inputs are large the
// case has only one call, if one alone ends the same under `limits`.
std::optional<FailedGeneration> save_dead(const CampaignOptions& campaign, const Death& death,
                                          const std::string& folder, const Limits& limits);

// Of one that ended its worker by its memory: is it the program, or what judges it, that is too
// large, and no plan?
bool is_too_large(const CampaignOptions& campaign, const Death& death, const Limits& limits);

// Of one that ended its worker by its time.
Late who_is_late(const CampaignOptions& campaign, const Death& death, const Limits& limits);

}  // namespace fusillade::fuzz
