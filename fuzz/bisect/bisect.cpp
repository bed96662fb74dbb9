// See bisect.h.
#include "fuzz/bisect/bisect.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "engine/fuse/compile_log.h"
#include "engine/kernel/int_range.h"
#include "engine/kernel/kernel.h"
#include "engine/passes/rule.h"
#include "engine/run/plan.h"
#include "fuzz/bisect/growth.h"
#include "fuzz/bisect/memory_claims.h"
#include "fuzz/bisect/operator_alone.h"
#include "fuzz/case/against.h"
#include "fuzz/judge/judge.h"
#include "fuzz/oracle/oracle.h"
#include "fuzz/run/foreign/family.h"

namespace fusillade::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

// Groups that have no kernel though this back end makes one: by what they were lowered to, or,
// where their tensors lie on its device, by that.
auto left_out(const kernel::Backend& by) {
  return [&by](const fuse::Compilation& compiled) {
    if (compiled.program) return false;
    const auto on_its_device = [&](const fuse::ArgSpec& spec) {
      return spec.is_tensor && spec.device != Device() && spec.device.type == by.device;
    };
    if (compiled.lowered.kernel.body.empty())
      return std::ranges::any_of(compiled.args, on_its_device);
    try {
      kernel::compile_cached(compiled.lowered.kernel, by);
    } catch (const Unsupported&) {
      return false;
    } catch (const Exception&) {  // it does not decline
    }
    return true;
  };
}

Plan first_plan(const Case& c) { return c.plans.empty() ? Plan() : c.plans[0]; }

const Culprit kNotReproduced{CulpritKind::NotReproduced, "not reproduced", {}};
const Culprit kOutOfTime{CulpritKind::OutOfTime, "out of time", {}};
const Culprit kAutodiff{CulpritKind::Pass, "autodiff", {}};

Culprit engine_named(const std::string& name) { return read_culprit(name); }  // ours, or outside
Culprit operator_named(std::string name) { return {CulpritKind::Operator, std::move(name), {}}; }
Culprit pass_named(std::string name) { return {CulpritKind::Pass, std::move(name), {}}; }
Culprit rule_named(std::string pass, std::string rule) {
  return {CulpritKind::Rule, std::move(rule), std::move(pass)};
}

constexpr const char* kBound = "differential";  // the oracle that judges eager mode, too
constexpr int kMoments = 3;  // times that a case may fail in a way that does not last

class Bisection {
 public:
  Bisection(const Case& c, const Limits& limits, double budget, int tries)
      : case_(c.clone()), limits_(limits), budget_(budget), tries_(tries), start_(Clock::now()) {}

  Blame run() {
    Blame found = find_blame();
    if (found.who == engine_named(reference_name()) || found.who == kAutodiff)
      blame_inner_pass(found);
    found.complete = !out_of_time_;
    return found;
  }

 private:
  Blame find_blame() {
    if (!reproduce()) {
      blame_.who = kNotReproduced;
      if (!case_.plans.empty()) blame_.plan = case_.plans[0];
      return blame_;
    }
    if (case_.oracle == kAgainst) return blame_of_growth();
    if (reference_.kind == VerdictKind::Slow)
      return conclude(read_culprit(reference_.part), reference_.plan);
    if (eager_is_wrong()) return blame_operator();
    if (!reference_.part.empty()) return blame_part();
    const std::string part = oracle(case_.oracle).part;
    const bool of_a_part = is_death(reference_.kind) && !part.empty();
    const bool of_several = reference_.plan.empty() && case_.plans.size() != 1;
    if (of_a_part || of_several) return blame_death();
    return blame_plan(reference_.plan.empty() ? case_.plans[0] : reference_.plan);
  }

  Blame blame_of_growth() {
    if (!reference_.plan.empty()) case_.plans = {reference_.plan};
    Blame found = blame_growth(case_, limits_);
    found.checks += blame_.checks;
    if (found.plan.empty() && !case_.plans.empty()) found.plan = case_.plans[0];
    return found;
  }

  // Sets what is to be blamed. A failure of another claim than the case's, as where an eager mode
  // is lost on the way, is that claim's when it shows there, too; else it was of the moment.
  bool reproduce() {
    for (int attempt = 0; attempt < kMoments; ++attempt) {
      reference_ = judge_without("");
      if (!is_finding(reference_.kind)) return false;
      if (reference_.oracle == case_.oracle) return true;
      Case other = case_.clone();
      other.oracle = reference_.oracle;
      other.plans = {reference_.plan};
      ++blame_.checks;
      if (!same_failure(judge_often(other, limits_, tries_), reference_)) continue;
      case_ = std::move(other);
      blame_.oracle = case_.oracle;
      return true;
    }
    return false;
  }

  Verdict judge_without(const std::string& off) {
    ++blame_.checks;
    return judge_often(case_, limits_, tries_, off);
  }

  const Blaming& blaming() const { return oracle(case_.oracle).blaming; }

  bool in_time() {
    const double used = std::chrono::duration<double>(Clock::now() - start_).count();
    out_of_time_ = out_of_time_ || used > budget_;
    return !out_of_time_;
  }

  bool fails(const Plan& plan) {
    if (!in_time()) return false;
    case_.plans = {plan};
    return same_failure(judge_without(""), reference_);
  }

  bool is_right(const Plan& plan) {
    if (!in_time()) return false;
    case_.plans = {plan};
    return judge_without("").kind == VerdictKind::Ok;
  }

  // A wrong operator can fail any bitwise comparison: a copy of its operands, say, has another
  // layout. The bound oracle decides whether eager mode is wrong.
  bool eager_is_wrong() {
    if (!blaming().trusts_eager || !case_.program || reference_.kind != VerdictKind::Mismatch)
      return false;
    Case bound = case_.clone();
    bound.oracle = kBound;
    bound.plans = {reference_plan()};
    ++blame_.checks;
    Verdict v = judge_isolated(bound, limits_);
    if (v.kind != VerdictKind::Mismatch) return false;
    case_ = std::move(bound);
    reference_ = v;
    blame_.oracle = kBound;
    return true;
  }

  Blame conclude(Culprit who, const Plan& plan) {
    blame_.who = std::move(who);
    blame_.plan = plan;
    return blame_;
  }

  // A case that dies names no plan and no part: each plan is tried by itself, the reference first.
  // Where the claim needs none, or all die, what the claim is about remains.
  Blame blame_death() {
    const std::vector<Plan> plans = case_.plans;
    const std::string part = oracle(case_.oracle).part;
    if (fails(reference_plan())) {
      case_.oracle = part.empty() ? case_.oracle : kBound;
      if (!fails(reference_plan())) return conclude(read_culprit(part), reference_plan());
      blame_operator();
      // Scripts that are drawn end, and no operator by itself does not.
      const bool drawn = !case_.script.empty() && case_.origin.starts_with("seed=");
      const bool endless = reference_.kind == VerdictKind::Hang && drawn;
      return endless && blame_.who == engine_named(reference_name())
                 ? conclude(read_culprit(part), reference_plan())
                 : blame_;
    }
    for (const Plan& plan : plans)
      if (plan != reference_plan() && fails(plan)) return blame_plan(plan);
    case_.plans = plans;
    if (out_of_time_) return conclude(kOutOfTime, {});
    return conclude(read_culprit(part.empty() ? case_.oracle : part), first_plan(case_));
  }

  // A claim about a conversion of the program from one form to another. At fault is the converting
  // part, an operator that only the conversion runs (of a tape: whose gradient is wrong), or a pass
  // that merges what the part produced.
  Blame blame_part() {
    blame_.plan = first_plan(case_);
    blame_.who = read_culprit(reference_.part);
    if (blaming().alone != Alone::No) {
      if (auto alone = operator_alone(case_, reference_, limits_))
        blame_.who = operator_named(alone->op);
      return blame_;
    }
    for (const Pass* pass : Table<Pass>::instance().by_name()) {
      if ((pass->flags & kMerges) && judge_without(pass->name).kind == VerdictKind::Ok) {
        blame_.who = pass_named(pass->name);
        return blame_;
      }
    }
    return blame_;
  }

  Blame blame_plan(const Plan given) {
    Plan plan = given;
    if (blaming().whole_engine) return conclude(engine_named(plan.engine), given);
    if (!fails(given)) return conclude(out_of_time_ ? kOutOfTime : kNotReproduced, given);
    if (is_outside(plan.engine) && !plan.words.empty()) {
      drop_options(plan);
      if (!plan.words.empty()) return conclude({CulpritKind::EngineOutside, plan.text, {}}, plan);
    }
    for (const std::string& tier : tiers_below(plan.engine))
      if (const Plan below = plan_of_engine(tier); fails(below))
        return conclude(engine_named(tier), below);
    if (fails(reference_plan())) return blame_operator();
    leave_profiling(plan);
    Plan bare = plan;
    bare.pipeline.clear();
    bare.fuel = -1;
    bare = respell(std::move(bare));
    if (fails(bare)) return conclude(engine_or_added(bare), bare);
    if (out_of_time_) return conclude(kOutOfTime, given);
    if (plan.pipeline.empty()) return conclude(kNotReproduced, given);  // it failed, then did not
    return blame_pipeline(plan);
  }

  // An engine that runs the program right without the pass that the oracle adds to every plan is
  // not at fault.
  Culprit engine_or_added(const Plan& bare) {
    const Blaming of = blaming();
    if (!Table<Pass>::instance().find(of.adds)) return engine_named(bare.engine);
    Case without = case_.clone();
    without.oracle = of.without;
    without.plans = {bare};
    ++blame_.checks;
    return is_finding(judge_often(without, limits_, tries_).kind) ? engine_named(bare.engine)
                                                                  : pass_named(of.adds);
  }

  // An engine that runs passes as calls come hands their result to another engine. Where that one
  // fails after the same passes, it or they are at fault. Where the oracle puts every plan on such
  // an engine, its claim about other engines is judged.
  void leave_profiling(Plan& plan) {
    if (!engine_of(plan).passes_later) return;
    const std::string claim = case_.oracle;
    const std::vector<Plan> plans = case_.plans;
    if (Table<Engine>::instance().find(blaming().adds)) case_.oracle = blaming().without;
    for (const Engine* e : engines()) {
      if (e->passes_later || e->reference || e->outside || !e->runs_passes || !in_time()) continue;
      Plan below = plan;
      below.engine = e->name;
      below.words.clear();
      case_.plans = {respell(below)};
      const Verdict v = judge_without("");
      if (!same_failure(v, reference_)) continue;
      if (case_.oracle != claim) blame_.oracle = case_.oracle;
      plan = below;
      return;
    }
    case_.oracle = claim;
    case_.plans = plans;
  }

  // Passes run where no plan says so, too: over formulas of gradients, over groups of autodiff, and
  // rules backwards in what a claim compares with. Where the failure is gone without one of those
  // that merge, and stays without any other, it is that pass's, and its rule's where one alone does
  // it. Without other passes there may be no gradient to be wrong.
  void blame_inner_pass(Blame& found) {
    case_.plans = {found.plan};
    std::vector<std::string> needed, rules;
    for (const Pass* pass : Table<Pass>::instance().by_name())
      if ((pass->flags & kMerges) && heals_without(pass->name)) needed.push_back(pass->name);
    if (needed.size() != 1 || out_of_time_) return;
    found.who = pass_named(needed[0]);
    if (needed[0] != "peephole") return;
    for (const Rule& rule : peephole_rules())
      if (heals_without("peephole/" + std::string(rule.name))) rules.push_back(rule.name);
    if (rules.size() == 1 && !out_of_time_) found.who = rule_named(needed[0], rules[0]);
  }

  bool heals_without(const std::string& what) {
    return in_time() && judge_without(what).kind == VerdictKind::Ok;
  }

  Blame blame_operator() {
    case_.plans = {reference_plan()};
    conclude(engine_named(reference_name()), reference_plan());
    if (auto alone = operator_alone(case_, reference_, limits_))
      blame_.who = operator_named(alone->op);
    return blame_;
  }

  bool blame_operator_at_extremes() {
    auto alone = operator_at_extremes(case_, limits_);
    if (!alone) return false;
    conclude(operator_named(alone->op), reference_plan());
    blame_.note = "wrong where its floats are infinite or the largest there are";
    blame_.oracle = alone->program.oracle;
    blame_.shown_by = std::make_shared<const Case>(std::move(alone->program));
    return true;
  }

  // To the last pass by itself where it fails so, which is one check; else to the shortest prefix,
  // without what it does not need.
  void shorten(Plan& plan) {
    const std::vector<PassCall> full = plan.pipeline;
    plan.pipeline = {full.back()};
    if (full.size() > 1 && fails(respell(plan))) return;
    plan.pipeline.clear();
    for (const PassCall& call : full) {
      plan.pipeline.push_back(call);
      if (fails(respell(plan))) break;
    }
    for (size_t many = plan.pipeline.size() / 2; many > 0; many /= 2) drop_unneeded(plan, many);
  }

  // Options of an external engine without which it fails as well: all of them, or one at a time.
  void drop_options(Plan& plan) {
    if (const Plan bare = plan_of_engine(plan.engine); fails(bare)) {
      plan = bare;
      return;
    }
    for (size_t i = 0; plan.words.size() > 1 && i < plan.words.size();) {
      Plan without = plan;
      without.words.erase(without.words.begin() + static_cast<long>(i));
      without = respell(std::move(without));
      if (fails(without)) plan = without;
      else ++i;
    }
  }

  // So many passes at a time, never the last.
  void drop_unneeded(Plan& plan, size_t many) {
    for (size_t i = 0; i + 1 < plan.pipeline.size();) {
      const size_t count = std::min(many, plan.pipeline.size() - 1 - i);
      Plan without = plan;
      const auto from = without.pipeline.begin() + static_cast<long>(i);
      without.pipeline.erase(from, from + static_cast<long>(count));
      if (fails(respell(without))) plan = without;
      else i += count;
    }
  }

  Blame blame_pipeline(Plan plan) {
    plan.fuel = -1;
    shorten(plan);
    plan = respell(std::move(plan));
    blame_.plan = plan;
    const PassCall& guilty = plan.pipeline.back();
    if (guilty.args.size() == 2 && !is_pass_alone(plan)) {
      if (blaming().disputes && blame_operator_at_extremes()) return blame_;
      if (!blame_.who.is(CulpritKind::Backend)) blame_memory(plan);
      return blame_;
    }
    if (engine_is_needed(plan)) return conclude(engine_named(plan.engine), blame_.plan);
    find_rewrite(plan);
    blame_memory(plan);
    return blame_;
  }

  // Is the passes' result right when the reference runs it?
  bool engine_is_needed(Plan plan) {
    if (!in_time()) return false;
    plan.engine = reference_name();
    plan.words.clear();
    case_.plans = {respell(plan)};
    return judge_without("").kind == VerdictKind::Ok;
  }

  // A pass with a fuser and a back end as arguments: is it the back end's failure? Sets `who` and
  // returns false when it is not a matter of rewrites. A checking back end rejects the kernel, so
  // the fuser is at fault, unless an integer in it lies outside the range predicted for it.
  bool is_pass_alone(const Plan& plan) {
    const PassCall& call = plan.pipeline.back();
    const kernel::Backend* own = Table<kernel::Backend>::instance().find(call.args[1]);
    if (!own) return true;
    const bool by_range = reference_.detail.find(kernel::kNotForetold) != std::string::npos;
    const bool objects = own->exact && reference_.kind == VerdictKind::Bug && !by_range;
    std::vector<const kernel::Backend*> others = Table<kernel::Backend>::instance().by_name();
    std::ranges::partition(others, &kernel::Backend::exact);  // they decline least
    for (const kernel::Backend* other : others) {
      if (objects || other == own) continue;
      Plan swapped = plan;
      swapped.pipeline.back().args[1] = other->name;
      if (is_right(respell(swapped)) && takes_as_much(swapped, *own)) {
        blame_.who = {CulpritKind::Backend, call.args[1], {}};
        return false;
      }
    }
    blame_.who = {CulpritKind::Fuser, call.args[0], call.pass->name};
    return false;
  }

  // A right run without a kernel that the failing back end takes says nothing about who is at
  // fault. The case is judged once more, to reach groups that only its oracle creates (those of
  // gradients), and run here: the log does not see an oracle's threads.
  bool takes_as_much(const Plan& plan, const kernel::Backend& than) {
    Case under = case_.clone();
    under.plans = {respell(plan)};
    ChildResult r = run_judging(
        under,
        [&]() -> std::string {
          fuse::CompileLog log;
          judge_here(under);
          run_calls(plan);
          return std::ranges::any_of(log.compilations, left_out(than)) ? "less" : "as much";
        },
        limits_);
    return r.kind == ChildResult::Kind::Done && r.output == "as much";
  }

  void run_calls(const Plan& plan) {
    constexpr int kRounds = 4;  // that a profiling engine may take
    const std::unique_ptr<Executable> ready = prepare(*case_.program, plan);
    for (int round = 0; round < kRounds; ++round) {
      for (const Call& call : case_.calls) {
        try {
          ready->run(copy_call(call).inputs);
        } catch (const Exception&) {  // what a run gives does not matter here
        }
      }
    }
  }

  // The graph that the last pass gets, in a child (a pass may be what crashes): what `look` says
  // of it.
  template <class Look>
  std::string before_last_pass(const Plan& plan, Look look) {
    ChildResult r = run_isolated(
        [&] {
          std::unique_ptr<Graph> graph = case_.program->clone();
          std::vector<PassCall> before = plan.pipeline;
          before.pop_back();
          run_pipeline(*graph, before, {});
          return look(*graph);
        },
        limits_);
    return r.kind == ChildResult::Kind::Done ? r.output : "";
  }

  // A pass that was given wrong facts about shared or written memory is not at fault.
  void blame_memory(const Plan& plan) {
    std::string claim = before_last_pass(plan, [&](const Graph& graph) -> std::string {
      for (const Call& call : case_.calls) {
        std::string broken = broken_memory_claim(graph, call);
        if (!broken.empty()) return broken;
      }
      return "";
    });
    if (claim.empty()) return;
    blame_.note = "believed by " + print(blame_.who) + ": " + claim;
    blame_.who = {CulpritKind::Effects, "effects", {}};
  }

  // The rewrites that the pipeline makes; none when a pass is what crashes.
  std::vector<Rewrite> rewrites(const Plan& plan) {
    ChildResult r = run_isolated(
        [&] {
          PipelineOptions keep;
          keep.keep_log = true;
          std::unique_ptr<Graph> clone = case_.program->clone();
          nlohmann::json out = nlohmann::json::array();
          for (const Rewrite& w : run_pipeline(*clone, plan.pipeline, keep).log) {
            out.push_back({w.pass, w.rule, w.node});
          }
          return out.dump();
        },
        limits_);
    std::vector<Rewrite> log;
    if (r.kind != ChildResult::Kind::Done) return log;
    for (const auto& w : nlohmann::json::parse(r.output)) log.push_back({w[0], w[1], w[2]});
    return log;
  }

  // Least fuel that fails; failures that are not monotone in fuel still end at a boundary.
  void find_rewrite(const Plan& plan) {
    blame_.who = pass_named(plan.pipeline.back().pass->name);
    std::vector<Rewrite> log = rewrites(plan);
    int64_t good = 0;
    int64_t bad = static_cast<int64_t>(log.size());
    while (bad - good > 1) {
      int64_t middle = good + (bad - good) / 2;
      Plan fueled = plan;
      fueled.fuel = middle;
      (fails(respell(fueled)) ? bad : good) = middle;
    }
    if (bad < 1) return;
    const Rewrite& guilty = log[static_cast<size_t>(bad - 1)];
    blame_.rewrite = bad;
    blame_.node = guilty.node;
    blame_.who = rule_named(guilty.pass, guilty.rule);
  }

  Case case_;
  const Limits limits_;
  double budget_;
  int tries_;
  Clock::time_point start_;
  bool out_of_time_ = false;
  Verdict reference_;
  Blame blame_;
};

}  // namespace

Blame bisect(const Case& c, const Limits& limits, double budget_seconds, int tries) {
  return Bisection(c, limits, budget_seconds, tries).run();
}

}  // namespace fusillade::fuzz
