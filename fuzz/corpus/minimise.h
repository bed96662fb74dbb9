// Minimises a corpus: few cases that together reach all that all of them reach in this build.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/corpus/feature.h"
#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {

struct Candidate {
  std::string name;
  size_t bytes = 0;
  Features features = {};
};

// Which of them reach all features, in ascending order: of each feature some case stays, and none
// that could be left out. Small cases are preferred, then those that come first by name.
std::vector<size_t> smallest_cover(const std::vector<Candidate>& cases);

struct Minimised {
  size_t cases = 0, kept = 0, regression = 0;  // regression: never judged, never dropped
  size_t bytes = 0, kept_bytes = 0;            // of those that are none
  size_t features = 0;                         // that stay
  size_t lost = 0;                             // noted, and reached by no case in this build
  std::vector<std::string> failing = {};       // cases that fail now; they stay
  std::vector<std::string> passed_over = {};   // "NAME: why"
};

// Judges every case in children, removes those that are not needed, and notes of the others what
// they reach. Throws Error where another does the same in that folder.
Minimised minimise_corpus(const std::string& folder, const Limits& limits);

}  // namespace fusillade::fuzz
