// Claim: an external engine that takes Python as people write it (the form `source`) does with a
// text what CPython does with it, when the same engine's operators run plainly. The text is one
// that our front end need not read (Case::plain), so there is no graph and no bound.
//
// Compared are results and arguments afterwards, as far as plain runs in double precision tell what
// roundings may change (rounded.h), dtypes, sizes, what is printed, and errors. An error may be
// lost where an operator raised it whose result nobody needs. A program that gives other values in
// a second plain run is not judged.
#include "engine/run/plan.h"
#include "fuzz/oracle/against_eager.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/oracle/rounded.h"
#include "fuzz/run/foreign/source_form.h"

namespace fusillade::fuzz {
namespace {

using Kind = Outcome::Kind;

bool may_be_removed(const SourceOutcome& eager) {
  const bool of_its_class =
      eager.message.starts_with("RuntimeError:") || eager.message.starts_with("IndexError:");
  return of_its_class && eager.by_operator && !eager.for_result;
}

struct Plain {
  SourceOutcome eager;
  bool steady = true;  // a second run is the same
  PlainRuns results, arguments;
};

void add_precise(const SourceProgram& plain, const Call& call, bool changed,
                 std::vector<IValue>& results, std::vector<IValue>& arguments) {
  const std::optional<Call> other = in_double(call, changed);
  if (!other) return;
  SourceOutcome run = plain.run(*other);
  // What gives nothing to compare with has no form of the eager run's.
  const bool values = run.kind == Kind::Values;
  results = values ? std::move(run.outputs) : std::vector{IValue::str("no values")};
  arguments = values ? std::move(run.inputs) : std::vector{IValue::str("no values")};
}

Plain run_plainly(const SourceProgram& plain, const Call& call) {
  Plain out;
  out.eager = plain.run(call);
  if (out.eager.kind != Kind::Values) return out;
  const SourceOutcome again = plain.run(call);
  Verdict same;
  out.steady = again.kind == Kind::Values && bitwise_equal(out.eager, again, same) &&
               out.eager.printed == again.printed;
  if (!out.steady) return out;
  out.results.eager = out.eager.outputs;
  out.arguments.eager = out.eager.inputs;
  add_precise(plain, call, false, out.results.exact, out.arguments.exact);
  add_precise(plain, call, true, out.results.changed, out.arguments.changed);
  return out;
}

Verdict judge_call(const Contract& contract, const Plain& plain, const SourceOutcome& observed) {
  const SourceOutcome& eager = plain.eager;
  if (never_allowed(eager)) return skip("its eager mode ends");
  const bool removable = eager.kind == Kind::Error && may_be_removed(eager);
  if (std::optional<Verdict> ended = by_endings(removable, contract, eager, observed))
    return *ended;
  if (!plain.steady) return skip("its values differ in each run");
  Verdict step;
  compare_rounded(plain.results, observed.outputs, "result", step);
  if (step.kind == VerdictKind::Ok)
    compare_rounded(plain.arguments, observed.inputs, "argument", step);
  if (step.kind != VerdictKind::Ok) return step;
  const Verdict layouts = compare_layouts(contract, eager, observed);
  return is_finding(layouts.kind) ? layouts : step;
}

bool judge_plan(const Case& c, const Plan& plan, Judging& judging) {
  const SourceProgram plain(c, plan_of_engine(eager_of(plan.engine)));
  const SourceProgram candidate(c, plan);
  const Contract contract = contract_of(plan.engine);
  for (size_t i = 0; i < c.calls.size(); ++i) {
    const Plain wanted = run_plainly(plain, c.calls[i]);
    judging.count_runs(5);
    Verdict step = judge_call(contract, wanted, candidate.run(c.calls[i]));
    if (judging.add(std::move(step), plan, static_cast<int>(i))) return true;
  }
  return false;
}

Verdict judge(const Case& c) {
  if (c.script.empty()) return skip("no script");
  if (!c.refused.empty()) return skip("the text has no entry", c.refused);
  Judging judging;
  try {
    for (const Plan& plan : c.plans)
      if (is_compiled_outside(plan) && judge_plan(c, plan, judging)) break;
  } catch (const Unsupported& e) {
    return skip(stable_phrase(e.what()), e.what());
  }
  return judging.verdict();
}

const Oracle& registered = Table<Oracle>::instance().add(
    {.name = "plain_python",
     .summary = "a file given to `check`, compiled, does what CPython does, within rounding errors",
     .judge = &judge,
     .form = Form::Script,
     .python = true,
     .plain = true,
     .about = &is_compiled_outside,
     .blaming = {.trusts_eager = false}});

}  // namespace
}  // namespace fusillade::fuzz
