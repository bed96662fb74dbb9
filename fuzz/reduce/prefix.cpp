// Shrinks for external engines: a tier below that fails alike, and the program's beginning replaced
// by the values that the engine's own eager mode computed there, as inputs.
//
//   graph(%x):  %a = sin(%x);  %b = add_(%a, %x);  return (f(%a, %b))
//   ->  graph(%a, %b):  return (f(%a, %b))
//
// Memory that values share is shared by the inputs, too. Our own eager mode (the shrink `nodes`)
// would put other roundings there, and the fault may hang on one.
#include <algorithm>

#include "engine/run/plan.h"
#include "fuzz/reduce/reduce.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {
namespace {

bool is_compiled_outside(const Case& c) {
  if (c.plans.size() != 1) return false;
  const std::string& engine = c.plans[0].engine;
  return is_outside(engine) && engine != eager_of(engine);
}

// One unit per tier; the loop begins with the last, which is the cheapest.
size_t count_tiers(const Case& c) {
  return is_compiled_outside(c) ? tiers_below(c.plans[0].engine).size() : 0;
}
bool take_tier(Case& c, size_t first, size_t last) {
  if (last - first != 1) return false;
  std::vector<std::string> tiers = tiers_below(c.plans[0].engine);
  c.plans[0] = plan_of_engine(tiers[tiers.size() - last]);
  return true;
}

std::vector<Node*> computing(const Graph& graph) {
  std::vector<Node*> out;
  for (Node* n : graph.block()->nodes())
    if (!n->is(prim::constant())) out.push_back(n);
  return out;
}

size_t count_prefix(const Case& c) {
  size_t n = is_compiled_outside(c) ? computing(*c.program).size() : 0;
  return n > 1 ? n - 1 : 0;  // something remains
}

// The values of the first nodes that are used behind them.
std::vector<Value*> crossing(const std::vector<Node*>& nodes, size_t count) {
  std::vector<Value*> out;
  for (size_t i = 0; i < count; ++i) {
    for (Value* v : nodes[i]->outputs()) {
      auto begin = nodes.begin();
      bool leaves = std::any_of(v->uses().begin(), v->uses().end(), [&](const Use& use) {
        return std::find(begin, begin + static_cast<long>(count), use.user) ==
               begin + static_cast<long>(count);
      });
      if (leaves) out.push_back(v);
    }
  }
  return out;
}

// The program of the first nodes, which gives these values.
std::unique_ptr<Graph> beginning(const Graph& graph, const std::vector<Node*>& nodes, size_t count,
                                 const std::vector<Value*>& values) {
  std::unique_ptr<Graph> out = graph.clone();
  std::vector<Node*> theirs = computing(*out);
  while (!out->outputs().empty()) out->block()->remove_result(0);
  for (const Value* v : values) {
    size_t at =
        static_cast<size_t>(std::find(nodes.begin(), nodes.end(), v->node()) - nodes.begin());
    out->add_output(theirs[at]->output(v->index()));
  }
  for (size_t i = theirs.size(); i-- > count;) theirs[i]->destroy();
  return out;
}

bool cut_prefix(Case& c, size_t first, size_t last) {
  if (first != 0) return false;
  std::vector<Node*> nodes = computing(*c.program);
  std::vector<Value*> values = crossing(nodes, last);
  std::unique_ptr<Graph> prefix = beginning(*c.program, nodes, last, values);
  Prepared eager = Prepared::of_graph(*prefix, plan_of_engine(eager_of(c.plans[0].engine)));
  std::vector<Call> calls;
  for (const Call& call : c.calls) {
    Outcome o = eager.run(call);
    if (o.kind != Outcome::Kind::Values || o.outputs.size() != values.size()) return false;
    for (const IValue& v : o.outputs)
      if (!v.is_tensor() && !v.is_number()) return false;
    o.inputs.insert(o.inputs.end(), o.outputs.begin(), o.outputs.end());
    calls.push_back(copy_call(Call{o.inputs}));
  }
  size_t before = c.program->inputs().size();
  for (size_t i = 0; i < values.size(); ++i) {
    Type type = calls.empty() ? values[i]->type() : calls[0].inputs[before + i].type();
    values[i]->replace_all_uses_with(c.program->add_input(type));
  }
  for (size_t i = last; i-- > 0;) nodes[i]->destroy();
  c.calls = std::move(calls);
  return true;
}

const Shrink& tiers =
    Table<Shrink>::instance().add({"tiers", 5, &count_tiers, &take_tier, Form::Graph});
const Shrink& prefix =
    Table<Shrink>::instance().add({"prefix", 28, &count_prefix, &cut_prefix, Form::Graph});

}  // namespace
}  // namespace fusillade::fuzz
