// See bisect.h.
#include "fuzz/bisect/bisect.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "engine/kernel/kernel.h"
#include "engine/run/plan.h"
#include "fuzz/judge/judge.h"
#include "fuzz/run/foreign/family.h"

namespace fusillade::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

class Bisection {
 public:
  Bisection(const Case& c, const Limits& limits, double budget)
      : case_(c.clone()), limits_(limits), budget_(budget), start_(Clock::now()) {}

  Blame run() {
    if (case_.plans.empty()) {
      blame_.who = case_.oracle;
      return blame_;
    }
    blame_.plan = case_.plans[0];
    Plan plan = parse_plan(blame_.plan);
    case_.plans = {blame_.plan};
    Verdict whole = judge_isolated(case_, limits_);
    ++blame_.checks;
    if (!is_finding(whole.kind)) {
      blame_.who = "not reproduced";
      return blame_;
    }
    reference_ = whole;
    for (const std::string& tier : tiers_below(plan.engine))
      if (fails(tier)) return settle(tier, tier);
    if (fails(reference_plan())) return settle(reference_plan(), reference_plan());
    Plan bare = plan;
    bare.pipeline.clear();
    bare.fuel = -1;
    if (fails(to_string(bare))) return settle(plan.engine, to_string(bare));
    return blame_pipeline(plan);
  }

 private:
  bool fails(const std::string& plan) {
    if (std::chrono::duration<double>(Clock::now() - start_).count() > budget_) return false;
    case_.plans = {plan};
    ++blame_.checks;
    return same_failure(judge_isolated(case_, limits_), reference_);
  }

  Blame settle(const std::string& who, const std::string& plan) {
    blame_.who = who;
    blame_.plan = plan;
    return blame_;
  }

  Blame blame_pipeline(Plan plan) {
    plan.fuel = -1;
    std::vector<PassCall> full = plan.pipeline;
    plan.pipeline.clear();
    for (const PassCall& call : full) {
      plan.pipeline.push_back(call);
      if (fails(to_string(plan))) break;
    }
    for (size_t i = 0; i + 1 < plan.pipeline.size();) {
      Plan without = plan;
      without.pipeline.erase(without.pipeline.begin() + static_cast<long>(i));
      if (fails(to_string(without))) {
        plan = without;
      } else {
        ++i;
      }
    }
    blame_.plan = to_string(plan);
    const PassCall& guilty = plan.pipeline.back();
    if (guilty.args.size() == 2 && !is_pass_alone(plan)) return blame_;
    find_rewrite(plan);
    return blame_;
  }

  // A pass with a fuser and a back end as arguments: is it the back end's failure? Sets `who` and
  // returns false when it is not a matter of rewrites. What a checking back end objects to is the
  // kernel, so the fuser's.
  bool is_pass_alone(const Plan& plan) {
    const PassCall& call = plan.pipeline.back();
    const kernel::Backend* own = Table<kernel::Backend>::instance().find(call.args[1]);
    if (!own) return true;
    bool objects = own->exact && reference_.kind == VerdictKind::Bug;
    for (const kernel::Backend* other : Table<kernel::Backend>::instance().sorted()) {
      if (objects || other == own) continue;
      Plan swapped = plan;
      swapped.pipeline.back().args[1] = other->name;
      if (!fails(to_string(swapped))) {
        blame_.who = "backend " + call.args[1];
        return false;
      }
    }
    blame_.who = call.pass->name + "(" + call.args[0] + ")";
    return false;
  }

  // The rewrites that the pipeline makes, found in a child (a pass may be what crashes: then none).
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
    blame_.who = plan.pipeline.back().pass->name;
    std::vector<Rewrite> log = rewrites(plan);
    int64_t good = 0;
    int64_t bad = static_cast<int64_t>(log.size());
    while (bad - good > 1) {
      int64_t middle = good + (bad - good) / 2;
      Plan fueled = plan;
      fueled.fuel = middle;
      (fails(to_string(fueled)) ? bad : good) = middle;
    }
    if (bad < 1) return;
    const Rewrite& guilty = log[static_cast<size_t>(bad - 1)];
    blame_.rewrite = bad;
    blame_.node = guilty.node;
    blame_.who = guilty.pass + "/" + guilty.rule;
  }

  Case case_;
  const Limits limits_;
  double budget_;
  Clock::time_point start_;
  Verdict reference_;
  Blame blame_;
};

}  // namespace

Blame bisect(const Case& c, const Limits& limits, double budget_seconds) {
  return Bisection(c, limits, budget_seconds).run();
}

}  // namespace fusillade::fuzz
