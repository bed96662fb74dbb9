// See constant_tree.h.
#include "engine/ir/constant_tree.h"

#include <algorithm>

#include "engine/ir/prims.h"

namespace fusillade {

bool is_only_read(const Value* list) {
  return std::ranges::all_of(list->uses(), [](const Use& use) {
    if (use.user->is(prim::list_construct())) return is_only_read(use.user->output());
    const std::vector<SchemaArg>& args = use.user->op().schema.args;
    const auto at = static_cast<size_t>(use.index);
    return use.user->kind() != OpKind::Prim && at < args.size() && args[at].alias.empty() &&
           !args[at].written && !args[at].wildcard;
  });
}

bool is_constant_tree(const Value* v) {
  const Node* n = v->node();
  if (n->is(prim::constant())) return true;
  return n->is(prim::list_construct()) && std::ranges::all_of(n->inputs(), &is_constant_tree) &&
         is_only_read(v);
}

}  // namespace fusillade
