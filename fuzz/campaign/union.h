// What several folders of one campaign know together: merge.h's set, and the rows of its store.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "fuzz/campaign/handed.h"

namespace fusillade::fuzz {

class Union {
 public:
  // Throws Error where the folder is of another campaign, or has another state of a shard than one
  // before it.
  void add(const Handed& handed);

  const Origin& origin() const { return origin_; }
  const std::map<std::string, Reported>& reported_findings() const { return reported_; }
  std::vector<uint64_t> shards() const;
  std::vector<uint64_t> missing() const;  // the first few
  bool is_triaged(const std::string& name) const { return shown_.count(name) > 0; }
  std::map<std::string, std::string> engines() const;

  // By each finding, its representative.
  std::map<std::string, std::string> representatives() const { return fold(reported_); }
  // All of a store, whose findings are the representatives.
  MergedRows rows(const std::map<std::string, std::string>& folded_into) const;
  // By each representative, where its cases come from, its first one left out.
  std::map<std::string, std::vector<std::string>> joined_cases(
      const std::map<std::string, std::string>& folded_into,
      const std::vector<FindingRow>& findings) const;

 private:
  Origin origin_;
  std::map<uint64_t, Part> parts_;
  std::map<uint64_t, std::string> folders_;  // of each part its folder
  std::string first_;                        // folder, whose origin it is
  std::map<std::string, Reported> reported_;
  std::map<std::string, Shown> shown_;  // by the case's name
  std::optional<double> min_yield_;     // the least that was asked for
  // By finding, build and whether it shows: the last one.
  std::map<std::tuple<std::string, std::string, bool>, Observation> observations_;
};

}  // namespace fusillade::fuzz
