// Claim: an external engine that takes Python as people write it (the form `source`) does with a
// text what CPython does with it, when the same engine's operators run plainly. The text is one
// that our front end need not read (Case::plain), so there is no graph and no bound.
//
// Compared are results and arguments afterwards, as far as plain runs in double precision tell what
// roundings may change (rounded.h), dtypes, sizes, what is printed, and errors. An error may be
// lost where an operator raised it whose result nobody needs; and where an operator raised one,
// which of its checks comes first, and so the class of what is raised, is nobody's claim. Of a
// program that gives other values in a second plain run, dtypes alone are compared.
#include <cctype>

#include "fuzz/oracle/against_eager.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/oracle/plain_runs.h"
#include "fuzz/oracle/prints.h"

namespace fusillade::fuzz {
namespace {

using Kind = Outcome::Kind;

bool may_be_removed(const SourceOutcome& eager) {
  const bool of_its_class =
      eager.message.starts_with("RuntimeError:") || eager.message.starts_with("IndexError:");
  return of_its_class && eager.by_operator && !eager.for_result;
}

// Errors of Python and of operators, which a text may raise in one of its branches.
bool may_be_raised(const SourceOutcome& observed) {
  if (observed.kind != Kind::Error) return false;
  for (const char* name :
       {"AssertionError:", "AttributeError:", "IndexError:", "KeyError:", "NotImplementedError:",
        "RuntimeError:", "StopIteration:", "TypeError:", "ValueError:", "ZeroDivisionError:",
        "OverflowError:", "SystemExit:", "KeyboardInterrupt:"})
    if (observed.message.starts_with(name)) return true;
  return false;
}

// Roundings may change what these print, down to the number of digits.
bool prints_floats(const std::string& text) {
  for (const char* word : {"tensor(", "nan", "inf", "e-", "e+"})
    if (text.find(word) != std::string::npos) return true;
  for (size_t i = 1; i < text.size(); ++i)
    if (text[i] == '.' && std::isdigit(static_cast<unsigned char>(text[i - 1]))) return true;
  return false;
}

Verdict judge_call(const Contract& contract, const Plain& plain, const SourceOutcome& observed) {
  const SourceOutcome& eager = plain.eager;
  if (never_allowed(eager)) return skip("its eager mode ends");
  const bool removable = eager.kind == Kind::Error && may_be_removed(eager);
  std::optional<Verdict> ended =
      by_endings(removable, without_operators(contract, eager), eager, observed);
  const bool raised = eager.kind == Kind::Error && observed.kind == Kind::Error;
  // What the compiler itself raises is no branch of the text.
  const bool of_compiler =
      eager.kind == Kind::Values && ended && is_finding(ended->kind) && !may_be_raised(observed);
  if (plain.may_branch && !of_compiler) return skip(kMayBranch);
  if (ended && (!raised || is_finding(ended->kind))) return *ended;
  if (plain.prints_again && !prints_floats(eager.printed))
    if (std::optional<Verdict> prints = compare_prints(eager, observed, true)) return *prints;
  if (ended) return *ended;
  Verdict step;
  if (!plain.steady) {
    compare_dtypes(plain.results, observed.outputs, "result", step);
    return step.kind == VerdictKind::Ok ? skip("its values differ in each run") : step;
  }
  compare_rounded(plain.results, observed.outputs, "result", step);
  if (step.kind == VerdictKind::Ok)
    compare_rounded(plain.arguments, observed.inputs, "argument", step);
  if (step.kind != VerdictKind::Ok) return step;
  const Verdict layouts = compare_layouts(contract, eager, observed);
  return is_finding(layouts.kind) ? layouts : step;
}

Verdict judge(const Case& c) { return judge_plain(c, Asked::Results, &judge_call); }

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
