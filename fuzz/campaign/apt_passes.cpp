// See apt_passes.h. (law: rules name ops)
#include "fuzz/campaign/apt_passes.h"

#include <algorithm>

#include "engine/ir/visit.h"

namespace fusillade::fuzz {
namespace {

void add(std::vector<std::string>& out, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
}

bool changes_list(const Node* n) {
  return n->row().schema.writes() && !n->inputs().empty() && n->input(0)->type().is(TypeKind::List);
}

void collect(const Block* block, std::vector<std::string>& out) {
  each_node(block, [&](const Node* n) {
    const std::string& op = n->row().schema.name;
    if (n->is(prim::loop())) add(out, {"licm", "unroll", "unroll_by_8", "peel"});
    if (n->kind() == OpKind::Contract) add(out, {"batch_mm", "decompose", "sum_products"});
    if (op.starts_with("aten::expand")) add(out, {"remove_expands"});
    if (op == "aten::cat") add(out, {"concat"});
    if (op == "aten::stack") add(out, {"stack_of_ops"});
    if (op == "aten::select") add(out, {"unbind_selects", "stack_of_ops"});
    if (op == "aten::sub" || op == "aten::add") add(out, {"canonicalize"});
    if (changes_list(n)) add(out, {"remove_list_mutation"});
    else if (n->row().schema.writes())
      add(out, {"remove_tensor_mutation", "final_stores", "whole_stores"});
  });
}

}  // namespace

std::vector<std::string> apt_passes(const Graph& program) {
  std::vector<std::string> out;
  collect(program.block(), out);
  return out;
}

}  // namespace fusillade::fuzz
