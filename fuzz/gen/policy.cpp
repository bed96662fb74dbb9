// The policies of the generator: what each one draws more often.
#include "fuzz/gen/policy.h"

#include <algorithm>
#include <sstream>

#include "engine/base/text.h"
#include "fuzz/gen/generate.h"

namespace fusillade::fuzz {
namespace {

const Policy kPolicies[] = {
    {.name = "mixed",
     .summary = "a little of everything",
     .weight = 6,
     .productions = "contract 1, branch 1, loop 1, tuple 1, call 1, stores 1, items 1"},
    {.name = "chains",
     .summary = "element-wise chains over broadcast operands, as fusers like them",
     .weight = 5,
     .productions = "pointwise 20, reduce 1, view 1, movement 0, create 0, composite 0, scalar 2",
     .in_place = 0.03,
     .compiled = 0.08},
    {.name = "reduce",
     .summary = "reductions, normalisations and what surrounds them",
     .weight = 3,
     .productions = "reduce 8, composite 3",
     .integers = 0.3,
     .wide = 0.25,
     .compiled = 0.2},  // loops over lanes, and what remains of them: the back end chooses
    {.name = "views",
     .summary = "views of views, layouts, data movement",
     .weight = 3,
     .productions = "view 14, movement 3, repeat 4",
     .strided = 0.6},
    {.name = "inplace",
     .summary = "writes through views and aliases",
     .weight = 3,
     .productions = "view 8, branch 1, tuple 1, items 1, loop 3, stores 3, repeat 4, fail 0.02",
     .in_place = 0.6},
    {.name = "control",
     .summary = "branches and loops, nested, with carried values",
     .weight = 4,
     .productions =
         "branch 4, loop 4, scalar 4, tuple 1, call 1, items 1, stores 1, repeat 4, fail 0.02",
     .in_place = 0.2,
     .max_ops = 10},
    {.name = "integers",
     .summary = "integer and bool arithmetic, casts between all dtypes",
     .weight = 3,
     .productions = "rewritable 3",
     .integers = 0.85},
    {.name = "matrix",
     .summary = "matrix products between element-wise chains",
     .weight = 6,
     .productions = "contract 6, repeat 8",
     .integers = 0.1},
    {.name = "scalars",
     .summary = "arithmetic of ints, floats and bools beside tensors",
     .weight = 1,
     .productions = "scalar 10, branch 2"},
    {.name = "source",
     .summary = "scripts: control flow, lists, tuples, strings, classes, calls",
     .weight = 8,
     .source = true},
    {.name = "source_tensors",
     .summary = "scripts with tensors: operators, methods, slices, writes, control flow, modules",
     .weight = 4,
     .productions = "view 5, contract 1, scalar 1",
     .in_place = 0.25,
     .source = true,
     .tensors = true},
    {.name = "tasks",
     .summary = "scripts with tasks on other threads, and writes before they are waited for",
     .weight = 4,
     .productions = "script.fork 0.2",
     .in_place = 0.25,
     .source = true,
     .tensors = true,
     .tasks = true},
    {.name = "python",
     .summary = "whole Python: closures, classes, generators, exceptions, dicts and sets",
     .weight = 0,  // external engines alone run it
     .source = true,
     .tensors = true,
     .python = true},
    {.name = "large",
     .summary = "long programs, which are expensive to make ready",
     .weight = 1,
     .productions = "contract 1, branch 1, loop 1, tuple 1, call 1",
     .compiled = 0.3,
     .min_ops = 25,
     .max_ops = 60},
    {.name = "groups",
     .summary = "expressions that fusers take as one group, up to 40 operands",
     .weight = 2,
     .productions = "pointwise 0, view 0, movement 0, create 0, composite 0, scalar 1, reduce 1, "
                    "repeat 1, rewritable 1, expression 12, fail 0",
     .integers = 0.15,
     .min_ops = 1,
     .max_ops = 60,
     .max_inputs = 40},
    {.name = "parts",
     .summary = "tensors computed part by part, and lists of them, as loops do",
     .weight = 5,
     .productions = "stores 8, items 1, contract 1, repeat 4, join 3",
     .max_ops = 8},
    {.name = "gradients",
     .summary = "loops of floats that write nothing: whole functions",
     .weight = 3,
     .productions = "loop 6, view 0, create 0, movement 0, rewritable 0, fail 0",
     .in_place = 0,
     .integers = 0.05,
     .min_ops = 3,
     .max_ops = 8},
    {.name = "rules",
     .summary = "left sides of rewrite rules, whole or one condition broken",
     .weight = 4,
     .productions = "rewritable 20, pointwise 4",
     .integers = 0.5,
     .min_ops = 2,
     .max_ops = 8},
    {.name = "peers",
     .summary = "patterns that other compilers rewrite, whole or one condition broken",
     .weight = 4,
     .productions = "peer_pattern 30, pointwise 3, view 2, reduce 1, movement 0, create 0, "
                    "composite 0, scalar 0, repeat 1, rewritable 0, pieces 0, random 0, fail 0",
     .integers = 0.1,
     .strided = 0.2,
     .compiled = 0.1,
     .min_ops = 1,
     .max_ops = 3,
     .max_inputs = 14},
    {.name = "rows",
     .summary = "one op: every operator, dtype and layout, a table of values",
     .weight = 8,
     .strided = 0.5,
     .compiled = 0.1,
     .min_ops = 1,
     .max_ops = 1,
     .one_op = true},
};

[[maybe_unused]] const bool kRegistered = [] {
  for (const Policy& row : kPolicies) Table<Policy>::instance().add(row);
  return true;
}();

}  // namespace

std::vector<std::pair<std::string, double>> weights_of(const Policy& policy) {
  std::vector<std::pair<std::string, double>> out;
  std::string text = policy.productions;
  std::ranges::replace(text, ',', ' ');
  std::istringstream words(text);
  std::string name;
  double weight = 0;
  while (words >> name) {
    if (!(words >> weight)) fail("the policy '{}' has no weight for '{}'", policy.name, name);
    out.emplace_back(name, weight);
  }
  return out;
}

const std::vector<const Production*>& productions_in_order() {
  static const std::vector<const Production*> sorted = [] {
    std::vector<const Production*> out = Table<Production>::instance().by_name();
    std::ranges::sort(out, {},
                      [](const Production* p) { return std::tie(p->grammar, p->order, p->name); });
    return out;
  }();
  return sorted;
}

void resolve(Policy& policy) {
  const std::vector<std::pair<std::string, double>> own = weights_of(policy);
  for (const auto& [name, weight] : own) {
    if (Table<Production>::instance().find(name)) continue;
    std::vector<std::string> names;
    for (const Production* p : productions_in_order()) names.push_back(p->name);
    fail("the policy '{}' weighs the production '{}', which is not there{}", policy.name, name,
         near_misses(name, names));
  }
  policy.by_grammar.assign(kGrammars, {});
  policy.operators.clear();
  for (const Production* p : productions_in_order()) {
    double weight = p->weight;
    for (const auto& [name, given] : own)
      if (name == p->name) weight = given;
    Shares& shares = policy.by_grammar[static_cast<size_t>(p->grammar)];
    const Share share{p, static_cast<uint64_t>(weight), weight};
    if (p->asked_first) shares.asked_first.push_back(share);
    else if (share.weight > 0) shares.weighted.push_back(share);
    if (p->operators && share.weight > 0) policy.operators.push_back(share);
  }
}

const std::vector<Policy>& policies() {
  static const std::vector<Policy> all = [] {
    std::vector<Policy> out;
    for (const Policy* row : Table<Policy>::instance().by_name()) resolve(out.emplace_back(*row));
    return out;
  }();
  return all;
}

const Policy& policy(const std::string& name) {
  for (const Policy& p : policies())
    if (p.name == name) return p;
  fail("there is no policy '{}'; the policies are: {}{}", name, join(policy_names(), ", "),
       near_misses(name, policy_names()));
}

std::vector<std::string> policy_names() {
  std::vector<std::string> out;
  for (const Policy& p : policies()) out.push_back(p.name);
  return out;
}

}  // namespace fusillade::fuzz
