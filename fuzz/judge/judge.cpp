// See judge.h. The child judges and sends its verdict back as JSON; what kills the child is a
// verdict of its own.
#include "fuzz/judge/judge.h"

#include <csignal>
#include <new>
#include <nlohmann/json.hpp>

#include "engine/base/lack.h"
#include "engine/ir/visit.h"
#include "engine/passes/effects.h"
#include "engine/passes/switch_off.h"
#include "engine/tensor/random.h"
#include "fuzz/case/against.h"
#include "fuzz/judge/whose_limit.h"
#include "fuzz/oracle/oracle.h"
#include "fuzz/process/service.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/other_build.h"
#include "fuzz/run/outcome.h"
#include "fuzz/run/python/worker.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

std::string encode(const Verdict& v) {
  json j = {{"kind", static_cast<int>(v.kind)},
            {"oracle", v.oracle},
            {"plan", v.plan.text},
            {"part", v.part},
            {"reason", v.reason},
            {"detail", v.detail},
            {"call", v.call}};
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

Verdict decode(const std::string& text) {
  json j = json::parse(text);
  Verdict v;
  v.kind = static_cast<VerdictKind>(j["kind"].get<int>());
  v.oracle = j["oracle"];
  v.plan = read_plan(j["plan"]);
  v.part = j["part"];
  v.reason = j["reason"];
  v.detail = j["detail"];
  v.call = j["call"];
  return v;
}

// The last lines of a sanitizer's or abort's message, for people.
std::string tail(const std::string& log) {
  size_t from = log.size() > 4000 ? log.size() - 4000 : 0;
  return log.substr(from);
}

// Does a run in the reference plan take random numbers? What decides may be known then alone: an
// attribute `training`, a probability that is an input.
bool draws_when_run(const Case& c) {
  const uint64_t before = numbers_taken();
  const Prepared eager(c, reference_plan());
  for (const Call& call : c.calls) eager.run(call);
  return numbers_taken() > before;
}

// An operator that draws random numbers in one of the calls; empty: none does.
std::string random_op(const Case& c) {
  std::string may_draw, differs;
  if (!c.program) return may_draw;
  for (const Node* n : c.program->block()->nodes()) {
    if (differs_unknown(n)) differs = n->op().name;
    if (draws_numbers(n)) may_draw = n->op().name;
  }
  if (differs.empty() && (may_draw.empty() || !draws_when_run(c))) return "";
  std::string inner;  // of a branch, a loop or a function that is called: what draws within
  each_node<Within::Callees>(c.program->block(), [&](const Node* n) {
    const bool holds_more = !n->blocks().empty() || n->is(prim::call_function());
    if (inner.empty() && !holds_more && (differs_unknown(n) || draws_numbers(n)))
      inner = n->op().name;
  });
  return !inner.empty() ? inner : differs.empty() ? may_draw : differs;
}

Verdict judge_plans(const Oracle& about, const Case& c, const std::vector<Plan>& plans) {
  try {
    if (plans.size() == c.plans.size()) return about.judge(c);
    Case some = c.clone();
    some.plans = plans;
    return about.judge(some);
  } catch (const std::bad_alloc&) {
    Verdict v;
    v.kind = VerdictKind::Memory;
    v.reason = "memory";
    return v;
  }
}

bool wants_memory(const Verdict& v) {
  return v.kind == VerdictKind::Memory || (v.kind == VerdictKind::Skip && v.reason == "memory");
}

Verdict too_large() {
  Verdict v;
  v.kind = VerdictKind::Skip;
  v.reason = kTooLarge;
  return v;
}

}  // namespace

std::string main_oracle(const std::vector<Plan>& plans) {
  if (plans.empty()) return "differential";
  const std::string& engine = plans[0].engine;
  if (!is_outside(engine)) return "differential";
  return engine == eager_of(engine) ? "conformance" : "compiled";
}

Verdict judge_here(const Case& c) {
  const Oracle& about = oracle(c.oracle);
  std::vector<Plan> plans = plans_for(about, c.plans);
  Verdict v;
  if (c.python && !takes(about, c)) {
    v.kind = VerdictKind::Skip;
    v.reason = "whole Python";
  } else if (const std::string drawn = about.random ? "" : random_op(c); !drawn.empty()) {
    v.kind = VerdictKind::Skip;
    v.reason = "random";
    v.detail = "random numbers\n" + drawn;
  } else if (plans.empty() && (!c.plans.empty() || about.about)) {
    v.kind = VerdictKind::Skip;
    v.reason = "no plan that the claim is about";
  } else {
    v = judge_plans(about, c, plans);
    // A large block may be refused for the want of a moment; what is too large is so again.
    if (wants_memory(v) && noted_lack().empty()) v = judge_plans(about, c, plans);
  }
  if (!noted_lack().empty()) fail("not judged: {}", noted_lack());
  if (v.kind == VerdictKind::Memory && !is_spree(c, v.plan)) v = too_large();
  if (v.kind == VerdictKind::Skip && v.reason == "memory") v.reason = kTooLarge;
  if (v.oracle.empty()) v.oracle = c.oracle;
  const bool of_no_plan = v.plan.empty() || v.plan == reference_plan();
  if (is_finding(v.kind) && v.part.empty() && of_no_plan) v.part = about.part;
  return v;
}

ChildResult run_judging(const Case& c, const std::function<std::string()>& job,
                        const Limits& limits) {
  start_outside(c.plans);
  const bool asks_python = oracle(c.oracle).form == Form::PlainScript;
  if (asks_python) PythonWorker::instance().start();
  const bool asks_other = c.oracle == kAgainst && OtherBuild::is_trusted(against_of(c));
  OtherBuild* const other = asks_other ? &OtherBuild::of(against_of(c)) : nullptr;
  if (other) other->start();
  const Service::Lent lent;
  ChildResult r = run_isolated(job, limits);
  // One that was killed may have asked and not heard; one that died of itself was not asking.
  const bool by_itself = r.kind == ChildResult::Kind::Crash && r.signal != SIGKILL;
  if (asks_python && r.kind != ChildResult::Kind::Done && !by_itself)
    PythonWorker::instance().stop();
  if (r.kind != ChildResult::Kind::Done && !by_itself) stop_outside(c.plans);
  if (other && r.kind != ChildResult::Kind::Done) other->stop();
  return r;
}

Verdict judge_isolated(const Case& c, const Limits& limits, const std::string& off) {
  ChildResult r = run_judging(
      c,
      [&] {
        SwitchOff without(off);
        return encode(judge_here(c));
      },
      limits);
  if (r.kind == ChildResult::Kind::Done) return decode(r.output);
  Verdict v;
  v.oracle = c.oracle;
  v.plan = c.plans.size() == 1 ? c.plans[0] : Plan();
  v.detail = tail(r.log);
  switch (r.kind) {
    case ChildResult::Kind::Hang:
      v.kind = VerdictKind::Hang;
      v.reason = "time";
      break;
    case ChildResult::Kind::Memory:
      if (!is_spree([&] { return c.clone(); }, limits)) return too_large();
      v.kind = VerdictKind::Memory;
      v.reason = "memory";
      break;
    default:
      v.kind = r.signal ? VerdictKind::Crash : VerdictKind::Bug;
      v.reason = r.signal ? fmt::format("signal {}", r.signal) : "exception";
  }
  return v;
}

Verdict judge_fairly(const Case& c, const Limits& limits) {
  Verdict v = judge_isolated(c, limits);
  if (v.kind != VerdictKind::Hang) return v;
  if (who_is_late([&] { return c.clone(); }, limits) == Late::Judging) {
    v.kind = VerdictKind::Skip;
    v.reason = kTooLong;
  }
  return v;
}

Verdict judge_often(const Case& c, const Limits& limits, int tries, const std::string& off) {
  Verdict v = judge_isolated(c, limits, off);
  while (!is_finding(v.kind) && --tries > 0) v = judge_isolated(c, limits, off);
  return v;
}

}  // namespace fusillade::fuzz
