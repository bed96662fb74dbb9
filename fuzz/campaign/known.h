// The mute list: causes that somebody knows of and answers for, until a day (docs/how/mute.md).
//
//   known: torch-softmax-half
//   blame: torch:compile
//   message: wrong result
//   ops: aten::softmax
//   reason: pytorch#123456, mended in the nightly
//   owner: lena
//   until: 2027-03-01
//
// What a record matches is found, reduced and kept as ever, but does not count for the exit code. A
// record past its day matches nothing.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "fuzz/campaign/store.h"
#include "fuzz/triage/cause.h"

namespace fusillade::fuzz {

// What is known of a case before its triage.
struct Untriaged {
  std::string verdict, message;
  std::set<std::string> ops;         // of its program as it is; none: unknown
  std::vector<std::string> engines;  // external, of which one will be blamed; none: unknown
  bool begun = false;                // a triage of it was cut short
};

struct KnownRecord {
  std::string name, reason, owner;
  std::string until;                                  // YYYY-MM-DD, the last day on which it mutes
  std::string bucket, verdict, blame, message, plan;  // globs (* and ?); empty: any
  std::vector<std::string> ops;                       // globs; each is among the reduced program's
  int line = 0;
  bool matches(const FindingRow& finding, const Cause& cause) const;
  // Will it, whichever part triage blames and however small it makes the program?
  bool will_match(const Untriaged& waiting) const;
  // Might a campaign with these plans meet it? Not where it is of an external engine, or of plans,
  // that took no part.
  bool concerns(const std::vector<Plan>& plans) const;
};

class KnownList {
 public:
  // Nothing is known.
  KnownList() = default;
  // Throws Error with file and line, and what is legal. `today`: YYYY-MM-DD.
  KnownList(const std::string& text, const std::string& file, const std::string& today);

  const std::vector<KnownRecord>& records() const { return records_; }
  bool is_expired(const KnownRecord& record) const { return record.until < today_; }
  // The first record that mutes the finding, or null.
  const KnownRecord* of(const FindingRow& finding, const Cause& cause) const;
  const KnownRecord* of(const FindingRow& finding) const;
  const KnownRecord* of(const Untriaged& waiting) const;

 private:
  std::vector<KnownRecord> records_;
  std::string today_;
};

KnownList read_known(const std::string& path);  // today is the clock's, in UTC

}  // namespace fusillade::fuzz
