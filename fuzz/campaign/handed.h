// Folders of campaigns that were handed over, read as a stranger's: nothing is written into them,
// no link in them is followed, and names in them lead nowhere else.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "fuzz/campaign/fold.h"
#include "fuzz/campaign/part.h"

namespace fusillade::fuzz {

// What may not differ between the shards of one campaign.
struct Origin {
  std::string identity;
  std::string build;
  uint64_t of = 1;  // how many shards it has
};

struct Handed {
  std::string folder;
  bool merged = false;
  Origin origin;
  std::map<uint64_t, Part> parts;            // by shard
  std::map<std::string, Reported> reported;  // findings, by bucket
  std::vector<Shown> shown;
  std::vector<Observation> observations;
  std::vector<std::string> pending;  // names of cases, and of how far their triage came
  std::optional<double> min_yield;   // that was asked for
  std::shared_ptr<void> lock;        // while it is here, no campaign starts there
};

// In a folder no program was judged, and nothing found: a shard that was stopped before it began.
struct NotStarted : Error {
  using Error::Error;
};

// `scratch` is a folder for copies, empty before and after. Throws Error with the folder's name
// where it is no campaign's, is damaged, or is one that a campaign runs in; NotStarted.
Handed read_handed(const std::string& folder, const std::string& scratch);

// The folder, or file, of a finding of it; empty: it has none (its program cannot be generated).
std::string finding_at(const Handed& handed, const FindingRow& row);

// Copies a file, or the files of a folder, into `to`, which is created. A file that is there
// already stays if its bytes sort first, so that the order of copies does not matter.
void copy_file(const std::string& from, const std::string& to);
void copy_files(const std::string& from, const std::string& to);

}  // namespace fusillade::fuzz
