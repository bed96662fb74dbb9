// See joins.h.
#include "engine/fuse/joins.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "engine/ir/composite.h"
#include "engine/ops/pointwise.h"

namespace fusillade::fuse {
namespace {

bool is_constant(const Value* v) {
  const Node* n = v->node();
  if (n->is(prim::constant())) return true;
  if (!n->is(prim::list_construct())) return false;
  return std::all_of(n->inputs().begin(), n->inputs().end(), is_constant);
}

bool is_operand_type(const Type& t) {
  if (t.is(TypeKind::Optional)) return is_operand_type(t.element());
  return t.is_tensor() || t.is(TypeKind::Number);
}

bool is_plain_scalar(const Type& t) {
  return t.is(TypeKind::Int) || t.is(TypeKind::Float) || t.is(TypeKind::Bool);
}

bool body_has_form(const Row& row, unsigned forms);

bool has_form(const Row& row, unsigned forms) {
  switch (row.kind) {
    case OpKind::Pointwise:
      return (forms & kPointwiseForms) && row.pointwise && !row.pointwise_def->reads_nan_sign;
    case OpKind::Reduce:
      return (forms & kReduceForms) && row.reduce;
    case OpKind::View:
      return (forms & kViewForms) && row.view;
    case OpKind::Composite:
      return body_has_form(row, forms);
    default:
      return false;
  }
}

bool joins_inside(const Node* n, unsigned forms) {
  if (n->is(prim::constant()) || n->is(prim::list_construct())) return true;
  const Row& row = n->row();
  bool pure = !row.in_place && !row.nondeterministic && !row.side_effect && !row.schema.writes();
  if (row.kind == OpKind::Scalar)
    return pure && row.run;  // a constant, once the group's types are known
  return pure && has_form(row, forms) && n->outputs().size() == 1 &&
         n->output()->type().is_tensor();
}

// Is everything in the body what a group may hold? Answered once per row.
bool body_has_form(const Row& row, unsigned forms) {
  static std::mutex mutex;
  static auto* answers = new std::map<std::pair<const Row*, unsigned>, bool>;
  {
    std::lock_guard lock(mutex);
    auto it = answers->find({&row, forms});
    if (it != answers->end()) return it->second;
  }
  bool all = !row.body.empty();
  if (all) {
    for (const Node* n : composite_body(row).block()->nodes()) all = all && joins_inside(n, forms);
  }
  std::lock_guard lock(mutex);
  return answers->emplace(std::pair(&row, forms), all).first->second;
}

}  // namespace

bool joins(const Node* node, unsigned forms) {
  const Row& row = node->row();
  if (!has_form(row, forms) || row.in_place || row.nondeterministic || row.side_effect)
    return false;
  if (node->outputs().size() != 1 || !node->output()->type().is_tensor()) return false;
  for (size_t i = 0; i < node->inputs().size(); ++i) {
    const Value* v = node->input(static_cast<int>(i));
    const Type& formal = row.schema.args[i].type;
    if (v->type().is_tensor() || is_constant(v)) continue;
    bool varies = row.kind == OpKind::Pointwise && is_operand_type(formal);
    if (!varies || !is_plain_scalar(v->type())) return false;
  }
  return true;
}

}  // namespace fusillade::fuse
