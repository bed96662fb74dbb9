// See against_eager.h.
#include "fuzz/oracle/against_eager.h"

#include "fuzz/oracle/judging.h"
#include "fuzz/run/foreign/centred.h"
#include "fuzz/run/foreign/foreign_worker.h"
#include "fuzz/run/foreign/layout.h"
#include "fuzz/run/missing_error.h"

namespace fusillade::fuzz {
namespace {

using Kind = Outcome::Kind;

// What workers write before the error (fuzz/workers/torch_worker.py).
constexpr std::string_view kRefused = "\nrefused: ";

std::string class_of(const std::string& message) { return message.substr(0, message.find(':')); }

}  // namespace

Verdict skip(const std::string& reason, const std::string& detail) {
  Verdict v;
  v.kind = VerdictKind::Skip;
  v.reason = reason;
  v.detail = detail;
  return v;
}

std::optional<Verdict> by_endings(bool removable, const Contract& contract, const Outcome& eager,
                                  const Outcome& observed) {
  Verdict step;
  if (eager.kind == Kind::Declined || eager.kind == Kind::Memory)
    return skip("its eager mode: " + stable_phrase(eager.message), eager.message);
  if (observed.kind == Kind::Memory && eager.kind == Kind::Error) return skip("memory");
  bool raised = observed.kind == Kind::Error;
  if (eager.kind == Kind::Error && raised) {
    std::string a = class_of(eager.message);
    std::string b = class_of(observed.message);
    if (a == b || !contract.error_classes) return skip("the program raises an error");
    return mismatch(fmt::format("error: class {} for {}", b, a),
                    fmt::format("class {} for {}\n{}\nits eager mode: {}", b, a, observed.message,
                                eager.message));
  }
  if (eager.kind == Kind::Error && observed.kind == Kind::Values) {
    if (removable) return skip("an error that may be removed");
    return mismatch("missing error: " + class_of(eager.message),
                    "its eager mode: " + eager.message);
  }
  if (classify(eager, observed, step)) return step;
  return std::nullopt;
}

Contract without_operators(Contract contract, const Outcome& eager) {
  contract.error_classes = contract.error_classes && !eager.by_operator;
  return contract;
}

bool has_removable_error(const Case& c, const Call& call, const Outcome& eager) {
  return eager.kind == Kind::Error && needed_error(*c.program, call).empty();
}

Outcome with_refusal(const Case& c, const Call& call, const Outcome& eager,
                     const Outcome& observed) {
  const size_t at = eager.kind == Kind::Declined ? eager.message.find(kRefused) : std::string::npos;
  if (at == std::string::npos || observed.kind != Kind::Values) return eager;
  if (needed_error(*c.program, call).empty()) return eager;
  Outcome out;
  out.kind = Kind::Error;
  out.by_operator = true;
  out.message = eager.message.substr(at + kRefused.size());
  return out;
}

Verdict compare_layouts(const Contract& contract, const Outcome& eager, const Outcome& observed) {
  std::string aliases = contract.aliases ? other_aliases(eager, observed) : "";
  if (!aliases.empty()) return mismatch("aliases", aliases);
  std::string strides = contract.strides ? other_strides(eager, observed) : "";
  return strides.empty() ? Verdict() : mismatch("strides", strides);
}

Verdict compare_with_eager(const Contract& contract, Reference& reference, const Outcome& eager,
                           const Outcome& observed) {
  Verdict step;
  bool followed = reference.untrusted.empty() && reference.outcome.kind == Kind::Values;
  Centred centred(followed ? &reference.shadow : nullptr);
  bool same = centred.admits_all(reference.outcome.outputs, eager.outputs, observed.outputs,
                                 "output", step) &&
              centred.admits_all(followed ? reference.outcome.inputs : std::vector<IValue>(),
                                 eager.inputs, observed.inputs, "input", step);
  if (!same) return step;
  const Verdict layouts = compare_layouts(contract, eager, observed);
  return is_finding(layouts.kind) ? layouts : step;
}

bool is_compiled_outside(const Plan& plan) {
  return is_outside(plan.engine) && plan.engine != eager_of(plan.engine);
}

Contract contract_of(const std::string& engine) {
  return ForeignWorker::of(family_of(engine)).contract(name_in_family(engine));
}

}  // namespace fusillade::fuzz
