// What a campaign leaves for people and programs: campaign.json, summary.md, the picture, messages.
#pragma once

#include <map>
#include <string>

#include "fuzz/campaign/cost.h"
#include "fuzz/campaign/known.h"
#include "fuzz/campaign/reach.h"
#include "fuzz/campaign/store.h"
#include "fuzz/campaign/supervisor.h"
#include "fuzz/campaign/triage_queue.h"
#include "fuzz/triage/triage.h"

namespace fusillade::fuzz {

class TriageResult;

inline constexpr int kCampaignSchema = 3;  // of campaign.json

// The settings that decide which programs a campaign runs; two campaigns of one identity run the
// same.
std::string campaign_identity(const CampaignOptions& options);
// Are these of one campaign? Those of older versions include the number of workers, too.
bool is_identity(const std::string& a, const std::string& b);

// The exit code of a campaign, by what was found, what waits and how many judgements compared
// something; says on stderr where these were too few.
int comes_to(const SupervisorOptions& options, const Counters& totals,
             const std::vector<FindingRow>& found, const TriageQueue& queue);

// What a triage of one pending case is to do and what it came to.
struct TriageJob {
  std::string path;
  double budget = 0;                               // seconds
  const std::vector<KnownCause>* known = nullptr;  // causes that it may join
  bool only_join = false;
  const TriageResult* result = nullptr;
};
// Triages it and writes the result; until then its progress is in progress_path(path).
void triage_file(const std::string& out, const TriageJob& job, const Limits& limits);
std::string progress_path(const std::string& pending);
std::string trial_script_path(const std::string& pending);  // a script of it that is run
// Reads that result, and removes what a triage that was cut leaves besides; when triage failed, a
// row that keeps the unreduced case. A row without a bucket: it was only to be joined, and shows
// none of the known causes. None: it is no finding, and `let_go` says why.
std::optional<FindingRow> read_triage_result(const std::string& path, const TriageResult& result,
                                             bool succeeded, std::string* let_go);
// How a build is called (observation.h): its --version, and the engines of these plans that
// answered.
std::string build_of(const std::string& version, const std::vector<Plan>& plans);

// Says in the finding's files how many cases showed it, and what builds said of it.
void write_case_count(const std::string& out, const FindingRow& row);
// The same of those whose files are behind: of very many findings few change.
void update_findings(const std::string& out, Store& store);
// Adds the case to the list in its finding's folder: joined.txt, a line per case with its origin.
void list_joined(const std::string& out, const FindingRow& row);

// The last lines of a finding on stderr: bucket, blame, and the commands to go on with.
// `muted`: the record that knows it, or null.
void announce_finding(const std::string& out, const FindingRow& row, const KnownRecord* muted);
// What the mute list did, on stderr: what is past its day, what was not seen.
// Of records that concern the plans, which were not seen, in findings or in cases that wait.
void announce_known(const KnownList& known, const std::vector<FindingRow>& findings,
                    const std::map<std::string, size_t>& waiting, const std::vector<Plan>& plans);

// On stderr: no more programs run.
void report_time_over(const SupervisorOptions& options, double hunted);

// Where stderr is no terminal, a line each half minute. The rate is that of `hunting_seconds`.
void print_progress(const Counters& totals, double hunting_seconds, double run_seconds, int jobs,
                    size_t findings, size_t pending);

// Which shards a folder is about; none: all programs are its own.
struct ShardList {
  uint64_t of = 1;
  std::vector<uint64_t> here;
};

// campaign.json, summary.md and campaign.png (by the Python reports, when an interpreter is found).
struct Ended {
  Counters totals;
  std::map<std::string, uint64_t> reasons;
  Reach reach;
  double seconds = 0;         // of the campaign
  double after = 0;           // of them, after the last program: triage
  double triage_seconds = 0;  // of them and after them, in triage
  size_t pending = 0;         // cases that wait for triage
  std::map<std::string, std::vector<std::string>> waiting;  // these, by what they show
  std::map<std::string, size_t> muted;  // of them, by the record that mutes them
  Cost cost = {};
  double job_seconds = 0;                           // in which workers ran, of all of them
  std::map<std::string, std::string> engines = {};  // outside: versions
  std::vector<std::string> walls = {};              // what these were kept from
  std::vector<std::string> worker_walls = {};       // what our own workers were kept from
  ShardList shards = {};
  std::string given = {};    // JSON: the programs given, where the options do not have them
  std::string stopped = {};  // why it did not come to its end; empty: it did
  std::string corpus = "";   // as JSON; empty: there is none
  int exit_code = 0;
};
void write_outputs(const SupervisorOptions& options, const Store& store, const Ended& ended);

}  // namespace fusillade::fuzz
