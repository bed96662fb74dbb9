// See yield_mix.h.
#include "fuzz/campaign/yield_mix.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "fuzz/campaign/outputs.h"
#include "fuzz/gen/policy_mix.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

constexpr double kMostChange = 4;
constexpr double kUnits = 8;  // of the mix's weights in one of a policy's own

std::map<std::string, double> causes_by_policy(const json& found_by) {
  std::map<std::string, double> out;
  for (const json& row : found_by)
    if (row.at("by") == "policy") {
      const auto causes = row.at("causes").get<int64_t>();
      if (causes < 0) fail("found_by says {} causes", causes);
      out[row.at("name")] += static_cast<double>(causes);
    }
  return out;
}

uint64_t weight_of(const Policy& p, double promised, double found) {
  const double change = std::clamp((found + 1) / (promised + 1), 1 / kMostChange, kMostChange);
  const double own = std::max(p.weight, 1);
  return static_cast<uint64_t>(std::max(1.0, std::round(kUnits * own * change)));
}

}  // namespace

std::string mix_by_yield(const json& campaign) {
  if (const json schema = campaign.value("schema", json()); schema != kCampaignSchema)
    fail("its schema is {}, and {} is read", schema.dump(), kCampaignSchema);
  const PolicyMix before(campaign.value("policy", ""));
  if (before.is_one()) fail("it drew one policy alone, and says nothing of the others");
  const std::map<std::string, double> found = causes_by_policy(campaign.at("found_by"));
  double causes = 0, weights = 0;
  for (const auto& [name, n] : found) causes += n;
  for (const auto& [policy, weight] : before.weights()) weights += static_cast<double>(weight);
  std::vector<std::pair<const Policy*, uint64_t>> out;
  for (const auto& [policy, weight] : before.weights()) {
    const auto row = found.find(policy->name);
    const double promised = causes * static_cast<double>(weight) / weights;
    out.emplace_back(policy, weight_of(*policy, promised, row == found.end() ? 0 : row->second));
  }
  return print(out);
}

std::string mix_by_yield_of(const std::string& folder) {
  const std::string file = folder + "/campaign.json";
  if (!std::filesystem::exists(file))
    fail("--yield: there is no campaign.json in {}; a campaign that has ended has one", folder);
  try {
    return mix_by_yield(json::parse(read_text_file(file)));
  } catch (const json::exception& e) {
    fail("--yield: {} is no campaign: {}", file, e.what());
  } catch (const Error& e) {
    fail("--yield: {}: {}", file, e.what());
  }
}

}  // namespace fusillade::fuzz
