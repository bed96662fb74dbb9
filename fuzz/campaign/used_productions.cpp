// See used_productions.h.
#include "fuzz/campaign/used_productions.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "fuzz/gen/policy.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/process/isolate.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

json production_names(CampaignOptions campaign, const std::string& origin) {
  uint64_t index = 0;
  json names = json::array();
  if (std::sscanf(origin.c_str(), "seed=%" SCNu64 " index=%" SCNu64, &campaign.seed, &index) != 2)
    return names;
  const std::vector<uint32_t> counts = make_trial(campaign, index).productions;
  for (const Production* p : productions_in_order())
    if (p->number < counts.size() && counts[p->number]) names.push_back(p->name);
  return names;
}

}  // namespace

std::vector<std::vector<std::string>> productions_of(const CampaignOptions& campaign,
                                                     const std::vector<std::string>& origins,
                                                     const Limits& limits) {
  if (origins.empty() || campaign.use == Use::Check) return {};
  // Programs are drawn in no time; what they are drawn for may be a worker that does not start, and
  // the campaign waits.
  constexpr double kSeconds = 10;
  Limits soon = limits;
  soon.seconds = soon.seconds > 0 ? std::min(soon.seconds, kSeconds) : kSeconds;
  const ChildResult r = run_isolated(
      [&] {
        json out = json::array();
        for (const std::string& origin : origins) {
          heartbeat();
          out.push_back(production_names(campaign, origin));
        }
        return out.dump();
      },
      soon);
  if (r.kind != ChildResult::Kind::Done || r.output.empty()) return {};
  return json::parse(r.output).get<std::vector<std::vector<std::string>>>();
}

}  // namespace fusillade::fuzz
