// See reference.h.
#include "fuzz/oracle/reference.h"

#include <new>

#include "engine/tensor/random.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/process/stage.h"
#include "fuzz/run/judge_error.h"

namespace fusillade::fuzz {

std::unique_ptr<Reference> make_reference(const Graph& program, const Call& call, Shadow::Of of,
                                          const EngineDeviation& allowed) {
  heartbeat();
  const StageScope stage(Stage::Shadow);
  auto r = std::make_unique<Reference>(of, allowed);
  Call copy = copy_call(call);
  const NumbersScope numbers;
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

namespace {

bool admits_all(Reference& reference, const std::vector<IValue>& expected,
                const std::vector<IValue>& got, const char* what, Verdict& step) {
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
}

}  // namespace

Verdict within_bound(Reference& reference, const Outcome& observed) {
  Verdict step;
  if (observed.kind == Outcome::Kind::Bug) {
    classify(reference.outcome, observed, step);
    return step;
  }
  if (!reference.untrusted.empty()) {
    step.kind = VerdictKind::Untrusted;
    step.reason = reference.untrusted;
    return step;
  }
  if (classify(reference.outcome, observed, step)) return step;
  if (admits_all(reference, reference.outcome.outputs, observed.outputs, "output", step))
    admits_all(reference, reference.outcome.inputs, observed.inputs, "input", step);
  return step;
}

void judge_error(const Graph& program, const Call& call, Reference& reference,
                 const Outcome& observed, Verdict& verdict) {
  judge_error(
      program, call, reference.outcome, observed,
      [&](Verdict& v) {
        return admits_all(reference, reference.outcome.inputs, observed.inputs, "input", v);
      },
      verdict);
}

}  // namespace fusillade::fuzz
