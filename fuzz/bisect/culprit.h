// Who is to blame for a failure: a kind, a name, and the words by which people, case files, mute
// lists and databases of campaigns know it.
//
//   Operator   aten::addmm        "operator aten::addmm"
//   Rule       merge of cse       "cse/merge"
//   Fuser      loopnest of fuse   "fuse(loopnest)"
//   Backend    llvm               "backend llvm"
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace fusillade::fuzz {

enum class CulpritKind : uint8_t {
  Unknown,        // nobody is named
  NotReproduced,  // it did not fail again
  OutOfTime,      // the budget ended first
  Flaky,          // it fails at times: name says how often
  Operator,
  OperatorKind,  // operators of a kind, which share their code: what a cause says of one
  Pass,
  Rule,
  Fuser,
  Backend,
  Transform,
  Effects,  // the analysis of memory, which passes believe
  Engine,   // one of ours: "vm", "jit"
  EngineOutside,
  Part,       // what makes another form of a program: "front end", "archive state", "tape"
  Generator,  // making the program dies
  Triage,     // triage itself failed
};

struct Culprit {
  CulpritKind kind = CulpritKind::Unknown;
  std::string name;
  std::string of;  // the pass of a rule or of a fuser

  bool is(CulpritKind k) const { return kind == k; }
  auto operator<=>(const Culprit&) const = default;
};

// "operator", "engine outside": as finding.json says it.
const char* name_of(CulpritKind kind);
// The words; "" where there is no culprit.
std::string print(const Culprit& culprit);
// From such words, which oracles say (Verdict::part), and databases and cases keep.
Culprit read_culprit(const std::string& words);

}  // namespace fusillade::fuzz
