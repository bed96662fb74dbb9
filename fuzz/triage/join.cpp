// See join.h.
#include "fuzz/triage/join.h"

#include <algorithm>

#include "engine/kernel/kernel.h"
#include "engine/ops/kind_name.h"
#include "engine/run/plan.h"
#include "fuzz/bisect/growth.h"
#include "fuzz/case/against.h"
#include "fuzz/judge/judge.h"
#include "fuzz/oracle/oracle.h"
#include "fuzz/reduce/reduce.h"
#include "fuzz/run/foreign/family.h"

namespace fusillade::fuzz {
namespace {

bool passes_without(const Case& c, const std::string& off, const Limits& limits) {
  return judge_isolated(c, limits, off).kind == VerdictKind::Ok;
}

bool fails_under(const Case& c, const Plan& plan, const Verdict& v, const Limits& limits) {
  Case one = c.clone();
  one.plans = {plan};
  return same_failure(judge_isolated(one, limits), v);
}

// Another back end in place of the guilty one: one that is always here.
bool passes_on_another(const Case& c, const std::string& backend, const Limits& limits) {
  for (const kernel::Backend* other : Table<kernel::Backend>::instance().by_name()) {
    if (other->name == backend || !other->drawn) continue;
    Case one = c.clone();
    for (Plan& plan : one.plans) {
      bool uses = false;
      for (PassCall& call : plan.pipeline) {
        for (std::string& word : call.args) {
          uses = uses || word == backend;
          if (word == backend) word = other->name;
        }
      }
      if (!uses) return false;
      plan = respell(std::move(plan));
    }
    return judge_isolated(one, limits).kind == VerdictKind::Ok;
  }
  return false;
}

// The nodes that `is` names take the values that they computed, as inputs: the failure goes with
// them. In a child, for they are run.
template <class Is>
bool passes_cut(const Case& c, const Limits& limits, Is is) {
  if (!c.script.empty()) return false;
  ChildResult r = run_isolated(
      [&]() -> std::string {
        Case cut = c.clone();
        std::vector<Node*> nodes;
        for (Node* n : cut.program->block()->nodes())
          if (!n->is(prim::constant()) && is(n->op())) nodes.push_back(n);
        if (nodes.empty() || !cut_out(cut, nodes)) return "";
        drop_unused(cut);
        verify(*cut.program);
        return judge_here(cut).kind == VerdictKind::Ok ? "passes" : "";
      },
      limits);
  return r.kind == ChildResult::Kind::Done && r.output == "passes";
}

bool fuses_pass(const Case& c, const Culprit& part, const Limits& limits) {
  const std::string& pass = part.of.empty() ? part.name : part.of;  // a fuser goes with its pass
  const std::string off = part.is(CulpritKind::Rule) ? print(part) : pass;
  return Table<Pass>::instance().find(pass) && passes_without(c, off, limits);
}

// Eager mode fails, by the bound where the oracle is about another form of the program, and no more
// without the operators of this kind.
bool same_operator(const Case& given, const std::string& kind, const Verdict& v,
                   const Limits& limits) {
  Case c = given.clone();
  if (!v.part.empty() && oracle(c.oracle).blaming.alone == Alone::No) {
    c.oracle = "differential";
    c.plans = {reference_plan()};
    if (judge_isolated(c, limits).kind != VerdictKind::Mismatch) return false;
  } else if (!fails_under(c, reference_plan(), v, limits)) {
    return false;
  }
  return passes_cut(c, limits, [&](const Operator& op) { return name_of(op.kind) == kind; });
}

// The failure is at the part that the oracle itself names, or at an external engine.
bool fuses_stage(const Case& c, const Cause& known, bool telling, const Limits& limits) {
  if (telling) return true;
  return !known.ops.empty() && passes_cut(c, limits, [&](const Operator& op) {
    return known.ops.count(word_of(op, known.part)) > 0;
  });
}

constexpr size_t kMostOpsAsked = 6;  // each takes a judgement

// Each op of the known cause is needed: without any one of them the case passes. What it would be
// reduced to holds them all, then, and is that cause by same_cause.
bool needs_each_op(const Case& c, const Cause& known, const Limits& limits) {
  return !known.ops.empty() && known.ops.size() <= kMostOpsAsked &&
         std::ranges::all_of(known.ops, [&](const std::string& needed) {
           return passes_cut(c, limits,
                             [&](const Operator& op) { return word_of(op, known.part) == needed; });
         });
}

}  // namespace

bool matches_cause(const Case& c, const Verdict& v, const Cause& known, const Limits& limits) {
  if (known.verdict != name_of(v.kind)) return false;
  const Cause mine = cause_of(v, known.part, c);
  if (mine.message != known.message) return false;
  const std::set<std::string> words = words_of(c, known.part);
  if (!std::includes(words.begin(), words.end(), known.ops.begin(), known.ops.end())) return false;
  const bool telling = known.ops.empty() || !c.refused.empty();
  Case one = c.clone();
  if (!v.plan.empty()) one.plans = {v.plan};
  if (c.oracle == kAgainst) return blame_growth(one, limits).who == known.part;
  if (known.part.is(CulpritKind::Operator) || known.part.is(CulpritKind::OperatorKind))
    return same_operator(one, known.part.name, v, limits);
  if (!v.part.empty())
    return cause_of(v, read_culprit(v.part), c).part == known.part &&
           fuses_stage(one, known, telling, limits);
  if (known.part.is(CulpritKind::Backend))
    return !one.plans.empty() && passes_on_another(one, known.part.name, limits);
  if (const Engine* engine = Table<Engine>::instance().find(known.part.name)) {
    const bool same = !one.plans.empty() && one.plans[0].engine == known.part.name;
    if (engine->outside) return same && (telling || needs_each_op(one, known, limits));
    return same && !engine->reference &&
           fails_under(one, plan_of_engine(known.part.name), v, limits);
  }
  return fuses_pass(one, known.part, limits);
}

}  // namespace fusillade::fuzz
