// Claim: an external engine that takes Python as people write it (the form `source`) does with a
// script what CPython does with it, when the same engine's operators run plainly.
//
// Compared are results and arguments afterwards, element by element as `compiled` compares them
// (against_eager.h), what is printed, and the class of an error that no operator raised. Each call
// is made twice: as it is, and with other numbers and sizes, for which the engine compiles again or
// must notice that it need not. A text that our front end does not read (Case::python) has no
// bounds: its values are small integers, whichever dtype holds them, so that no legal rounding
// changes one, and must be equal.
#include <cctype>

#include "engine/run/plan.h"
#include "fuzz/oracle/against_eager.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/oracle/prints.h"
#include "fuzz/run/foreign/source_form.h"

namespace fusillade::fuzz {
namespace {

using Kind = Outcome::Kind;

// Whoever computes only what is needed may lose an operator's error, and none that Python raises.
bool may_be_removed(const Case& c, const Call& call, const SourceOutcome& eager) {
  const bool of_its_class =
      eager.message.starts_with("RuntimeError:") || eager.message.starts_with("IndexError:");
  return of_its_class && (c.python ? eager.by_operator : has_removable_error(c, call, eager));
}

// Which sign a zero has depends on how a sum begins.
void drop_signs_of_zeros(const std::vector<IValue>& values) {
  for (const IValue& v : values) {
    if (v.is_sequence()) drop_signs_of_zeros(v.items());
    if (!v.is_tensor() || !is_float(v.as_tensor().dtype())) continue;
    const Tensor t = v.as_tensor();
    for (int64_t i = 0; i < t.numel(); ++i)
      if (element_as_double(t, i) == 0) set_element(t, i, 0.0);
  }
}

// Bit for bit: values of whole Python.
Verdict compare_bits(const Contract& contract, const Outcome& eager, const Outcome& observed) {
  Verdict step;
  for (const Outcome* o : {&eager, &observed}) {
    drop_signs_of_zeros(o->outputs);
    drop_signs_of_zeros(o->inputs);
  }
  if (!bitwise_equal(eager, observed, step)) return step;
  const Verdict layouts = compare_layouts(contract, eager, observed);
  return is_finding(layouts.kind) ? layouts : step;
}

Verdict compare_values(const Case& c, const Call& call, const Contract& contract,
                       const Outcome& eager, const Outcome& observed) {
  if (c.python) return compare_bits(contract, eager, observed);
  auto reference = make_reference(
      *c.program, call, contract.half_steps_rounded ? Shadow::Of::AnyHalf : Shadow::Of::Any,
      contract.allowed);
  if (reference->outcome.kind == Kind::Values)
    reference->outcome.outputs = {as_one_result(reference->outcome.outputs)};
  reference->outcome.inputs = as_source_tells(reference->outcome.inputs);
  return compare_with_eager(contract, *reference, eager, observed);
}

Verdict judge_call(const Case& c, const Call& call, const Contract& contract,
                   const SourceOutcome& eager, const SourceOutcome& observed) {
  const bool removable = eager.kind == Kind::Error && may_be_removed(c, call, eager);
  std::optional<Verdict> ended =
      by_endings(removable, without_operators(contract, eager), eager, observed);
  const bool raised = eager.kind == Kind::Error && observed.kind == Kind::Error;
  if (ended && !(raised && ended->kind == VerdictKind::Skip)) return *ended;
  if (std::optional<Verdict> prints = compare_prints(eager, observed, c.python)) return *prints;
  if (!ended) return compare_values(c, call, contract, eager, observed);
  if (!c.python) return *ended;
  Verdict step;
  if (!eager.by_operator && !inputs_equal(eager, observed, step)) return step;
  step.elements += {1, 1, 0};  // an error, and what was printed before it
  step.raises = ended->raises;
  return step;
}

// Each call, and behind it its other one; both tell the call's number.
bool judge_plan(const Case& c, const Plan& plan, Judging& judging) {
  const SourceProgram plain(c, plan_of_engine(eager_of(plan.engine)));
  const SourceProgram candidate(c, plan);
  const Contract contract = contract_of(plan.engine);
  for (size_t i = 0; i < c.calls.size(); ++i) {
    for (const bool other : {false, true}) {
      const Call call = other ? other_call(c.calls[i]) : copy_call(c.calls[i]);
      const SourceOutcome wanted = plain.run(call);
      const SourceOutcome observed = candidate.run(call);
      judging.count_runs(2);
      Verdict step = never_allowed(wanted) ? skip("its eager mode ends")
                                           : judge_call(c, call, contract, wanted, observed);
      if (is_finding(step.kind) && other) step.detail = "with other numbers: " + step.detail;
      if (judging.add(std::move(step), plan, static_cast<int>(i))) return true;
    }
  }
  return false;
}

Verdict judge(const Case& c) {
  if (c.script.empty()) return skip("no script");
  if (!c.refused.empty()) return skip("the front end refuses the script", c.refused);
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
    {.name = "whole_python",
     .summary = "a generated script of plain Python, compiled, does what CPython does",
     .judge = &judge,
     .form = Form::Script,
     .python = true,
     .about = &is_compiled_outside,
     .blaming = {.trusts_eager = false}});

}  // namespace
}  // namespace fusillade::fuzz
