// Findings of many shards folded by cause: which of them represent which.
//
// The result depends on the set alone, not on the order of arrival. Findings are visited by
// ascending size of their causes, and each is folded into the first earlier one of the same cause
// (triage/cause.h). One that names no part of a compiler is folded into none.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "fuzz/campaign/store.h"

namespace fusillade::fuzz {

// A finding as a shard reported it.
struct Reported {
  FindingRow row;                        // count and time are separate (Shown, first_seen)
  std::vector<std::string> productions;  // productions of its first program
};

std::string print(const Reported& reported);  // JSON
Reported parse_reported(const std::string& text);

// Of two reported under one name, the one to keep: by its content, whoever reported it. The time is
// the earlier one.
void keep_one(Reported& kept, const Reported& other);
// Are both equal, except for times?
bool same_content(const Reported& a, const Reported& b);

// By each finding's name, the name of its representative: its own, or another's.
std::map<std::string, std::string> fold(const std::map<std::string, Reported>& reported);

// Of one case that showed two findings, that which is kept.
void keep_one(Shown& kept, const Shown& other);

}  // namespace fusillade::fuzz
