// What a campaign does with its corpus, except judging: which cases it started with, which features
// are known over time, and what is reported at the end.
//
// The list of cases is that of the campaign's start, which the store keeps, so that an index means
// one program whenever the campaign goes on. A case that is gone or changed by then is no program.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/campaign/store.h"
#include "fuzz/campaign/supervisor.h"
#include "fuzz/corpus/seen.h"

namespace fusillade::fuzz {

class CorpusBooks {
 public:
  // Reads the corpus, where the options name one, into them. Throws Error where it is no folder.
  CorpusBooks(SupervisorOptions& options, Store& store);

  bool any() const { return seen_ != nullptr; }
  Seen* seen_features() const { return seen_; }
  uint64_t to_judge() const { return to_judge_; }  // again, of the list, from its beginning
  bool is_over(double hunted) const;               // their share of the time
  // Programs are next; these indices were not judged again, and their noted features are trusted.
  void end_replays(const std::vector<uint64_t>& not_judged);

  // A finding of this campaign, whose reduced case is kept for ever.
  void add(const FindingRow& finding);
  // Once a second.
  void keep(double seconds);
  void close(double seconds);
  // The part of campaign.json, after `judged` cases were judged again; empty: there is no corpus.
  std::string report(uint64_t judged) const;

 private:
  void begin();
  void go_on(const std::string& known);
  void sample(double seconds);
  std::string text() const;
  std::string kept_text() const;

  const SupervisorOptions& o_;
  Store& store_;
  Seen* seen_ = nullptr;
  size_t passed_over_ = 0, gone_ = 0;
  uint64_t to_judge_ = 0;
  // As the store has it.
  std::vector<std::pair<std::string, uint64_t>> list_;  // names and hashes, in order
  std::vector<uint64_t> before_;                        // features at the start, by kind
  uint64_t base_kept_ = 0, base_kept_bytes_ = 0;        // of starts before this one
  uint64_t not_judged_ = 0;
  std::vector<std::pair<double, uint64_t>> coverage_;  // seconds, features
  double kept_at_ = 0;                                 // seconds
};

// The part of summary.md; null: there is no corpus.
std::string corpus_summary(const nlohmann::json& corpus);

}  // namespace fusillade::fuzz
