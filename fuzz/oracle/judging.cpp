// See judging.h.
#include "fuzz/oracle/judging.h"

#include <algorithm>
#include <map>

#include "engine/ir/visit.h"
#include "engine/tensor/device_access.h"
#include "fuzz/oracle/nan_signs.h"
#include "fuzz/run/judge_error.h"

namespace fusillade::fuzz {

bool Judging::add(Verdict step, const Plan& plan, int call) {
  total_.elements += step.elements;
  total_.raises = total_.raises || step.raises;
  if (is_finding(step.kind)) {
    Elements elements = total_.elements;
    uint64_t executions = total_.executions;
    total_ = std::move(step);
    total_.elements = elements;
    total_.executions = executions;
    total_.plan = plan;
    total_.call = call;
    found_ = true;
    return true;
  }
  if (step.kind == VerdictKind::Ok) {
    compared_ = compared_ || step.elements.compared > 0;
    if (!step.reason.empty() && total_.reason.empty()) {
      total_.reason = step.reason;
      total_.detail = step.detail;
    }
    if (step.elements.untrusted && why_not_.reason.empty()) {
      why_not_.kind = VerdictKind::Untrusted;
      why_not_.reason = step.reason.empty() ? "every element may be anything" : step.reason;
      why_not_.detail = step.detail;
    }
  } else if (why_not_.reason.empty()) {
    why_not_ = std::move(step);
  }
  return false;
}

Verdict Judging::verdict() const {
  if (found_) return total_;
  Verdict v = total_;
  if (compared_) {
    v.kind = VerdictKind::Ok;
    return v;
  }
  v.kind = why_not_.reason.empty() ? VerdictKind::Skip : why_not_.kind;
  v.reason = why_not_.reason.empty() ? "no elements" : why_not_.reason;
  v.detail = why_not_.detail;
  return v;
}

std::vector<Plan> bare_plans(const Case& c) {
  auto is_in_plans = [&](const Engine* engine) {
    return c.plans.empty() || std::any_of(c.plans.begin(), c.plans.end(), [&](const auto& plan) {
             return plan.engine == engine->name && why_no_device(plan.device).empty();
           });
  };
  std::vector<Plan> out;
  for (const Engine* engine : engines()) {
    if (engine->reference || (engine->runs_passes && is_in_plans(engine)))
      out.push_back(plan_of_engine(engine->name));
  }
  return out;
}

Verdict mismatch(const std::string& reason, const std::string& detail) {
  Verdict v;
  v.kind = VerdictKind::Mismatch;
  v.reason = reason;
  v.detail = detail;
  return v;
}

void same_error(const Outcome& expected, const Outcome& observed, Verdict& step) {
  if (expected.kind != Outcome::Kind::Error) return;
  if (observed.kind != Outcome::Kind::Error) {
    step = mismatch("missing error: " + stable_phrase(expected.message), expected.message);
    return;
  }
  if (stable_phrase(expected.message) != stable_phrase(observed.message)) {
    step = mismatch("another error", observed.message + "\neager: " + expected.message);
    return;
  }
  Verdict written;
  const bool same = inputs_equal(expected, observed, written);
  written.raises = step.raises;
  written.elements += {1, 1, 0};
  step = std::move(written);
  if (!same) step.reason = "before the error: " + step.reason;
}

Verdict judge_bitwise(const Case& c, OfPlan reference, OfPlan alter) {
  Judging judging;
  std::map<Plan, std::vector<Outcome>> wanted;  // by the reference
  for (const Plan& plan : c.plans) {
    const Plan altered = alter(plan);
    if (altered.empty()) continue;
    const Plan by = reference(plan);
    std::vector<Outcome>& expected = wanted[by];
    if (expected.empty()) {
      Prepared ready(c, by);
      for (const Call& call : c.calls) {
        expected.push_back(ready.run(call));
        judging.count_runs();
      }
    }
    Prepared candidate(c, altered);
    for (size_t i = 0; i < c.calls.size(); ++i) {
      Verdict step;
      Outcome observed = candidate.run(c.calls[i]);
      judging.count_runs();
      if (!classify(expected[i], observed, step)) bitwise_equal(expected[i], observed, step);
      judge_error(*c.program, c.calls[i], expected[i], observed, step);
      unless_nan_signs_decide(*c.program, c.calls[i], expected[i], observed, step);
      if (judging.add(std::move(step), plan, static_cast<int>(i))) return judging.verdict();
    }
  }
  return judging.verdict();
}

bool judge_same(const Case& c, const Graph& other, Judging& judging) {
  Prepared wanted(c, reference_plan());
  Prepared read = Prepared::of_graph(other, reference_plan());
  for (size_t i = 0; i < c.calls.size(); ++i) {
    Outcome expected = wanted.run(c.calls[i]);
    Outcome observed = read.run(c.calls[i]);
    judging.count_runs(2);
    Verdict step;
    if (!classify(expected, observed, step)) bitwise_equal(expected, observed, step);
    else if (step.raises && observed.kind == Outcome::Kind::Values)
      step = mismatch("missing error: " + stable_phrase(expected.message),
                      "eager raises: " + expected.message);
    else judge_error(*c.program, c.calls[i], expected, observed, step);
    unless_nan_signs_decide(*c.program, c.calls[i], expected, observed, step);
    if (judging.add(std::move(step), reference_plan(), static_cast<int>(i))) return true;
  }
  return false;
}

namespace {

void add_classes(const Type& type, ClassTable& table) {
  if (const ClassPtr& cls = type.class_type()) {
    if (table.find(cls->name)) return;
    table.add(cls);
    for (const Field& f : cls->fields) add_classes(f.type, table);
  }
  static constexpr TypeKind kNested[] = {TypeKind::List, TypeKind::Tuple, TypeKind::Optional,
                                         TypeKind::Dict, TypeKind::Union};
  for (TypeKind kind : kNested) {
    if (!type.is(kind)) continue;
    for (const Type& t : type.elements()) add_classes(t, table);
  }
}

void add_classes(const Block* block, ClassTable& table) {
  each_value<Within::Callees>(block, [&](const Value* v) { add_classes(v->type(), table); });
}

}  // namespace

ClassTable classes_in(const Graph& graph) {
  ClassTable table;
  add_classes(graph.block(), table);
  return table;
}

}  // namespace fusillade::fuzz
