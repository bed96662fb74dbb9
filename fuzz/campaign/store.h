// The campaign's memory: one SQLite file and the findings' folders. Written by the supervisor
// alone.
//
// Tables: meta(key, value); remaining(first, stride, stop), the programs that are not judged yet;
// total(key, value); finding(bucket, verdict, oracle, blame, nodes, path, origin, count,
// first_seen, cause); shown(name, bucket, origin), of each case that was triaged the finding that
// it shows, so that none is counted twice; observation(the fields of Observation), what builds said
// of a finding; made(name, text), the productions that a finding's first program uses;
// untold(bucket), whose finding.json is behind; asked(name, findings), which it did not join;
// sample(the fields of Sample); part(shard, text), reported(name, text) and stands(name, text), of
// a merge (merge.h). Every change is one transaction, so a kill at any moment leaves the state of
// the last one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/campaign/lot.h"
#include "fuzz/campaign/observation.h"
#include "fuzz/campaign/slot.h"

namespace fusillade::fuzz {

inline constexpr const char* kMerged = "merged";  // in `meta` of a merge

struct FindingRow {
  std::string bucket;  // verdict-part-<12 hex>: a cause (triage/cause.h)
  std::string verdict;
  std::string oracle;
  std::string blame;
  int nodes = 0;
  std::string path;  // of the reduced case, relative to the campaign's folder
  std::string origin;
  int64_t count = 1;                           // cases that showed it
  double first_seen = 0;                       // seconds of campaign time
  std::string cause = "";                      // as triage/cause.h prints it
  std::vector<Observation> observations = {};  // in a merge also of the findings folded into it
  FindingState state() const { return state_of(observations); }
};

// A case that was triaged, and the finding that it shows; none: it is let go.
struct Shown {
  std::string name;
  std::string bucket;
  std::string origin;
  auto operator<=>(const Shown&) const = default;
};

// How far a campaign was after some time.
struct Sample {
  double seconds = 0;
  uint64_t programs = 0;
  uint64_t findings = 0;
  uint64_t ok = 0, failed = 0, untrusted = 0, skipped = 0;  // judgements
  uint64_t operators = 0, rewrites = 0;                     // kinds of them that had run

  void count(const uint64_t (&verdicts)[kNumVerdicts]);
  bool operator==(const Sample&) const = default;
};

// Samples are taken each second. Of a campaign that has run for longer than kMostSamples seconds
// one is kept of each span of this many seconds, the first, and besides the last of all.
inline constexpr double kMostSamples = 4096;
double sample_step(double seconds, double most = kMostSamples);
// As they are at that step, without the last one where it is no first.
std::vector<Sample> thin_out(const std::vector<Sample>& samples, double step);

// All that a merge's store has (merge.h).
struct MergedRows {
  std::map<std::string, std::string> meta;
  Counters totals;
  std::map<std::string, uint64_t> reasons;
  double seconds = 0, job_seconds = 0;
  std::vector<Sample> samples;
  std::vector<FindingRow> findings;
  std::vector<Shown> shown;
  std::map<std::string, std::string> parts;     // by shard
  std::map<std::string, std::string> reported;  // findings as they were given, by bucket
  std::map<std::string, std::string>
      folded_into;  // by each finding that is folded into another, that one
  std::map<std::string, std::vector<std::string>> productions;  // productions, by bucket
  std::vector<Observation> observations;
};

class Store {
 public:
  // Opens or creates `<out>/campaign.db`. Throws Error when it is not a campaign's database.
  explicit Store(const std::string& out);
  ~Store();

  std::string meta(const std::string& key) const;  // empty when absent
  void set_meta(const std::string& key, const std::string& value);

  // What is left to all workers with the totals so far, in one transaction.
  void save_progress(const std::vector<Progression>& left, const Counters& totals,
                     const std::map<std::string, uint64_t>& reasons, const Sample& now,
                     double job_seconds);
  std::vector<Progression> load_left() const;  // empty: a new campaign, or a merge
  Counters load_totals() const;
  std::map<std::string, uint64_t> load_reasons() const;
  double load_seconds() const;
  double load_job_seconds() const;  // in which workers ran; 0: an older version did not store it

  // True when the bucket is new; otherwise its count grows, unless the case of that name showed one
  // before.
  bool add_finding(const FindingRow& row, const std::string& name);
  void let_go(const std::string& name);  // a case that is no finding
  std::vector<Shown> shown_cases() const;
  // Which productions of the generator a finding's first program uses; of one, and by bucket.
  std::vector<std::string> productions(const std::string& bucket) const;
  std::map<std::string, std::vector<std::string>> productions() const;
  void set_productions(const std::map<std::string, std::vector<std::string>>& by_bucket);
  // Bucket and origin of those of which that is not known.
  std::vector<std::pair<std::string, std::string>> missing_productions() const;
  std::vector<FindingRow> findings() const;

  // A build said whether a finding shows: of it, and in a merge of those folded into it. What is
  // said last counts, whatever the clock says.
  void say(const std::string& bucket, const std::string& build, bool shows, int64_t now);
  // Of a finding that a case showed here: an observation, if some build has spoken of it. True: it
  // was closed.
  bool shows_again(const std::string& bucket, const std::string& build, int64_t now);
  std::vector<Observation> observations() const;  // of all findings
  // Findings whose finding.json lacks what is known here; clear_outdated(): all are up to date now.
  std::vector<std::string> outdated_findings() const;
  // Of cases that wait: how many findings there were when the case showed none of them, so that a
  // later --resume need not ask again.
  void note_asked(const std::string& name, size_t findings);
  std::map<std::string, size_t> join_attempts() const;
  void clear_outdated();
  std::vector<Sample> samples() const;

  // Of a merge: texts by shard, or by the name of a finding.
  std::map<std::string, std::string> texts(const char* table) const;
  // Writes a whole merge into a store that is new, in one transaction.
  void write_merge(const MergedRows& rows);

 private:
  void take_over_workers();  // of an older version's folder
  void write_left(const std::vector<Progression>& left);
  void write_totals(const Counters& totals, const std::map<std::string, uint64_t>& reasons,
                    double seconds, double job_seconds);
  void write_sample(const Sample& sample);
  void thin_samples(double now);
  void write_finding(const FindingRow& row);
  bool write_shown(const Shown& shown);  // false: its case is there
  void write_observation(const Observation& observation);
  int64_t since(const std::string& bucket, const std::string& build, bool shows, int64_t now);
  void write_texts(const char* table, const std::map<std::string, std::string>& texts);
  void note_outdated(const std::string& bucket);
  void take_over_texts();  // of an older version's folder

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fusillade::fuzz
