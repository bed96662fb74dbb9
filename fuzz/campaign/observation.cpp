// See observation.h.
#include "fuzz/campaign/observation.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "engine/base/text.h"

namespace fusillade::fuzz {
namespace {

// Of two said at one time, the one that a bug is there counts.
auto when(const Observation& w) { return std::tuple(w.at, w.shows, w.build); }

std::tm utc(int64_t at) {
  const auto time = static_cast<std::time_t>(at);
  std::tm out{};
  gmtime_r(&time, &out);
  return out;
}

std::string moment(int64_t at) {
  const std::tm t = utc(at);
  return fmt::format("{}T{:02d}:{:02d}:{:02d}Z", day_of(at), t.tm_hour, t.tm_min, t.tm_sec);
}

}  // namespace

const char* name_of(FindingState state) {
  return state == FindingState::Open     ? "open"
         : state == FindingState::Closed ? "closed"
                                         : "reopened";
}

std::vector<Observation> by_build(const std::vector<Observation>& observations) {
  std::map<std::pair<std::string, std::string>, const Observation*> last;  // by build and finding
  for (const Observation& w : observations) {
    const Observation*& kept = last[{w.build, w.bucket}];
    if (!kept || when(*kept) < when(w)) kept = &w;
  }
  std::vector<Observation> out;
  for (const auto& [key, w] : last) {
    if (out.empty() || out.back().build != w->build) {
      out.push_back({"", w->build, w->shows, w->at, w->since});
      continue;
    }
    out.back().since = std::max(out.back().since, w->since);
    out.back().shows |= w->shows;
    out.back().at = std::max(out.back().at, w->at);
  }
  std::ranges::sort(out, {}, when);
  return out;
}

FindingState state_of(const std::vector<Observation>& observations) {
  if (observations.empty()) return FindingState::Open;
  if (!by_build(observations).back().shows) return FindingState::Closed;
  const bool was_closed =
      std::ranges::any_of(observations, [](const Observation& w) { return !w.shows; });
  return was_closed ? FindingState::Reopened : FindingState::Open;
}

int64_t closed_since(const std::vector<Observation>& observations) {
  const std::vector<Observation> by = by_build(observations);
  if (by.empty() || by.back().shows) return 0;
  int64_t since = by.back().since;
  for (const Observation& w : observations)
    if (w.shows) since = std::max(since, w.at);
  return since;
}

const Observation& later(const Observation& a, const Observation& b) {
  if (a.at != b.at) return a.at > b.at ? a : b;
  return a.since <= b.since ? a : b;
}

void put_observations(nlohmann::json& finding, const std::vector<Observation>& observations) {
  finding["state"] = name_of(state_of(observations));
  if (observations.empty()) return;
  nlohmann::json builds = nlohmann::json::array();
  for (const Observation& w : by_build(observations))
    builds.push_back({{"build", w.build}, {"shows", w.shows}, {"at", moment(w.at)}});
  finding["builds"] = std::move(builds);
}

std::string build_name(const std::string& version,
                       const std::vector<std::pair<std::string, std::string>>& engines) {
  std::istringstream lines(version);
  std::string out;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("fusillade ") || line.starts_with("commit "))
      out += (out.empty() ? "" : ", ") + std::string(trim(line));
  for (const auto& [family, engine_version] : engines)
    out += fmt::format("; {}: {}", family, engine_version);
  return out;
}

std::string day_of(int64_t at) {
  const std::tm t = utc(at);
  return fmt::format("{:04d}-{:02d}-{:02d}", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday);
}

}  // namespace fusillade::fuzz
