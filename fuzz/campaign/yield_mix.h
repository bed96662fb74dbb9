// Policies weighted by what an earlier campaign found with each: the programs of the next one go
// where causes were. The text of the mix is all that the next campaign depends on, so that its
// seeds and indices name the same programs wherever they are made.
//
// A policy that found more causes than its weight promised is drawn more often, in that
// proportion, at most four times as often as by its own weight; one that found fewer less often, at
// least a quarter. One cause more is counted on either side, so that few causes change little.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fusillade::fuzz {

// Of campaign.json's `policy` and `found_by`. Throws Error where it drew one policy alone: it says
// nothing of the others.
std::string mix_by_yield(const nlohmann::json& campaign);
// Of the campaign in this folder. Throws Error where there is none.
std::string mix_by_yield_of(const std::string& folder);

}  // namespace fusillade::fuzz
