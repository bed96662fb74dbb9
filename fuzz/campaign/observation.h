// Observations of a finding: under which builds its case still showed it. `recheck` makes them, and
// a campaign that meets a finding of which there are some.
//
// They are a set: of one finding and build at most one that it shows and one that it does not, each
// with the time of its last occurrence. So those of several folders are joined in any order, and
// the state of a finding comes from all of them: the latest one counts.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace fusillade::fuzz {

struct Observation {
  std::string bucket;
  std::string build;  // "fusillade 0.3.0, commit 0123456789ab; torch: PyTorch 2.13.0"
  bool shows = false;
  int64_t at = 0;     // seconds of Unix
  int64_t since = 0;  // of its build the first time, with none to the contrary between
  auto operator<=>(const Observation&) const = default;
};

enum class FindingState : uint8_t {
  Open,
  Closed,   // the build that spoke last does not show it
  Reopened  // it does, and one did not before
};
const char* name_of(FindingState state);

// Of each build what it said last, the build that spoke last at the end. Of several findings that
// are one cause, a build shows the cause where it shows one of them.
std::vector<Observation> by_build(const std::vector<Observation>& observations);
FindingState state_of(const std::vector<Observation>& observations);
// Of a closed one: since when none showed it.
int64_t closed_since(const std::vector<Observation>& observations);
// Of two observations of one build that say the same: the later one.
const Observation& later(const Observation& a, const Observation& b);

// The fields `state` and `builds` of campaign.json and finding.json.
void put_observations(nlohmann::json& finding, const std::vector<Observation>& observations);

// How a build is called whose `--version` and engines these are.
std::string build_name(const std::string& version,
                       const std::vector<std::pair<std::string, std::string>>& engines);

// "2026-11-30"
std::string day_of(int64_t at);

}  // namespace fusillade::fuzz
