// Findings of many shards folded by cause: which of them stand for which.
//
// It hangs on the set alone, not on who came first: findings are looked at by how little their
// causes hold, and each goes with the first before it that is of the same cause (triage/cause.h).
// One that names no part of a compiler goes with none.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "fuzz/campaign/store.h"

namespace fusillade::fuzz {

// A finding as a shard told it.
struct Reported {
  FindingRow row;                        // its count and time are told apart (Shown, first_seen)
  std::vector<std::string> productions;  // productions of its first program
};

std::string print(const Reported& reported);  // JSON
Reported parse_reported(const std::string& text);

// Of two told under one name, that which is kept: by all that it says, whoever told it. The time is
// the earlier one.
void keep_one(Reported& kept, const Reported& other);
// Do both tell the same, times aside?
bool same_content(const Reported& a, const Reported& b);

// By each finding's name, the name of the one that stands for it: its own, or another's.
std::map<std::string, std::string> fold(const std::map<std::string, Reported>& reported);

// Of one case that showed two findings, that which is kept.
void keep_one(Shown& kept, const Shown& other);

}  // namespace fusillade::fuzz
