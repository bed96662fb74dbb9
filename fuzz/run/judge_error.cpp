// See judge_error.h.
#include "fuzz/run/judge_error.h"

#include "fuzz/run/error_class.h"
#include "fuzz/run/missing_error.h"

namespace fusillade::fuzz {
namespace {

void set_mismatch(Verdict& verdict, std::string reason, std::string detail) {
  verdict.kind = VerdictKind::Mismatch;
  verdict.raises = false;
  verdict.reason = std::move(reason);
  verdict.detail = std::move(detail);
}

}  // namespace

void judge_missing_error(const Graph& program, const Call& call, const Outcome& observed,
                         Verdict& verdict) {
  if (!verdict.raises || observed.kind != Outcome::Kind::Values) return;
  const std::string message = errors_of(program, call).needed;
  if (!message.empty())
    set_mismatch(verdict, "missing error: " + stable_phrase(message), "eager raises: " + message);
}

void judge_error(const Graph& program, const Call& call, const Outcome& reference,
                 const Outcome& observed, const SameInputs& same_inputs, Verdict& verdict) {
  using Kind = Outcome::Kind;
  if (!verdict.raises) return;
  if (observed.kind == Kind::Values) return judge_missing_error(program, call, observed, verdict);
  if (observed.kind != Kind::Error || reference.kind != Kind::Error) return;
  const std::string wanted = raised_class(reference.message);
  const std::string got = raised_class(observed.message);
  Verdict written;
  const bool same = same_inputs(written);
  if (same && wanted == got) {
    verdict.kind = VerdictKind::Ok;
    verdict.reason.clear();
    verdict.detail.clear();
    verdict.elements = written.elements;
    verdict.elements += {1, 1, 0};
    return;
  }
  const ErrorFacts facts = errors_of(program, call);
  if (!facts.certain) return;
  const std::string both =
      fmt::format("raises: {}\neager raises: {}", observed.message, reference.message);
  if (wanted != got && !facts.classes.count(got))
    return set_mismatch(verdict, fmt::format("another error: {} for {}", got, wanted), both);
  if (!same)
    set_mismatch(verdict, "before the error: " + written.reason, written.detail + "\n" + both);
}

void judge_error(const Graph& program, const Call& call, const Outcome& reference,
                 const Outcome& observed, Verdict& verdict) {
  judge_error(
      program, call, reference, observed,
      [&](Verdict& v) { return inputs_equal(reference, observed, v); }, verdict);
}

}  // namespace fusillade::fuzz
