// See out_operators.h.
#include "engine/run/archive/out_operators.h"

#include <optional>
#include <string>
#include <vector>

#include "engine/aten/view/reshape_in_place.h"
#include "engine/ir/prims.h"
#include "engine/ir/visit.h"

namespace fusillade::archive {
namespace {

// The node of the value, where nothing but `user` reads it and only constants lie between them.
Node* right_before(const Value* value, const Node* user) {
  if (value->uses().size() != 1) return nullptr;
  for (Node* n = user->prev(); n; n = n->prev()) {
    if (n == value->node()) return n->outputs().size() == 1 ? n : nullptr;
    if (!n->is(prim::constant())) return nullptr;
  }
  return nullptr;
}

// The operator that takes these arguments of `of` and the tensor behind them.
const Operator* out_operator(const Operator& of, const std::vector<int>& kept) {
  for (const Operator* r : overloads(of.schema.name)) {
    const std::vector<SchemaArg>& args = r->schema.args;
    if (args.size() != kept.size() + 1 || !args.back().written || !args.back().keyword_only)
      continue;
    bool same = true;
    for (size_t i = 0; i < kept.size(); ++i) {
      const SchemaArg& given = of.schema.args[static_cast<size_t>(kept[i])];
      same = same && given.name == args[i].name && given.type == args[i].type;
    }
    if (same) return r;
  }
  return nullptr;
}

void name_out_operator(Node* into, Graph& graph) {
  Value* out = into->input(0);
  Node* node = right_before(into->input(1), into);
  if (!node || node->op().schema.varargs || !into->input(3)->node()->is(prim::constant())) return;
  const bool exact = into->input(3)->node()->constant().as_bool();
  Node* dtype = nullptr;  // what reading adds, where no dtype is written
  std::vector<int> kept;
  for (int i = 0; i < std::ssize(node->inputs()); ++i) {
    Node* from = node->input(i)->node();
    const bool named = node->op().schema.args[static_cast<size_t>(i)].name == "dtype";
    if (named && !exact) {
      if (from->op().name != "prim::dtype" || from->input() != out) return;
      dtype = from;
    } else {
      kept.push_back(i);
    }
  }
  const Operator* op = out_operator(node->op(), kept);
  if (!op) return;
  std::vector<Value*> inputs;
  for (int i : kept) inputs.push_back(node->input(i));
  inputs.push_back(out);
  Node* replacement = graph.create(*op, inputs, 1);
  replacement->range = node->range;
  replacement->insert_before(into);
  replacement->output()->set_type(into->output()->type());
  replacement->output()->set_name(into->output()->name());
  into->output()->replace_all_uses_with(replacement->output());
  into->destroy();
  node->destroy();
  if (dtype && dtype->output()->uses().empty()) dtype->destroy();
}

}  // namespace

void name_out_operators(Block* block, Graph& graph) {
  each_node_inside_out(block, [&](Node* n) {
    if (n->op().name == kInto) name_out_operator(n, graph);
  });
}

}  // namespace fusillade::archive
