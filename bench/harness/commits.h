// Builds of two commits, measured by turns on this machine.
#pragma once

#include <string>
#include <vector>

namespace fusillade::bench {

struct Build {
  std::string hash;
  std::string binary;
};

// The commit `name` of the repository that holds the current folder, built: FOLDER/HASH/fusillade,
// which is made once. All are built in one worktree, FOLDER/tree, one after the other, so that each
// costs what differs. Throws Error where there is no such commit or it does not build.
Build built(const std::string& name, const std::string& folder);

// One process of each in random order, so often: the old build, the old build again (A/A) and the
// new one. Writes OUT/old.json, OUT/again.json and OUT/new.json; `words` are the flags of bench for
// all, `first` those for the first turn only.
void measure_by_turns(const Build& before, const Build& after, int turns,
                      const std::vector<std::string>& words, const std::vector<std::string>& first,
                      const std::string& out);

}  // namespace fusillade::bench
