// The numbers of one shard's folder: its part of a merge. A merge keeps its parts and computes all
// else from them, so that it does not depend on their order.
//
// Samples have times to the microsecond, and which of them are kept for long depends on their times
// alone (`thin_out`). So a part whose samples begin with those of another, at one step, is a later
// state of the same folder, and no other folder has them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fuzz/campaign/cost.h"
#include "fuzz/campaign/outputs.h"
#include "fuzz/campaign/reach.h"
#include "fuzz/campaign/store.h"

namespace fusillade::fuzz {

struct Part {
  Shard shard;
  int jobs = 1;  // when it ran last
  Counters totals;
  std::map<std::string, uint64_t> reasons;
  Reach reach;
  Cost cost;
  double seconds = 0;                          // of the shard
  double after = 0;                            // of them, after the last program
  double job_seconds = 0;                      // in which workers ran
  std::map<std::string, std::string> engines;  // external: versions; empty: unknown
  std::vector<Sample> samples;
};

std::string print(const Part& part);  // JSON
Part parse_part(const std::string& text);
// Of a folder that is no merge.
Part part_of(const Store& store);

// Is `later` the same folder's, some time after `earlier` or at the same time?
bool goes_on(const Part& earlier, const Part& later);

// All shards started at one time: what they came to together at each step. `first_seen`: when
// each finding was.
std::vector<Sample> on_one_clock(const std::vector<Part>& parts, double seconds,
                                 const std::vector<double>& first_seen, const Reach& reached);

// For campaign.json.
ShardList shards_in(const Store& store);

}  // namespace fusillade::fuzz
