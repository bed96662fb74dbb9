// campaign.json and summary.md of a campaign in whose folder no program runs now: of what its store
// has.
#pragma once

#include <optional>
#include <string>

#include "fuzz/campaign/known.h"
#include "fuzz/campaign/store.h"

namespace fusillade::fuzz {

// Writes them, and returns the ExitCode that the campaign comes to. Of `min_yield` and what a store
// does not have, such as the programs that `check` was given, what campaign.json said stays.
int rewrite_outputs(const std::string& out, const Store& store, const KnownList& known,
                    std::optional<double> min_yield);

}  // namespace fusillade::fuzz
