// Claim: what inference promised is what ran. Every value's dtype, sizes, strides and device, as
// far as its static type knows them, hold at run time, in the program and in each plan's optimised
// graph; and plans keep which outputs and inputs share memory.
#include "fuzz/oracle/judging.h"
#include "fuzz/oracle/promise.h"
#include "fuzz/oracle/reference.h"

namespace fusillade::fuzz {
namespace {

void storages(const IValue& v, std::vector<const Storage*>& out) {
  if (v.is_tensor()) out.push_back(v.as_tensor().numel() ? v.as_tensor().storage() : nullptr);
  if (v.tag() == IValue::Tag::Dict) {
    for (const auto& [key, value] : v.as_dict().items()) storages(value, out);
  }
  if (v.tag() != IValue::Tag::List && v.tag() != IValue::Tag::Tuple) return;
  for (const IValue& item : v.items()) storages(item, out);
}

Verdict same_sharing(const Outcome& reference, const Outcome& observed) {
  Verdict v;
  if (classify(reference, observed, v)) return v;
  std::vector<const Storage*> a, b;
  for (const auto* values : {&reference.outputs, &reference.inputs}) {
    for (const IValue& x : *values) storages(x, a);
  }
  for (const auto* values : {&observed.outputs, &observed.inputs}) {
    for (const IValue& x : *values) storages(x, b);
  }
  if (a.size() != b.size()) return v;
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      bool empty = !a[i] || !b[i] || !a[k] || !b[k];
      if (empty || (a[i] == a[k]) == (b[i] == b[k])) continue;
      v.kind = VerdictKind::Mismatch;
      v.reason = "aliasing";
      v.detail =
          fmt::format("results {} and {} {} memory, in eager mode they {}", k, i,
                      b[i] == b[k] ? "share" : "do not share", a[i] == a[k] ? "do" : "do not");
      return v;
    }
  }
  v.elements.compared = v.elements.tight = a.size();
  return v;
}

// A program whose branches or sizes depend on rounding may run another course under a plan.
void unless_rounding_decides(const Graph& program, const Call& call, Verdict& v) {
  std::string why = make_reference(program, call, Shadow::Of::Ours)->untrusted;
  if (why.empty()) return;
  v = Verdict();
  v.kind = VerdictKind::Untrusted;
  v.reason = why;
}

Verdict judge(const Case& c) {
  Judging judging;
  Prepared eager(c, reference_plan());
  for (size_t i = 0; i < c.calls.size(); ++i) {
    judging.count_runs();
    if (judging.add(promises_of(*c.program, c.calls[i]), reference_plan(), static_cast<int>(i)))
      return judging.verdict();
  }
  for (const Plan& plan : c.plans) {
    Prepared candidate(c, plan);
    if (!candidate.graph()) continue;
    const Device device = plan.device;
    for (size_t i = 0; i < c.calls.size(); ++i) {
      judging.count_runs(3);
      Verdict step = promises_of(*candidate.graph(), c.calls[i], {}, device);
      if (judging.add(std::move(step), plan, static_cast<int>(i))) return judging.verdict();
      step = same_sharing(eager.run(c.calls[i]), candidate.run(c.calls[i]));
      if (is_finding(step.kind)) unless_rounding_decides(*c.program, c.calls[i], step);
      if (judging.add(std::move(step), plan, static_cast<int>(i))) return judging.verdict();
    }
  }
  return judging.verdict();
}

const Oracle& registered = Table<Oracle>::instance().add(
    {.name = "shapes",
     .summary = "inferred dtypes, sizes, strides and aliases are those of the run",
     .judge = &judge,
     .random = true});

}  // namespace
}  // namespace fusillade::fuzz
