// What passes look for in a program (Pass::looks_for).
#include "engine/ir/visit.h"
#include "engine/passes/pass.h"

namespace fusillade {
bool is_loop(const Node* node) { return node->is(prim::loop()); }

bool is_product(const Node* node) { return node->kind() == OpKind::Contract; }

bool changes_list(const Node* node) {
  return node->op().schema.writes() && !node->inputs().empty() &&
         node->input(0)->type().is(TypeKind::List);
}

bool writes_tensor(const Node* node) { return node->op().schema.writes() && !changes_list(node); }

std::vector<const Pass*> passes_looking_for(const Graph& program) {
  std::vector<const Pass*> out;
  for (const Pass* pass : Table<Pass>::instance().by_name())
    if (pass->looks_for && any_node(program.block(), pass->looks_for)) out.push_back(pass);
  return out;
}

}  // namespace fusillade
