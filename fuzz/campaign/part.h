// What the folder of one shard says in numbers: its part of a merge. A merge keeps the parts that
// it is made of, and computes all else from them, so that it is the same whichever came first.
//
// Samples have times to the microsecond, and those that are kept for long are told by their times
// alone (`thinned`). So a part whose samples begin with those of another, at one step, is a later
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
  std::map<std::string, std::string> engines;  // outside: versions; empty: not told
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
