// Shrinks of the program: calls, outputs, ends, branches, nodes.
#include <algorithm>

#include "engine/ir/visit.h"
#include "engine/run/plan.h"
#include "engine/tensor/random.h"
#include "fuzz/reduce/reduce.h"

namespace fusillade::fuzz {
namespace {

std::vector<Node*> operator_nodes(const Graph& graph) {
  std::vector<Node*> out;
  for (Node* n : graph.block()->nodes()) {
    if (!n->is(prim::constant())) out.push_back(n);
  }
  return out;
}

bool pure(const Node* n) {
  const auto impure = [](const Node* at) {
    return at->op().side_effect || at->op().schema.writes() || at->is(prim::raise());
  };
  const auto within = [&](const Block* b) { return any_node(b, impure); };
  return !impure(n) && !any_block_of(n, within);
}

size_t count_calls(const Case& c) { return c.calls.size() > 1 ? c.calls.size() : 0; }
bool drop_calls(Case& c, size_t first, size_t last) {
  if (last - first >= c.calls.size()) return false;
  c.calls.erase(c.calls.begin() + static_cast<long>(first),
                c.calls.begin() + static_cast<long>(last));
  return true;
}

size_t count_outputs(const Case& c) {
  size_t n = c.program->outputs().size();
  return n > 1 ? n : 0;
}
bool drop_outputs(Case& c, size_t first, size_t last) {
  if (last - first >= c.program->outputs().size()) return false;
  for (size_t i = last; i-- > first;) c.program->block()->remove_result(static_cast<int>(i));
  return true;
}

// One unit per operand of a node that gives an output: the operand is returned instead, and the
// node falls away.
std::vector<std::pair<int, Value*>> ends(const Graph& graph) {
  std::vector<std::pair<int, Value*>> out;
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    Node* last = graph.outputs()[i]->node();
    if (last == graph.block()->param_node() || last->is(prim::constant())) continue;
    for (Value* v : last->inputs()) {
      bool constant = v->node()->is(prim::constant());
      if (!constant && v->node() != graph.block()->param_node())
        out.emplace_back(static_cast<int>(i), v);
    }
  }
  return out;
}

size_t count_ends(const Case& c) { return ends(*c.program).size(); }
bool return_earlier(Case& c, size_t first, size_t last) {
  if (last - first != 1) return false;
  auto [output, value] = ends(*c.program)[first];
  c.program->block()->set_result(output, value);
  return true;
}

// If and Loop nodes: two units each (branch 0, branch 1; a loop's body once, or not at all).
std::vector<Node*> control_nodes(const Block* block) {
  std::vector<Node*> out;
  each_node(block, [&](Node* n) {
    if (!n->blocks().empty()) out.push_back(n);
  });
  return out;
}

size_t count_branches(const Case& c) { return 2 * control_nodes(c.program->block()).size(); }

void replace_by_block(Node* node, const Block* block, const std::vector<Value*>& params, int skip) {
  ValueMap map;
  for (size_t i = 0; i < params.size(); ++i) map[block->params()[i]] = params[i];
  auto lookup = [&](Value* v) {
    auto it = map.find(v);
    return it == map.end() ? v : it->second;
  };
  for (Node* n : block->nodes()) {
    for (Value* v : n->inputs()) map.emplace(v, v);
    clone_node(n, node->graph(), node, map);
  }
  for (size_t i = 0; i < node->outputs().size(); ++i) {
    node->outputs()[i]->replace_all_uses_with(
        lookup(block->results()[i + static_cast<size_t>(skip)]));
  }
}

bool take_branch(Case& c, size_t first, size_t last) {
  if (last - first != 1) return false;
  Node* node = control_nodes(c.program->block())[first / 2];
  size_t which = first % 2;
  if (node->is(prim::if_())) {
    replace_by_block(node, node->blocks()[which], {}, 0);
  } else if (which == 0) {
    std::vector<Value*> params{c.program->constant(IValue(0), node)};
    for (size_t i = 2; i < node->inputs().size(); ++i) params.push_back(node->inputs()[i]);
    replace_by_block(node, node->blocks()[0], params, 1);
  } else {
    for (size_t i = 0; i < node->outputs().size(); ++i) {
      node->outputs()[i]->replace_all_uses_with(node->inputs()[i + 2]);
    }
  }
  node->destroy();
  return true;
}

size_t count_operators(const Case& c) { return operator_nodes(*c.program).size(); }

bool may_be_input(const IValue& v) { return v.is_tensor() || v.is_number(); }

// The values that the results of `nodes` have in one call, found by returning them from a clone.
std::vector<IValue> capture(const Graph& graph, const std::vector<Value*>& values,
                            const Call& call) {
  std::unique_ptr<Graph> clone = graph.clone();
  std::vector<Node*> theirs;
  std::vector<Node*> ours;
  for (Node* n : clone->block()->nodes()) theirs.push_back(n);
  for (Node* n : graph.block()->nodes()) ours.push_back(n);
  while (!clone->outputs().empty()) clone->block()->remove_result(0);
  size_t used = 0;
  for (Value* v : values) {
    for (size_t i = 0; i < ours.size(); ++i) {
      if (ours[i] != v->node()) continue;
      clone->add_output(theirs[i]->output(v->index()));
      used = std::max(used, i + 1);
    }
  }
  while (theirs.size() > used) {  // what follows may be what raises
    theirs.back()->destroy();
    theirs.pop_back();
  }
  const NumbersScope numbers;
  return prepare(*clone, reference_plan())->run(copy_call(call).inputs);
}

bool cut_nodes(Case& c, size_t first, size_t last) {
  std::vector<Node*> nodes = operator_nodes(*c.program);
  return cut_out(
      c, {nodes.begin() + static_cast<long>(first), nodes.begin() + static_cast<long>(last)});
}

const Shrink& calls = Table<Shrink>::instance().add({"calls", 10, &count_calls, &drop_calls});
const Shrink& outputs =
    Table<Shrink>::instance().add({"outputs", 20, &count_outputs, &drop_outputs, Form::Graph});
const Shrink& earlier =
    Table<Shrink>::instance().add({"ends", 25, &count_ends, &return_earlier, Form::Graph, true});
const Shrink& branches = Table<Shrink>::instance().add(
    {"branches", 30, &count_branches, &take_branch, Form::Graph, true});
const Shrink& nodes =
    Table<Shrink>::instance().add({"nodes", 40, &count_operators, &cut_nodes, Form::Graph});

}  // namespace

bool cut_out(Case& c, const std::vector<Node*>& gone) {
  auto leaves = [&](const Value* v) {
    for (const Use& use : v->uses()) {
      bool inside = false;
      for (Node* g : gone) inside = inside || use.user == g;
      if (!inside) return true;
    }
    return false;
  };
  std::vector<Value*> needed;
  for (Node* n : gone) {
    for (Value* v : n->outputs()) {
      if (leaves(v)) needed.push_back(v);
    }
  }
  std::vector<std::vector<IValue>> values;
  for (const Call& call : c.calls) {
    values.push_back(capture(*c.program, needed, call));
    for (const IValue& v : values.back()) {
      if (!may_be_input(v)) return false;
    }
  }
  for (size_t i = 0; i < needed.size(); ++i) {
    Value* input = c.program->add_input(values.empty() ? needed[i]->type() : values[0][i].type());
    needed[i]->replace_all_uses_with(input);
    for (size_t k = 0; k < c.calls.size(); ++k) {
      Call fresh = copy_call(Call{{values[k][i]}});
      c.calls[k].inputs.push_back(fresh.inputs[0]);
    }
  }
  for (auto it = gone.rbegin(); it != gone.rend(); ++it) (*it)->destroy();
  return true;
}

void drop_unused(Case& c) {
  for (bool again = true; again;) {
    again = false;
    std::vector<Node*> all;
    for (Node* n : c.program->block()->nodes()) all.push_back(n);
    for (auto it = all.rbegin(); it != all.rend(); ++it) {
      bool used = !pure(*it);
      for (const Value* v : (*it)->outputs()) used = used || !v->is_unused();
      if (used) continue;
      (*it)->destroy();
      again = true;
    }
  }
  for (size_t i = c.program->inputs().size(); i-- > 0;) {
    if (!c.program->inputs()[i]->is_unused()) continue;
    c.program->block()->remove_param(static_cast<int>(i));
    for (Call& call : c.calls) call.inputs.erase(call.inputs.begin() + static_cast<long>(i));
  }
}

}  // namespace fusillade::fuzz
