// See union.h.
#include "fuzz/campaign/union.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/base/visible.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

constexpr size_t kMostMissing = 20;

// "seed (1 and 2), plans"
std::string differences(const std::string& a, const std::string& b) {
  const json one = json::parse(a, nullptr, false), other = json::parse(b, nullptr, false);
  std::vector<std::string> out;
  if (!one.is_object() || !other.is_object()) return "what they ran";
  for (const auto& [key, value] : one.items()) {
    const json there = other.value(key, json());
    if (value == there) continue;
    const bool is_short = value.is_number() || there.is_number();
    out.push_back(is_short ? fmt::format("{} ({} and {})", key, value.dump(), there.dump()) : key);
  }
  for (const auto& [key, value] : other.items())
    if (!one.contains(key)) out.push_back(key);
  return join(out, ", ");
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ',');
  return text.empty() ? "unknown" : visible_line(text);
}

}  // namespace

void Union::add(const Handed& h) {
  const auto refuse = [&](const std::string& other, const std::string& why) {
    fail("{} and {} are not of one campaign: {}", other, h.folder, why);
  };
  if (h.origin.build.empty())
    fail(
        "{} does not tell which build ran it, as campaigns of older versions do: its programs may "
        "be others",
        h.folder);
  if (first_.empty()) {
    first_ = h.folder;
    origin_ = h.origin;
  }
  if (h.origin.build != origin_.build)
    refuse(first_, fmt::format("they were run by other builds ({}; {})", one_line(origin_.build),
                               one_line(h.origin.build)));
  if (!is_identity(h.origin.identity, origin_.identity))
    refuse(first_, "they differ in " + differences(origin_.identity, h.origin.identity));
  if (h.origin.of != origin_.of)
    refuse(first_, fmt::format("of {} shards and of {}", origin_.of, h.origin.of));
  for (const auto& [index, part] : h.parts) {
    if (index >= origin_.of) fail("{}: there is no shard {} of {}", h.folder, index, origin_.of);
    const auto before = parts_.find(index);
    if (before == parts_.end() || goes_on(before->second, part)) {
      parts_[index] = part;
      folders_[index] = h.folder;
    } else if (!goes_on(part, before->second)) {
      fail(
          "{} and {} both hold shard {}/{}, and neither goes on where the other was: give one of "
          "them",
          folders_[index], h.folder, index, origin_.of);
    }
    if (!part.engines.empty() && !engines().empty() && part.engines != engines())
      refuse(first_, fmt::format("their engines have other versions ({} and {})",
                                 visible_line(json(engines()).dump()),
                                 visible_line(json(part.engines).dump())));
  }
  for (const auto& [bucket, reported] : h.reported) {
    const auto [kept, fresh] = reported_.try_emplace(bucket, reported);
    if (!fresh) keep_one(kept->second, reported);
  }
  if (h.min_yield) min_yield_ = std::min(*h.min_yield, min_yield_.value_or(1));
  for (const Observation& observation : h.observations) {
    Observation& kept = observations_[{observation.bucket, observation.build, observation.shows}];
    kept = kept.bucket.empty() ? observation : later(kept, observation);
  }
  for (const Shown& s : h.shown) {
    const auto [kept, fresh] = shown_.try_emplace(s.name, s);
    if (!fresh) keep_one(kept->second, s);
  }
}

std::vector<uint64_t> Union::shards() const {
  std::vector<uint64_t> out;
  for (const auto& [index, part] : parts_) out.push_back(index);
  return out;
}

std::vector<uint64_t> Union::missing() const {
  std::vector<uint64_t> out;
  for (uint64_t i = 0; i < origin_.of && out.size() < kMostMissing; ++i)
    if (parts_.count(i) == 0) out.push_back(i);
  return out;
}

std::map<std::string, std::string> Union::engines() const {
  for (const auto& [index, part] : parts_)
    if (!part.engines.empty()) return part.engines;
  return {};
}

MergedRows Union::rows(const std::map<std::string, std::string>& folded_into) const {
  MergedRows out;
  Reach reach;
  Cost cost;
  double hunted = 0, after = 0;
  int jobs = 0;
  std::vector<Part> parts;
  for (const auto& [index, part] : parts_) {
    out.totals += part.totals;
    for (const auto& [reason, count] : part.reasons) out.reasons[reason] += count;
    reach.add(part.reach);
    cost.add(part.cost);
    hunted = std::max(hunted, part.seconds - part.after);
    after = std::max(after, part.after);
    jobs += part.jobs;
    out.job_seconds += part.job_seconds;
    out.parts[std::to_string(index)] = print(part);
    parts.push_back(part);
  }
  out.seconds = hunted + after;
  for (const auto& [bucket, reported] : reported_) out.reported[bucket] = print(reported);
  for (const auto& [name, shown] : shown_) out.shown.push_back(shown);

  std::map<std::string, FindingRow> rows;
  for (const auto& [bucket, by] : folded_into) {
    FindingRow& row = rows.try_emplace(by, reported_.at(by).row).first->second;
    row.first_seen = std::min(row.first_seen, reported_.at(bucket).row.first_seen);
    row.count = 0;
  }
  for (const auto& [name, shown] : shown_)
    if (!shown.bucket.empty()) ++rows.at(folded_into.at(shown.bucket)).count;
  std::vector<double> first_seen;
  for (auto& [bucket, row] : rows) {
    row.count = std::max<int64_t>(row.count, 1);
    out.productions[bucket] = reported_.at(bucket).productions;
    first_seen.push_back(row.first_seen);
    out.findings.push_back(row);
  }
  out.samples = on_one_clock(parts, out.seconds, first_seen, reach);
  out.meta = {{kMerged, std::to_string(origin_.of)},
              {"identity", origin_.identity},
              {"build", origin_.build},
              {"jobs", std::to_string(jobs)},
              {"reach", reach.text()},
              {"cost", cost.text()},
              {"seconds_after", fmt::format("{}", after)}};
  if (min_yield_) out.meta["min_yield"] = fmt::format("{}", *min_yield_);
  for (const auto& [bucket, by] : folded_into)
    if (bucket != by) out.folded_into[bucket] = by;
  std::map<std::string, std::vector<Observation>> said;
  for (const auto& [key, observation] : observations_) {
    out.observations.push_back(observation);
    said[folded_into.at(observation.bucket)].push_back(observation);
  }
  for (FindingRow& row : out.findings) row.observations = said[row.bucket];
  return out;
}

std::map<std::string, std::vector<std::string>> Union::joined_cases(
    const std::map<std::string, std::string>& folded_into,
    const std::vector<FindingRow>& findings) const {
  std::map<std::string, const FindingRow*> not_met;  // whose own case is not met yet
  for (const FindingRow& row : findings) not_met[row.bucket] = &row;
  std::map<std::string, std::vector<std::string>> out;
  for (const auto& [name, shown] : shown_) {
    if (shown.bucket.empty()) continue;
    const std::string& bucket = folded_into.at(shown.bucket);
    const auto own = not_met.find(bucket);
    if (own != not_met.end() && own->second->origin == shown.origin) not_met.erase(own);
    else out[bucket].push_back(shown.origin);
  }
  return out;
}

}  // namespace fusillade::fuzz
