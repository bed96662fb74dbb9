// Builds of two commits, measured by turns on this machine.
#pragma once

#include <string>
#include <vector>

#include "fuzz/run/commit.h"

namespace fusillade::bench {

// One process of each in random order, so often: the old build, the old build again (A/A) and the
// new one. Writes OUT/old.json, OUT/again.json and OUT/new.json; `words` are the flags of bench for
// all, `first` those for the first round only.
void measure_interleaved(const fuzz::CommitBuild& before, const fuzz::CommitBuild& after,
                         int rounds, const std::vector<std::string>& words,
                         const std::vector<std::string>& first, const std::string& out);

}  // namespace fusillade::bench
