// See plain_runs.h.
#include "fuzz/oracle/plain_runs.h"

#include "engine/run/plan.h"
#include "fuzz/oracle/against_eager.h"
#include "fuzz/oracle/judging.h"

namespace fusillade::fuzz {
namespace {

using Kind = Outcome::Kind;

// What the worker says behind the prints of every run but the first (fuzz/workers/torch_source.py).
constexpr std::string_view kElementsRead = "\nelements were read: ";

// What the worker says at the end of a call of data that it left behind
// (fuzz/workers/left_behind.py).
constexpr std::string_view kData = "\ndata left behind: ";

// What was read of elements, which is taken off what was printed; empty: nothing.
std::string take_reads(std::string& printed) {
  const size_t at = printed.rfind(kElementsRead);
  if (at == std::string::npos) return "";
  std::string out = printed.substr(at);
  printed.erase(at);
  return out;
}

std::string without_data(const std::string& printed) {
  return printed.substr(0, printed.find(kData));
}

// What it prints: the plain run's own text where it does not run.
std::string add_precise(const SourceProgram& plain, const Call& call, Role role,
                        const std::string& printed, std::vector<IValue>& results,
                        std::vector<IValue>& arguments) {
  const std::optional<Call> other = in_double(call, role == Role::Changed);
  if (!other) return printed;
  SourceOutcome run = plain.run(*other, role);
  // What gives nothing to compare with has no form of the eager run's.
  const bool values = run.kind == Kind::Values;
  results = values ? std::move(run.outputs) : std::vector{IValue::str("no values")};
  arguments = values ? std::move(run.inputs) : std::vector{IValue::str("no values")};
  return run.printed;
}

// Of a program's calls, in their order: each leaves behind what the next one meets.
class ShakenRuns {
 public:
  ShakenRuns(const SourceProgram& plain, const std::vector<Call>& calls)
      : plain_(plain), calls_(calls) {}

  void add(size_t call, Plain& to) {
    SourceOutcome run;
    while (next_ <= call) run = plain_.run(calls_[next_++], Role::Shaken);
    if (run.kind != Kind::Values) return;
    to.results.shaken = std::move(run.outputs);
    to.arguments.shaken = std::move(run.inputs);
  }

 private:
  const SourceProgram& plain_;
  const std::vector<Call>& calls_;
  size_t next_ = 0;
};

bool has_sizes_of(const Call& first, const Call& call) {
  for (size_t i = 0; i < call.inputs.size() && i < first.inputs.size(); ++i) {
    const IValue &a = first.inputs[i], &b = call.inputs[i];
    if (a.is_tensor() && b.is_tensor() && a.as_tensor().sizes() != b.as_tensor().sizes())
      return false;
  }
  return true;
}

bool judge_plan(const Case& c, const Plan& plan, Asked asked, JudgePlain judge, Judging& judging) {
  const SourceProgram plain(c, plan_of_engine(eager_of(plan.engine)), asked);
  const SourceProgram candidate(c, plan, asked);
  const Contract contract = contract_of(plan.engine);
  ShakenRuns shaken(plain, c.calls);
  bool raised = false;
  for (size_t i = 0; i < c.calls.size(); ++i) {
    Plain wanted = run_plainly(plain, c.calls[i]);
    // Also where it is not judged: both are to leave behind the same for later calls.
    SourceOutcome observed = candidate.run(c.calls[i]);
    const bool leaves_data =
        wanted.leaves_data || observed.printed.find(kData) != std::string::npos;
    if (!wanted.data_again) observed.printed = without_data(observed.printed);
    judging.count_runs(5);
    // Dynamo loses what a call changes before it raises: from then on data are not judged.
    if (raised && leaves_data) continue;
    raised = raised || wanted.eager.kind == Kind::Error;
    if (wanted.eager.kind == Kind::Error && !has_sizes_of(c.calls[0], c.calls[i])) continue;
    Verdict step = judge(contract, wanted, observed);
    if (is_finding(step.kind) && wanted.steady && observed.kind == Kind::Values &&
        wanted.eager.kind == Kind::Values) {
      shaken.add(i, wanted);
      step = judge(contract, wanted, observed);
    }
    if (judging.add(std::move(step), plan, static_cast<int>(i))) return true;
  }
  return false;
}

}  // namespace

Plain run_plainly(const SourceProgram& plain, const Call& call) {
  Plain out;
  out.eager = plain.run(call);
  SourceOutcome again = plain.run(call, Role::Again);
  const std::string reads = take_reads(again.printed);
  std::string& printed = out.eager.printed;
  std::string exact =
      add_precise(plain, call, Role::Exact, printed, out.results.exact, out.arguments.exact);
  std::string changed =
      add_precise(plain, call, Role::Changed, printed, out.results.changed, out.arguments.changed);
  const std::string exactly = take_reads(exact), after_change = take_reads(changed);
  out.leaves_data = printed.find(kData) != std::string::npos;
  out.data_again = printed == again.printed && printed == exact && printed == changed;
  if (!out.data_again)
    for (std::string* text : {&printed, &again.printed, &exact, &changed})
      *text = without_data(*text);
  const bool reads_the_same = exactly == reads && after_change == reads;
  out.may_branch = !reads.empty() && !reads_the_same && !out.results.exact.empty();
  const bool same_again = printed == again.printed;
  out.prints_again = same_again && printed == exact && printed == changed;
  if (out.eager.kind != Kind::Values) return out;
  Verdict same;
  out.steady = again.kind == Kind::Values && bitwise_equal(out.eager, again, same) && same_again;
  out.results.eager = out.eager.outputs;
  out.results.again = again.outputs;
  out.arguments.eager = out.eager.inputs;
  return out;
}

Verdict judge_plain(const Case& c, Asked asked, JudgePlain judge) {
  if (c.script.empty()) return skip("no script");
  if (!c.refused.empty()) return skip("the text has no entry", c.refused);
  Judging judging;
  try {
    for (const Plan& plan : c.plans)
      if (is_compiled_outside(plan) && judge_plan(c, plan, asked, judge, judging)) break;
  } catch (const Unsupported& e) {
    return skip(stable_phrase(e.what()), e.what());
  }
  return judging.verdict();
}

}  // namespace fusillade::fuzz
