// What judging a case produces.
//
// Findings: mismatch, crash, hang, bug, memory, flaky, slow. Not findings: ok, untrusted (nothing
// could be compared), skip(reason).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "fuzz/case/case.h"

namespace fusillade::fuzz {

enum class VerdictKind : uint8_t {
  Ok,
  Mismatch,
  Crash,
  Hang,
  Bug,
  Memory,
  Flaky,
  Slow,
  Untrusted,
  Skip
};
const char* name_of(VerdictKind kind);
bool is_finding(VerdictKind kind);
bool is_death(VerdictKind kind);  // the process that ran it ended, or had to be ended

struct Elements {
  uint64_t compared = 0;   // elements judged against a bound or bit for bit
  uint64_t tight = 0;      // of those, with a relative bound under 1e-3 or exact
  uint64_t untrusted = 0;  // elements about which the bound says nothing
  Elements& operator+=(const Elements& o);
};

struct Verdict {
  VerdictKind kind = VerdictKind::Ok;
  std::string oracle;
  Plan plan;  // that disagreed; none: empty
  // What the claim is about where no plan is at fault: "archive", "tracer", "front end"; else "".
  std::string part;
  std::string reason;  // skip reason, or a short stable phrase for bucketing ("value", "shape",
                       // "dtype", "error")
  std::string detail;  // for people: element, expected interval, value
  int call = -1;       // which call disagreed
  Elements elements;
  bool raises = false;      // the program itself raises an error in some call
  uint64_t executions = 0;  // program executions (plan x call)
  // The case that shows it, where that is not the one judged.
  std::shared_ptr<const Case> shown_by;
};

// The same failure: verdict kind, reason and part.
bool same_failure(const Verdict& a, const Verdict& b);

// The case a finding is saved as: `c` with the oracle, the verdict, and the plan that failed.
Case finding_case(const Case& c, const Verdict& verdict);

}  // namespace fusillade::fuzz
