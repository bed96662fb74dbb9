// Claim: every plan agrees with the shadow within the bound computed for each element, and so does
// eager.
//
// The reference is eager execution of the program as written; the bound comes with it (see
// run/shadow.h). Inputs are compared as well, after the call: in-place writes count. When the
// shadow cannot follow the program, the call is untrusted.
#include <new>

#include "fuzz/oracle/judging.h"
#include "fuzz/run/missing_error.h"
#include "fuzz/run/shadow.h"

namespace fusillade::fuzz {
namespace {

// One call under the shadow.
struct Reference {
  Shadow shadow;
  Outcome outcome;        // eager's values, or its error
  std::string untrusted;  // why nothing can be compared
};

std::unique_ptr<Reference> make_reference(const Graph& program, const Call& call) {
  auto r = std::make_unique<Reference>();
  Call copy = copy_call(call);
  r->outcome.inputs = copy.inputs;
  try {
    r->outcome.outputs = r->shadow.run(program, copy.inputs);
  } catch (const Untrusted& u) {
    r->untrusted = u.reason;
  } catch (const Error& e) {
    r->outcome.kind = Outcome::Kind::Error;
    r->outcome.message = e.what();
  } catch (const std::bad_alloc&) {
    r->outcome.kind = Outcome::Kind::Memory;
  } catch (const std::exception& e) {
    r->outcome.kind = Outcome::Kind::Bug;
    r->outcome.message = e.what();
  }
  return r;
}

Verdict compare(Reference& reference, const Outcome& observed) {
  Verdict step;
  if (observed.kind == Outcome::Kind::Bug) {
    settle(reference.outcome, observed, step);
    return step;
  }
  if (!reference.untrusted.empty()) {
    step.kind = VerdictKind::Untrusted;
    step.reason = reference.untrusted;
    return step;
  }
  if (settle(reference.outcome, observed, step)) return step;
  auto all = [&](const std::vector<IValue>& expected, const std::vector<IValue>& got,
                 const char* what) {
    if (expected.size() != got.size()) {
      step.kind = VerdictKind::Mismatch;
      step.reason = "count";
      step.detail = fmt::format("{} {}s, expected {}", got.size(), what, expected.size());
      return false;
    }
    for (size_t i = 0; i < expected.size(); ++i) {
      if (!reference.shadow.admits(expected[i], got[i], fmt::format("{} {}", what, i), step))
        return false;
    }
    return true;
  };
  if (all(reference.outcome.outputs, observed.outputs, "output")) {
    all(reference.outcome.inputs, observed.inputs, "input");
  }
  return step;
}

Verdict judge(const Case& c) {
  Judging judging;
  std::vector<std::unique_ptr<Reference>> references;
  for (size_t i = 0; i < c.calls.size(); ++i) {
    references.push_back(make_reference(*c.program, c.calls[i]));
    judging.executed();
    Reference& r = *references.back();
    Verdict own;
    if (r.outcome.kind == Outcome::Kind::Bug) settle(r.outcome, r.outcome, own);
    else if (r.outcome.kind == Outcome::Kind::Values) own = compare(r, r.outcome);
    else continue;
    own.elements = {};
    if (is_finding(own.kind) &&
        judging.add(std::move(own), reference_plan(), static_cast<int>(i))) {
      return judging.verdict();
    }
  }
  for (const std::string& plan : c.plans) {
    Prepared candidate(c, plan);
    for (size_t i = 0; i < c.calls.size(); ++i) {
      Outcome observed = candidate.run(c.calls[i]);
      judging.executed();
      Verdict step = compare(*references[i], observed);
      judge_missing_error(*c.program, c.calls[i], observed, step);
      if (judging.add(std::move(step), plan, static_cast<int>(i))) return judging.verdict();
    }
  }
  return judging.verdict();
}

const Oracle& registered = Table<Oracle>::instance().add(
    {"differential", "every plan and eager lie within the shadow's bound, element by element",
     &judge});

}  // namespace
}  // namespace fusillade::fuzz
