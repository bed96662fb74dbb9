// See memory_claims.h. Values within branches, loops and callees are not looked at: a value there
// is many at run time.
#include "fuzz/bisect/memory_claims.h"

#include <map>
#include <set>

#include "engine/ops/leaves.h"
#include "engine/passes/effects.h"
#include "engine/run/plan.h"
#include "fuzz/run/outcome.h"
#include "fuzz/run/walk.h"

namespace fusillade::fuzz {
namespace {

constexpr size_t kMostPairs = 200;

void storages_of(const IValue& v, std::set<const Storage*>& out) {
  for_each_tensor_once(v, [&](const Tensor& t) {
    if (t.numel() > 0) out.insert(t.storage());
  });
}

bool equal_bits(const IValue& a, const IValue& b) {
  Outcome one, two;
  one.outputs = {a};
  two.outputs = {b};
  Verdict step;
  return bitwise_equal(one, two, step);
}

// What each value of the top block was, kept alive so that no address comes twice.
class Seen : public Walk {
 public:
  explicit Seen(const Graph& graph) : graph_(graph) {}
  std::map<const Value*, IValue> values;
  std::map<const Value*, IValue> born;  // copies, from before any later write
  std::set<std::pair<const Value*, const Value*>> equals_operand;
  std::vector<const Value*> order;

  void on_value(const Value* value, const IValue& v) override {
    if (&value->node()->graph() != &graph_ || value->node()->block() != graph_.block()) return;
    if (!is_memory(value->type())) return;
    if (!values.emplace(value, v).second) return;
    order.push_back(value);
    if (!v.is_tensor()) return;
    born.emplace(value, copy_call(Call{{v}}).inputs[0]);
    for (const Value* operand : value->node()->inputs()) {
      auto it = values.find(operand);
      if (it != values.end() && it->second.is_tensor() && equal_bits(it->second, v))
        equals_operand.emplace(value, operand);
    }
  }

 private:
  const Graph& graph_;
};

std::string sharing(const Graph& graph, const Effects& effects, const Seen& seen,
                    const std::set<const Storage*>& given) {
  std::set<const Storage*> leaves;
  for (const Value* v : graph.outputs())
    if (auto it = seen.values.find(v); it != seen.values.end()) storages_of(it->second, leaves);
  std::map<const Storage*, const Value*> first;
  for (const Value* v : seen.order) {
    std::set<const Storage*> own;
    storages_of(seen.values.at(v), own);
    for (const Storage* s : own) {
      const Value* other = first.emplace(s, v).first->second;
      if (effects.class_of(other) != effects.class_of(v))
        return fmt::format("{} and {} share memory", other->node()->op().name,
                           v->node()->op().name);
      if (given.count(s) && !effects.outside(v))
        return fmt::format("{} gives memory of the caller's", v->node()->op().name);
      if (leaves.count(s) && !effects.escapes(v))
        return fmt::format("{} gives memory that is returned", v->node()->op().name);
    }
  }
  return "";
}

std::string writing(const Effects& effects, const Seen& seen) {
  for (const Node* writer : effects.writers()) {
    const Schema& schema = writer->op().schema;
    for (size_t i = 0; i < schema.args.size() && i < writer->inputs().size(); ++i) {
      if (!schema.args[i].written) continue;
      auto it = seen.values.find(writer->input(static_cast<int>(i)));
      if (it == seen.values.end()) continue;
      std::set<const Storage*> target;
      storages_of(it->second, target);
      for (const Value* v : seen.order) {
        std::set<const Storage*> own;
        storages_of(seen.values.at(v), own);
        for (const Storage* s : own)
          if (target.count(s) && !effects.is_written(v))
            return fmt::format("{} writes what {} gave", writer->op().name, v->node()->op().name);
      }
    }
  }
  return "";
}

bool same_text(const Node* a, const Node* b) {
  if (&a->op() != &b->op() || a->inputs().size() != b->inputs().size()) return false;
  for (size_t i = 0; i < a->inputs().size(); ++i) {
    const Value* x = a->inputs()[i];
    const Value* y = b->inputs()[i];
    if (x == y) continue;
    if (!x->node()->is(prim::constant()) || !y->node()->is(prim::constant())) return false;
    const IValue& v = x->node()->constant();
    const IValue& w = y->node()->constant();
    if (v.tag() != w.tag() || !equal_values(v, w)) return false;
  }
  return true;
}

// Results that share memory, as pairs of positions among outputs and inputs.
std::set<std::pair<size_t, size_t>> sharing_of(const Outcome& o) {
  std::vector<std::set<const Storage*>> all;
  for (const auto* values : {&o.outputs, &o.inputs})
    for (const IValue& v : *values) storages_of(v, all.emplace_back());
  std::set<std::pair<size_t, size_t>> out;
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      for (const Storage* s : all[i])
        if (all[k].count(s)) out.emplace(k, i);
  return out;
}

// `by` put in the place of `out`: does the program still do the same?
bool can_replace(const Graph& graph, const Value* out, const Value* by, const Call& call) {
  std::unique_ptr<Graph> clone = graph.clone();
  auto counterpart = [&](const Value* v) -> Value* {
    if (v->node() == graph.block()->param_node()) return clone->inputs()[v->index()];
    auto theirs = clone->block()->nodes().begin();
    for (Node* n : graph.block()->nodes()) {
      if (n == v->node()) return (*theirs)->output(v->index());
      ++theirs;
    }
    return nullptr;
  };
  Value* from = counterpart(out);
  Value* to = counterpart(by);
  if (!from || !to) return true;
  from->replace_all_uses_with(to);
  Outcome wanted = Prepared::of_graph(graph, reference_plan()).run(call);
  Outcome got = Prepared::of_graph(*clone, reference_plan()).run(call);
  Verdict step;
  if (classify(wanted, got, step)) return !is_finding(step.kind);
  return bitwise_equal(wanted, got, step) && sharing_of(wanted) == sharing_of(got);
}

// Pairs that passes ask about: two equal calls, or a result and an operand that it equals.
bool asked_about(const Seen& seen, const Value* out, const Value* by) {
  if (!seen.born.count(out) || !seen.born.count(by) || out->node()->op().schema.writes())
    return false;
  if (seen.equals_operand.count({out, by})) return true;
  return by->index() == out->index() && same_text(by->node(), out->node()) &&
         !is_nondeterministic(out->node()) && equal_bits(seen.born.at(by), seen.born.at(out));
}

std::string replacing(const Graph& graph, const Effects& effects, const Seen& seen,
                      const Call& call) {
  size_t pairs = 0;
  for (const Value* out : seen.order) {
    if (out->node() == graph.block()->param_node()) continue;
    for (const Value* by : seen.order) {
      if (by == out) break;
      if (!asked_about(seen, out, by) || !effects.may_replace_value(out, by)) continue;
      if (++pairs > kMostPairs) return "";
      if (!can_replace(graph, out, by, call))
        return fmt::format("{} may not stand for {}", by->node()->op().name,
                           out->node()->op().name);
    }
  }
  return "";
}

}  // namespace

std::string broken_memory_claim(const Graph& graph, const Call& call) {
  Effects effects(graph);
  Seen seen(graph);
  std::set<const Storage*> given;
  Call copy = copy_call(call);
  for (const IValue& v : copy.inputs) storages_of(v, given);
  try {
    seen.run(graph, copy.inputs);
  } catch (const Exception&) {
    return "";
  }
  for (auto broken : {sharing(graph, effects, seen, given), writing(effects, seen),
                      replacing(graph, effects, seen, call)})
    if (!broken.empty()) return broken;
  return "";
}

}  // namespace fusillade::fuzz
