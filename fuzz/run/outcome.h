// What a plan makes of a case: values, or how it failed. Runs in this process; crashes are the
// caller's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/run/plan.h"
#include "fuzz/case/case.h"
#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {

struct Outcome {
  // Crash and Hang are those of an external engine; one of ours takes this process along.
  enum class Kind { Values, Error, Bug, Memory, Declined, Crash, Hang };
  Kind kind = Kind::Values;
  std::string message;
  std::vector<IValue> outputs;
  std::vector<IValue> inputs;  // as they are afterwards, also where it raised
  // As the worker of an external engine says: an operator raised its error, and not the program.
  bool by_operator = false;
};

// A plan prepared for a program. Neither construction nor run throws.
class Prepared {
 public:
  Prepared(const Case& c, const Plan& plan) : Prepared(view_of(c), plan) {}
  // Another graph than the case's: one read back, traced, or of a frozen module.
  static Prepared of_graph(const Graph& graph, const Plan& plan) {
    return Prepared(ProgramView{graph}, plan);
  }
  Outcome run(const Call& call) const;  // on a fresh copy of the inputs
  const Plan& plan() const { return plan_; }
  // What runs; null when preparing failed, or the engine has no graph to look at.
  const Graph* graph() const { return executable_ ? executable_->graph() : nullptr; }

 private:
  Prepared(const ProgramView& program, const Plan& plan);
  static ProgramView view_of(const Case& c) { return {*c.program, c.script, c.self}; }
  Plan plan_;
  std::unique_ptr<Executable> executable_;
  Outcome failure_;
};

// Are both members of enums, of one name and value? A loaded archive has an enum as a class of its
// own.
bool same_member(const IValue& a, const IValue& b);

// A message without numbers, paths and values, so that like failures read alike.
std::string stable_phrase(const std::string& message);

// Ended as no engine may, whatever the program.
inline bool never_allowed(const Outcome& o) {
  using Kind = Outcome::Kind;
  return o.kind == Kind::Crash || o.kind == Kind::Hang || o.kind == Kind::Bug;
}

// Judges how `observed` ended where `reference` is what should have happened: true when that
// decides the verdict (a bug, memory, an error on one side only, or nothing to compare).
bool classify(const Outcome& reference, const Outcome& observed, Verdict& verdict);

// Are the outputs and the inputs afterwards equal bit for bit (NaNs alike)? Otherwise fills in the
// mismatch. Counts elements.
bool bitwise_equal(const Outcome& reference, const Outcome& observed, Verdict& verdict);
// The same of the inputs alone.
bool inputs_equal(const Outcome& reference, const Outcome& observed, Verdict& verdict);

}  // namespace fusillade::fuzz
