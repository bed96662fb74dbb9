// What the triage of a case tells its campaign, in a file in memory: workers may write to the
// folder of waiting cases, and no answer of theirs is taken for the triage's.
#pragma once

#include <string>

#include "fuzz/campaign/store.h"

namespace fusillade::fuzz {

class TriageResult {
 public:
  TriageResult();  // throws Error where the machine has none to give
  TriageResult(const TriageResult&) = delete;
  ~TriageResult();

  void clear() const;  // before a triage begins
  void write(const std::string& text) const;
  bool is_written() const;
  std::string text() const;

 private:
  int fd_;
};

// A row from what was written, each field checked; `let_go`: why it is no finding, or empty. Throws
// Error where something is not as a triage says it.
FindingRow parse_triage_result(const std::string& text, std::string* let_go);

// Of letters, digits and a few signs, none of which leads to another folder.
bool is_plain_name(const std::string& text);
// Throws Error but where the finding's name leads to a place of its own in the campaign's folder.
void require_own_place(const FindingRow& row);

}  // namespace fusillade::fuzz
