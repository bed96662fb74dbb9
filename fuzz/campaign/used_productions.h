// Which productions of the generator a campaign's programs use, found by generating them again.
#pragma once

#include <string>
#include <vector>

#include "fuzz/campaign/judgement.h"
#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {

// By origin, as in "seed=1 index=7 policy=large", the names in the order of the generator's table.
// None of what the campaign did not draw. Empty where making them again dies or takes more than
// the limits: it is done in a child.
std::vector<std::vector<std::string>> productions_of(const CampaignOptions& campaign,
                                                     const std::vector<std::string>& origins,
                                                     const Limits& limits);

}  // namespace fusillade::fuzz
