// A worker judges program after program in one process: long-lived, so the engine is initialised
// once.
#pragma once

#include <string>

#include "fuzz/campaign/judgement.h"
#include "fuzz/campaign/lot.h"
#include "fuzz/campaign/slot.h"
#include "fuzz/corpus/seen.h"

namespace fusillade::fuzz {

struct WorkerOptions {
  const CampaignOptions& campaign;
  Assignment assignment;
  std::string pending;   // folder that receives findings
  Seen* seen = nullptr;  // what the campaign with a corpus knows
};

// Runs to the end of its assignment. Findings are written to the folder (temporary name, then
// rename) before their program is counted, so whatever kills the process loses none that it
// reported.
void run_worker(const WorkerOptions& options, Slot& slot);

}  // namespace fusillade::fuzz
