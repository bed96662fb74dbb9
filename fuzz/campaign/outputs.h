// What a campaign leaves for people and programs: campaign.json, summary.md, the picture, messages.
#pragma once

#include <map>
#include <string>

#include "fuzz/campaign/reach.h"
#include "fuzz/campaign/store.h"
#include "fuzz/campaign/supervisor.h"

namespace fusillade::fuzz {

// The settings that decide which programs a campaign runs; two campaigns of one identity run the
// same.
std::string campaign_identity(const CampaignOptions& options, int jobs);

// Triages one pending case and leaves `<path>.json` beside it.
void triage_file(const std::string& out, const std::string& path, const Limits& limits,
                 double budget);
// Reads that result; when triage failed, a row that keeps the unreduced case.
FindingRow read_triage_result(const std::string& path, bool succeeded);

// The last lines of a finding on stderr: bucket, blame, and the commands to go on with.
void announce_finding(const std::string& out, const FindingRow& row);
void print_progress(const Counters& totals, double campaign_seconds, double run_seconds, int jobs,
                    size_t findings, size_t pending);

// campaign.json, summary.md and campaign.png (by the Python reports, when an interpreter is found).
struct Totals {
  Counters counters;
  std::map<std::string, uint64_t> reasons;
  Reach reach;
  double seconds;
};
void write_outputs(const SupervisorOptions& options, const Store& store, const Totals& totals,
                   int exit_code);

}  // namespace fusillade::fuzz
