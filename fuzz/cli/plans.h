// --plan of verbs that take many, and what --policy says.
#pragma once

#include <string>
#include <vector>

#include "engine/run/plan.h"

namespace fusillade::cli {

// "--plan=-P" takes P out of the default set; all additive or all subtractive. Empty: the default
// set.
std::vector<Plan> chosen_plans(const std::vector<std::string>& words);

inline constexpr const char* kPolicyHelp =
    "generation policy, or several with weights, as in chains=3,large=1 (default: all, by their "
    "own weights)";

// Throws Error when the external engine of such a plan cannot be had.
void require_engines(const std::vector<Plan>& plans);

}  // namespace fusillade::cli
