// A script as workers get it that take programs in the form `source`: its own text, the name of
// what is called, and the state of its module (docs/reference/workers.md).
//
//   def main(x0: Tensor, n: int):     ->   {"text": "def main...", "entry": "main"}
//   class Net(nn.Module): ...         ->   {..., "entry": "Net", "state": ["fc.weight",
//   "training"]}
//
// The text is the case's, as the oracle `python` sends it: of a script the front end has read all
// that Python would run (python/admission.h), and the worker looks at the text once more and runs
// it within its walls.
#pragma once

#include "engine/run/plan.h"
#include "fuzz/run/foreign/foreign_worker.h"
#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {

struct SourceOutcome : Outcome {
  std::string printed;
  bool for_result = false;  // its error is of an operator whose result the program returns
};

// What is asked of a program: what it returns, or, of a plain one, the gradients of that.
enum class Asked : uint8_t { Results, Gradients };

// Which of the runs of a plain text it is: each has what the text leaves behind to itself. Exact:
// in double precision; Changed: and what the text makes itself is moved a little; Shaken: as it is,
// but each result of an operator is moved as a rounding may move it.
enum class Role : uint8_t { First, Again, Exact, Changed, Shaken };

// Kept ready for calls under one plan. Only run's outcome tells what fails.
class SourceProgram {
 public:
  SourceProgram(const Case& c, const Plan& plan, Asked asked = Asked::Results);
  ~SourceProgram();
  SourceProgram(const SourceProgram&) = delete;
  SourceProgram& operator=(const SourceProgram&) = delete;
  // Outputs are one: the result. A module among the inputs afterwards is the list of its state.
  SourceOutcome run(const Call& call, Role role = Role::First) const;

 private:
  const Case& case_;
  Plan plan_;
  const Family& family_;
  std::string engine_;
  nlohmann::json options_;
  ForeignProgram program_;
  Outcome failure_;
};

// The last function or class that begins a line: what a script's program is.
std::string entry_of(const Case& c);
// The same call with other numbers, and where its first tensor has a size above 2, tensors of one
// less wherever that size is.
Call other_call(const Call& call);

// Values as workers tell those of `source`: dicts and members of enums are tuples that begin with
// what they are, a module is the list of its state. Tensors are the same.
std::vector<IValue> as_source_tells(const std::vector<IValue>& values);
// What our interpreter gives of a program's results is one value there.
IValue as_one_result(const std::vector<IValue>& outputs);

}  // namespace fusillade::fuzz
