// See growth.h.
#include "fuzz/bisect/growth.h"

#include <map>
#include <nlohmann/json.hpp>

#include "fuzz/case/against.h"
#include "fuzz/case/packed.h"
#include "fuzz/judge/judge.h"
#include "fuzz/run/other_build.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

constexpr const char* kVm = "vm";

class GrowthBlame {
 public:
  explicit GrowthBlame(const Case& c) : case_(parse_case(print(c), "<case>")) {}

  // Empty: nothing grew.
  Blame run() {
    Plan plan = case_.plans.at(0);
    plan.fuel = -1;
    if (engine_of(plan).passes_later && !leave_profiling(plan)) {
      const Pair pair = ask({plan})[0];
      const std::optional<Growth> grown = growth_of(pair);
      if (!grown) return blame_;
      if (is_of_training(grown->what)) return autodiff(plan, *grown);
      if (specialises_less(pair)) return engine(plan);
    }
    const std::optional<size_t> guilty = first_step(plan);
    if (!guilty) return blame_;
    plan.pipeline.resize(*guilty);
    const std::optional<Growth> grown = growth_of(ask({plan})[0]);
    if (*guilty == 0)
      return grown && is_of_training(grown->what) ? autodiff(plan, *grown) : engine(plan);
    leave_out(plan);
    blame_.plan = respell(plan);
    name(plan);
    return blame_;
  }

 private:
  struct Pair {
    StaticCost before, after;
  };

  std::vector<Pair> ask(const std::vector<Plan>& plans, bool rewrites = false) {
    case_.plans.clear();
    for (const Plan& p : plans) case_.plans.push_back(respell(p));
    std::vector<StaticCost> before =
        OtherBuild::of(against_of(case_)).ask(print_unpacked(case_), rewrites);
    std::vector<Pair> out;
    for (size_t i = 0; i < plans.size(); ++i)
      out.push_back({std::move(before.at(i)), static_cost(case_, plans[i], rewrites)});
    blame_.checks += static_cast<int>(plans.size());
    return out;
  }

  Blame engine(const Plan& plan) {
    blame_.who = read_culprit(plan.engine);
    blame_.plan = respell(plan);
    return blame_;
  }

  Blame autodiff(const Plan& plan, const Growth& grown) {
    blame_.who = {CulpritKind::Pass, "autodiff", {}};
    blame_.plan = respell(plan);
    note(grown);
    return blame_;
  }

  void note(const Growth& grown) {
    blame_.note = fmt::format("{}: {}, was {}", grown.what, grown.after, grown.before);
  }

  // Guards are a step each: a call that is not specialised may run fewer until the passes help it.
  static bool specialises_less(const Pair& p) {
    const auto unspecialised_calls = [](const StaticCost& a) {
      for (const auto& [what, n] : a.counts)
        if (what == "calls not specialised") return n;
      return int64_t{0};
    };
    return unspecialised_calls(p.after) > unspecialised_calls(p.before);
  }

  static std::optional<Growth> growth_of(const Pair& p) { return growth(p.before, p.after); }
  bool grew(const Plan& plan) { return growth_of(ask({plan})[0]).has_value(); }

  // Replaces an engine that runs the passes itself by the vm, where the vm costs more, too, on the
  // passes' result.
  bool leave_profiling(Plan& plan) {
    Plan below = plan;
    below.engine = kVm;
    below.words.clear();
    if (!grew(below)) return false;
    plan = below;
    return true;
  }

  static std::vector<Plan> prefixes(const Plan& plan) {
    std::vector<Plan> out;
    for (size_t n = 0; n <= plan.pipeline.size(); ++n) {
      out.push_back(plan);
      out.back().pipeline.resize(n);
    }
    return out;
  }

  // How long the shortest prefix is from which on all cost more.
  std::optional<size_t> first_step(const Plan& plan) {
    const std::vector<Pair> pairs = ask(prefixes(plan));
    std::optional<size_t> first;
    for (size_t n = pairs.size(); n-- > 0;) {
      if (!growth_of(pairs[n])) break;
      first = n;
    }
    return first;
  }

  // Passes before the last that are not needed.
  void leave_out(Plan& plan) {
    for (size_t i = plan.pipeline.size() - 1; i-- > 0;) {
      Plan without = plan;
      without.pipeline.erase(without.pipeline.begin() + static_cast<long>(i));
      if (grew(without)) plan = without;
    }
  }

  static std::map<std::string, int64_t> rule_counts(const StaticCost& a, const std::string& pass) {
    std::map<std::string, int64_t> out;
    for (const StaticCost::Applied& w : a.rewrites)
      if (w.rule.starts_with(pass + "/")) ++out[w.rule];
    return out;
  }

  // The passes up to the first behind which the graphs differ; all where none is.
  Pair up_to_guilty(Plan& plan) {
    std::vector<Plan> some = prefixes(plan);
    std::vector<Pair> pairs = ask(some, true);
    size_t n = 1;
    while (n + 1 < pairs.size() && pairs[n].before.graph == pairs[n].after.graph) ++n;
    plan = some[n];
    return std::move(pairs[n]);
  }

  void name(Plan plan) {
    const std::optional<Growth> grown = growth_of(ask({plan})[0]);
    if (!grown) return;
    note(*grown);
    if (const std::string name = refusing_transform(grown->what); !name.empty()) {
      blame_.who = {CulpritKind::Transform, name, {}};
      return;
    }
    const Pair pair = up_to_guilty(plan);
    if (is_of_training(grown->what) && pair.before.graph == pair.after.graph) {
      blame_.who = {CulpritKind::Pass, "autodiff", {}};
      return;
    }
    const PassCall& last = plan.pipeline.back();
    blame_.who = {CulpritKind::Pass, last.pass->name, {}};
    if (last.args.size() == 2) {
      const bool code_only =
          grown->what == "kernels without vectors" || grown->what == "kernel instructions";
      if (code_only) blame_.who = {CulpritKind::Backend, last.args[1], {}};
      else blame_.who = {CulpritKind::Fuser, last.args[0], last.pass->name};
      return;
    }
    name_rule(last.pass->name, pair);
  }

  void name_rule(const std::string& pass, const Pair& pair) {
    const std::map<std::string, int64_t> now = rule_counts(pair.after, pass);
    int64_t most = 0;
    for (const auto& [rule, times] : rule_counts(pair.before, pass)) {
      const int64_t missing = times - (now.count(rule) ? now.at(rule) : 0);
      if (missing <= most) continue;
      most = missing;
      blame_.who = read_culprit(rule);
    }
    for (const StaticCost::Applied& w : pair.before.rewrites)
      if (w.rule == print(blame_.who)) blame_.node = w.node;
  }

  Case case_;
  Blame blame_;
};

}  // namespace

Blame blame_growth(const Case& c, const Limits& limits) {
  const ChildResult r = run_judging(
      c,
      [&] {
        const Blame b = GrowthBlame(c).run();
        return json({print(b.who), b.plan.text, b.node, b.note, b.checks})
            .dump(-1, ' ', false, json::error_handler_t::replace);
      },
      limits);
  Blame out;
  out.who = {CulpritKind::NotReproduced, "not reproduced", {}};
  if (r.kind != ChildResult::Kind::Done || r.output.empty()) return out;
  const json j = json::parse(r.output);
  out.checks = j[4];
  if (j[0].get<std::string>().empty()) return out;
  out.who = read_culprit(j[0]);
  out.plan = read_plan(j[1]);
  out.node = j[2];
  out.note = j[3];
  return out;
}

}  // namespace fusillade::fuzz
