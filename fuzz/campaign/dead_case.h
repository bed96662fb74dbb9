// The case of a judgement that ended its worker: the program is made again, in a child, for making
// it may be what ended the worker.
#pragma once

#include <string>

#include "fuzz/campaign/judgement.h"
#include "fuzz/process/isolate.h"

namespace fusillade::fuzz {

// Judgement `stage` of program `index` (below 0: none had begun), which ended as `kind` says. The
// output is the case's text; the result is no Done where the program could not be made.
// Where inputs are large the case has one call alone, if one alone ends the same under `limits`.
ChildResult remake_dead(const CampaignOptions& campaign, uint64_t index, int stage,
                        VerdictKind kind, const std::string& why, const Limits& limits);

}  // namespace fusillade::fuzz
