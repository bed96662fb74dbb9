// Folders of the shards of one campaign, as one campaign's folder.
//
// What a merge knows is a set: parts, one for each shard (part.h), findings as they were given
// (fold.h), cases with what they show, cases that wait. Two sets are joined by union, and all that
// people read is computed from the union. So merges in any order and of merges come to the same
// bytes, and a merge of more shards into a merge is that of all.
//
// The folder is written next to its target, which it replaces by one rename.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fuzz/campaign/known.h"

namespace fusillade::fuzz {

struct MergeOptions {
  std::string out;                   // created when absent; one that exists is a merge, and joined
  std::vector<std::string> folders;  // shards, or merges
  KnownList known;
  std::optional<double> min_yield;  // none: the least that a shard was asked for
};

// Returns the ExitCode of the campaign that it came to.
int merge_campaigns(const MergeOptions& options);

}  // namespace fusillade::fuzz
