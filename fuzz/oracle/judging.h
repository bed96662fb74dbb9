// The loop most oracles share: every plan on every call, until the first finding.
#pragma once

#include "engine/ops/class_type.h"
#include "fuzz/oracle/oracle.h"
#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {

// Collects what comparisons say about one case. `add` returns true when judging must stop: a
// finding.
class Judging {
 public:
  bool add(Verdict step, const Plan& plan, int call);
  void count_runs(uint64_t n = 1) { total_.executions += n; }
  // The finding; else ok when something was compared; else why nothing was.
  Verdict verdict() const;

 private:
  Verdict total_;
  bool found_ = false;
  bool compared_ = false;
  Verdict why_not_;
};

// The plans without passes that mean what the program means, bit for bit: the reference, and each
// other engine with passes of ours that the case asks for. A case without plans asks for all.
std::vector<Plan> bare_plans(const Case& c);

// A finding: what differs, and how.
Verdict mismatch(const std::string& reason, const std::string& detail);

// Where `expected` is an error: the same one, with the same inputs afterwards, bit for bit. For two
// runs of one plan, and of a program without passes.
void same_error(const Outcome& expected, const Outcome& observed, Verdict& step);

// Each plan of the case against its reference, bit for bit. `reference` gives the reference, and
// `alter` what runs (empty: the plan does not take part).
using OfPlan = Plan (*)(const Plan& plan);
Verdict judge_bitwise(const Case& c, OfPlan reference, OfPlan alter);

// The case's program against what should be the same program, both under eager: values bit for bit,
// and an error for an error. True when judging must stop.
bool judge_same(const Case& c, const Graph& other, Judging& judging);

// The classes that the values of a graph are of: what its text needs to be read back.
ClassTable classes_in(const Graph& graph);

}  // namespace fusillade::fuzz
