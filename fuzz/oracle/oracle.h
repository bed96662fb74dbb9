// An oracle is a pure function from a case to a verdict, registered, one file each. It gets a
// libFuzzer target, a `fuzz` sub-mode, statistics and a reducer predicate for free.
//
// Oracles run in the current process; crash, hang and memory are given by whoever watches it.
#pragma once

#include <span>
#include <string>

#include "engine/base/table.h"
#include "engine/run/plan.h"
#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {

// How an operator by itself fails a claim about a part: it does not, or as a graph, or as a script.
enum class Alone : uint8_t { No, Graph, Script };

// What bisection asks of a claim to find who breaks it.
struct Blaming {
  // It compares bits with eager mode; the bound shows what eager mode computes wrongly.
  bool trusts_eager = true;
  // Of its part, where eager mode itself is right.
  Alone alone = Alone::No;
  // What fails is an engine's eager mode, whose parts cannot be distinguished.
  bool whole_engine = false;
  // Where an operator and a fuser disagree, neither is known to be right.
  bool disputes = false;
  // What it adds to each plan, a pass or an engine, and the claim about the plan without.
  const char* adds = "";
  const char* without = "";
};

struct Oracle {
  std::string name;
  std::string summary;
  // Judges every plan of the case (its own references as needed) on every call; stops at the first
  // finding. One that is another oracle's claim says so: that oracle fails it under Verdict::plan.
  Verdict (*judge)(const Case& c) = nullptr;
  Form form = Form::Any;  // of the programs that the claim is about
  // Cases that judge() will meet soon, each with its plans, where it is cheaper to work on many at
  // once; else null.
  // Changes no verdict, throws nothing.
  void (*ahead)(std::span<const Case* const> cases) = nullptr;
  bool python = false;  // also judges whole Python (Case::python), which no other may
  bool plain = false;   // judges plain Python (Case::plain) alone, which no other may
  bool errors = false;  // also claims that errors of eager mode are raised
  bool random = false;  // also judges programs that draw random numbers, the same in each run
  // The plans that the claim is about; null: those of engines of ours (not Engine::outside).
  bool (*about)(const Plan& plan) = nullptr;
  // Verdict::part of findings that say none and are no plan's; empty: eager mode is at fault.
  const char* part = "";
  double share = 0;  // of the graphs that it judges besides the one claim that is drawn for each
  bool generated_only = false;  // the claim is about generated programs
  bool asked = false;           // campaigns judge it only where it is named: it measures time
  Blaming blaming{};
};

// Is the claim about such a program?
bool takes(const Oracle& oracle, const Case& c);
// Those of `plans` that the claim is about.
std::vector<Plan> plans_for(const Oracle& oracle, const std::vector<Plan>& plans);
const Oracle& oracle(const std::string& name);  // throws Error listing the legal names

}  // namespace fusillade::fuzz
