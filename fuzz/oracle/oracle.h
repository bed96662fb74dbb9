// An oracle is a pure function from a case to a verdict, registered, one file each. It gets a
// libFuzzer target, a `fuzz` sub-mode, statistics and a reducer predicate for free.
//
// Findings: mismatch, crash, hang, bug, memory, flaky, slow. Not findings: ok, untrusted (nothing
// could be compared), skip(reason). Oracles run in the current process; crash, hang and memory are
// given by the supervisor that watches it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/base/table.h"
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

struct Elements {
  uint64_t compared = 0;   // elements judged against a bound or bit for bit
  uint64_t tight = 0;      // of those, with a relative bound under 1e-3 or exact
  uint64_t untrusted = 0;  // elements about which the bound says nothing
  Elements& operator+=(const Elements& o);
};

struct Verdict {
  VerdictKind kind = VerdictKind::Ok;
  std::string oracle;
  std::string plan;    // the plan that disagreed
  std::string reason;  // skip reason, or a short stable phrase for bucketing ("value", "shape",
                       // "dtype", "error")
  std::string detail;  // for people: element, expected interval, value
  int call = -1;       // which call disagreed
  Elements elements;
  bool raises = false;      // the program itself raises an error in some call
  uint64_t executions = 0;  // program executions (plan x call)
};

struct Oracle {
  std::string name;
  std::string summary;
  // Judges every plan of the case (its own references as needed) on every call; stops at the first
  // finding.
  Verdict (*judge)(const Case& c) = nullptr;
  Form form = Form::Any;  // of the programs that the claim is about
  // Cases that judge() will meet soon, where it is cheaper to work on many at once; else null.
  // Changes no verdict, throws nothing.
  void (*ahead)(std::span<const Case* const> cases) = nullptr;
};
const Oracle& oracle(const std::string& name);  // throws Error listing the legal names

}  // namespace fusillade::fuzz
