// What a plan makes of a case: values, or how it failed. Runs in this process; crashes are the
// caller's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/run/plan.h"
#include "fuzz/case/case.h"
#include "fuzz/oracle/oracle.h"

namespace fusillade::fuzz {

struct Outcome {
  enum class Kind { Values, Error, Bug, Memory, Declined };
  Kind kind = Kind::Values;
  std::string message;
  std::vector<IValue> outputs;
  std::vector<IValue> inputs;  // as they are afterwards
};

// A plan made ready for a program. Neither construction nor run throws.
class Prepared {
 public:
  Prepared(const Graph& graph, const std::string& plan);
  Outcome run(const Call& call) const;  // on a fresh copy of the inputs
  const std::string& plan() const { return plan_; }
  const Executable* executable() const { return executable_.get(); }  // null: preparing failed

 private:
  std::string plan_;
  std::unique_ptr<Executable> executable_;
  Outcome failure_;
};

// Are both members of enums, of one name and value? A loaded archive has an enum as a class of its
// own.
bool same_member(const IValue& a, const IValue& b);

// A message without numbers, paths and values, so that like failures read alike.
std::string stable_phrase(const std::string& message);

// Judges how `observed` ended where `reference` is what should have happened: true when that
// decides the verdict (a bug, memory, an error on one side only, or nothing to compare).
bool settle(const Outcome& reference, const Outcome& observed, Verdict& verdict);

// Are the outputs and the inputs afterwards equal bit for bit (NaNs alike)? Otherwise fills in the
// mismatch. Counts elements.
bool bitwise_equal(const Outcome& reference, const Outcome& observed, Verdict& verdict);

}  // namespace fusillade::fuzz
