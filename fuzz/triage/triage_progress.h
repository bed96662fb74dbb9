// How far a triage came, so that one that is cut short, with its process or its campaign, goes on
// from there: the confirmations, the blame once it is whole, the case as small as it got. It is
// kept in a file, whole or not at all; an unreadable one counts as none.
#pragma once

#include <optional>
#include <string>

#include "fuzz/triage/triage.h"

namespace fusillade::fuzz {

class TriageProgress {
 public:
  // Empty path: nothing is kept.
  explicit TriageProgress(std::string path) : path_(std::move(path)) {}
  // What was done, with these of Triaged: reproduced, tried, blame (empty: not known yet), note,
  // reduced.
  std::optional<Triaged> read() const;
  void keep(const Triaged& t) const;

 private:
  std::string path_;
};

}  // namespace fusillade::fuzz
