// The campaign's memory: one SQLite file and the findings' folders. Written by the supervisor
// alone.
//
// Tables: meta(key, value); shard(worker, next); total(key, value); finding(bucket, verdict,
// oracle, blame, nodes, path, origin, count, first_seen, cause); sample(the fields of Sample).
// Every change is one transaction, so a kill at any moment leaves the state of the last one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/campaign/slot.h"

namespace fusillade::fuzz {

struct FindingRow {
  std::string bucket;  // verdict-part-<12 hex>: a cause (triage/cause.h)
  std::string verdict;
  std::string oracle;
  std::string blame;
  int nodes = 0;
  std::string path;  // of the reduced case, relative to the campaign's folder
  std::string origin;
  int64_t count = 1;       // cases that showed it
  double first_seen = 0;   // seconds of campaign time
  std::string cause = "";  // as triage/cause.h prints it
};

// How far a campaign was after some time.
struct Sample {
  double seconds = 0;
  uint64_t programs = 0;
  uint64_t findings = 0;
  uint64_t ok = 0, failed = 0, untrusted = 0, skipped = 0;  // judgements
  uint64_t operators = 0, rewrites = 0;                     // kinds of them that had run

  void count(const uint64_t (&verdicts)[kNumVerdicts]);
};

class Store {
 public:
  // Opens or creates `<out>/campaign.db`. Throws Error when it is not a campaign's database.
  explicit Store(const std::string& out);
  ~Store();

  std::string meta(const std::string& key) const;  // empty when absent
  void set_meta(const std::string& key, const std::string& value);

  // Progress of all workers with the totals so far, in one transaction.
  void save_progress(const std::vector<uint64_t>& next, const Counters& totals,
                     const std::map<std::string, uint64_t>& reasons, const Sample& now);
  std::vector<uint64_t> load_progress() const;  // empty: a new campaign
  Counters load_totals() const;
  std::map<std::string, uint64_t> load_reasons() const;
  double load_seconds() const;

  // True when the bucket is new; otherwise its count grows.
  bool add_finding(const FindingRow& row);
  std::vector<FindingRow> findings() const;
  std::vector<Sample> samples() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fusillade::fuzz
