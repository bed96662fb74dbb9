// One case: a policy is drawn, a program by it, and its calls.
#include "fuzz/gen/generate.h"

#include <algorithm>
#include <set>

#include "engine/base/text.h"
#include "engine/ops/traits.h"
#include "fuzz/case/training.h"
#include "fuzz/gen/dynamic_sizes.h"
#include "fuzz/gen/graph_state.h"
#include "fuzz/gen/one_op.h"
#include "fuzz/gen/policy_mix.h"
#include "fuzz/gen/python.h"

namespace fusillade::fuzz {
namespace {

std::vector<const Policy*> weighted_policies_of_graphs() {
  std::vector<const Policy*> out;
  for (const Policy& p : policies())
    if (!p.source) out.insert(out.end(), static_cast<size_t>(p.weight), &p);
  return out;
}

constexpr uint64_t kSizesStream = 0x512e5;
constexpr double kManyDims = 0.02, kLarge = 0.0005, kLargeOfCostly = 0.02;
constexpr int kMostLargeOps = 4;
constexpr int kMostLargeCalls = 2;

// Whose time and memory are linear in their elements, or nearly, and so is their gradient's: that
// of running products is not.
bool is_of_linear_time(const Operator& op) {
  static const std::set<std::string> families = {"create",    "index",  "join", "norm",
                                                 "pointwise", "reduce", "scan", "view"};
  return families.contains(op.family) && !has_trait(op, Trait::Products);
}

GenerateOptions for_sizes(GenerateOptions options) {
  if (options.sizes != Sizes::Large) return options;
  options.max_nodes =
      std::min(options.max_nodes > 0 ? options.max_nodes : kMostLargeOps, kMostLargeOps);
  options.calls = std::min(options.calls, kMostLargeCalls);
  options.operators = [asked = options.operators](const Operator& op) {
    return is_of_linear_time(op) && (!asked || asked(op));
  };
  return options;
}

std::unique_ptr<Graph> draw_graph(Choices& choices, const GenerateOptions& options,
                                  const Policy& policy, std::string* origin = nullptr) {
  int most = options.max_nodes > 0 ? options.max_nodes : policy.max_ops;
  int ops = static_cast<int>(choices.between(std::min(policy.min_ops, most), most));
  GraphState g(choices, policy, ops, options.operators);
  g.compilers = options.compilers;
  std::unique_ptr<Graph> graph = build_graph(g, options.sizes);
  if (origin && !g.patterns.empty()) *origin += " pattern=" + join(g.patterns, ",");
  return graph;
}

}  // namespace

const Policy& draw_policy(Choices& choices) {
  static const PolicyMix all("");
  return all.draw(choices);
}

Sizes draw_sizes(uint64_t seed, uint64_t index, bool costly) {
  Choices choices(seed ^ kSizesStream, index);
  if (choices.chance(costly ? kLargeOfCostly : kLarge)) return Sizes::Large;
  return choices.chance(kManyDims) ? Sizes::ManyDims : Sizes::Small;
}

Case generate_case(Choices& choices, const GenerateOptions& given) {
  Case c;
  const Policy& chosen = PolicyMix(given.policy).draw(choices);
  const bool graph = !chosen.one_op && !chosen.python && !chosen.source;
  const GenerateOptions options = graph ? for_sizes(given) : given;
  c.origin = "policy=" + chosen.name;
  std::vector<std::pair<std::string, Type>> inputs;
  if (chosen.one_op) {
    generate_one_op(choices, options, chosen, c);
    return c;
  }
  if (chosen.python) {
    generate_python(choices, options, chosen, c);
    return c;
  }
  if (chosen.source) {
    GeneratedScript script = generate_script(choices, chosen.name);
    set_script(c, script.text, "<script>");
    inputs = std::move(script.inputs);
  } else {
    c.program = draw_graph(choices, options, chosen, &c.origin);
    if (options.sizes == Sizes::Large) c.origin += " sizes=large";
    if (options.sizes == Sizes::ManyDims) c.origin += " sizes=many-dims";
    for (const Value* v : c.program->inputs()) inputs.emplace_back(v->name(), v->type());
  }
  if (!c.refused.empty()) return c;
  const bool may_be_dynamic = !chosen.source || (chosen.tensors && c.self.is_none());
  const bool dynamic = may_be_dynamic && choices.chance(chosen.dynamic) &&
                       (chosen.source || dynamic_sizes(*c.program));
  // External engines, which take only some operators, compile for known dtypes.
  const bool all = dynamic && !options.operators && choices.chance(0.5);
  if (all && !chosen.source) make_dynamic(*c.program);
  for (int i = 0; i < options.calls; ++i) {
    bool others = dynamic && i > 0;
    c.calls.push_back(!others ? generate_call(choices, inputs)
                      : all   ? call_of_other_looks(choices, *c.program, inputs)
                              : call_of_other_sizes(choices, *c.program, inputs));
    std::vector<IValue>& given = c.calls.back().inputs;
    if (c.self.is_none()) continue;
    const bool flips = has_training(c.self) && choices.chance(0.3);
    given.insert(given.begin(), flips ? in_mode(c.self, !is_training(c.self)) : c.self);
  }
  return c;
}

std::unique_ptr<Graph> generate_graph(Choices& choices, const GenerateOptions& options,
                                      std::string* policy_used) {
  static const std::vector<const Policy*> graphs = weighted_policies_of_graphs();
  const Policy& chosen =
      options.policy.empty() ? *choices.pick(graphs) : PolicyMix(options.policy).draw(choices);
  if (policy_used) *policy_used = chosen.name;
  Case c;
  if (chosen.one_op)
    generate_one_op(choices, {.policy = {}, .calls = 1, .operators = options.operators}, chosen, c);
  if (chosen.one_op) return std::move(c.program);
  if (chosen.python) generate_python(choices, options, chosen, c);
  if (chosen.python) return std::move(c.program);
  if (!chosen.source) return draw_graph(choices, options, chosen);
  set_script(c, generate_script(choices, chosen.name).text, "<script>");
  return std::move(c.program);
}

}  // namespace fusillade::fuzz
