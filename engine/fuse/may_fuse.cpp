// See may_fuse.h.
#include "engine/fuse/may_fuse.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "engine/aten/create/fill.h"
#include "engine/aten/join/join.h"
#include "engine/aten/random/uniform.h"
#include "engine/fuse/lowering_kind.h"
#include "engine/fuse/products.h"
#include "engine/ir/composite.h"
#include "engine/ir/constant_tree.h"
#include "engine/ops/device.h"
#include "engine/ops/pointwise.h"

namespace fusillade::fuse {
namespace {

bool is_operand_type(const Type& t) {
  if (t.is(TypeKind::Optional)) return is_operand_type(t.element());
  return t.is_tensor() || t.is(TypeKind::Number);
}

bool is_plain_scalar(const Type& t) {
  return t.is(TypeKind::Int) || t.is(TypeKind::Float) || t.is(TypeKind::Bool);
}

bool body_has_form(const Operator& op, unsigned forms);

// Does it draw random numbers at most, besides its results? A composite's draws are in its
// operators.
bool is_pure(const Operator& op) {
  const bool draws = draws_uniform(op) || op.kind == OpKind::Composite;
  return !op.in_place && !op.side_effect && (!op.nondeterministic || draws);
}

bool has_form(const Operator& op, unsigned forms) {
  if (const LoweringKind* kind = lowering_kind(op)) return forms & kind->form;
  switch (op.kind) {
    case OpKind::Pointwise:
      return (forms & kPointwiseForms) && op.pointwise && !op.pointwise_def->reads_nan_sign;
    case OpKind::View:
      return (forms & kViewForms) && op.view;
    case OpKind::Create:
      return ((forms & kPointwiseForms) && is_fill(op)) ||
             ((forms & kDrawForms) && draws_uniform(op));
    case OpKind::Composite:
      return body_has_form(op, forms & ~kProductForms);
    default:
      return false;
  }
}

bool makes_views(const Node* n) {
  return n->kind() == OpKind::View && n->op().view && n->outputs().size() == 1 &&
         n->output()->type().is(TypeKind::List);
}

// What a chunk gives, decomposed.
bool unpacks_views(const Node* n) {
  return n->is(prim::list_unpack()) && makes_views(n->input(0)->node()) &&
         reader_of_part(n->input(0)->node()) == n;
}

bool gives_tensors(const Node* n) {
  const LoweringKind* kind = lowering_kind(n->op());
  return n->outputs().size() <= (kind ? kind->most_results : 1) &&
         std::all_of(n->outputs().begin(), n->outputs().end(),
                     [](const Value* v) { return v->type().is_tensor(); });
}

bool takes_as_tensor(const Node* n) {
  static const Operator& cast = fusillade::operator_named("prim::unchecked_cast");
  return n->is(cast) && n->output()->type().is_tensor();
}

bool same_known_sizes(const Value* a, const Value* b) {
  const auto has_known_sizes = [](const Value* v) {
    return v->type().is_tensor() && v->type().info().rank_known &&
           std::ranges::all_of(v->type().info().sizes, [](int64_t n) { return n >= 0; });
  };
  return has_known_sizes(a) && has_known_sizes(b) &&
         a->type().info().sizes == b->type().info().sizes;
}

std::set<const Value*> tensors_of(const Node* n) {
  std::set<const Value*> out;
  for (const Value* v : n->inputs())
    if (v->type().is_tensor()) out.insert(v);
  return out;
}

bool all_may_fuse_inside(const Block* block, unsigned forms);

bool fuses_inside(const Node* n, unsigned forms) {
  if (n->is(prim::if_()))  // which branch is taken is known once the group's types are
    return std::all_of(n->blocks().begin(), n->blocks().end(),
                       [&](const Block* b) { return all_may_fuse_inside(b, forms); });
  if (n->is(prim::raise())) return n->block()->owner();  // where that branch is not taken
  if (n->is(prim::constant()) || n->is(prim::list_construct()) || takes_as_tensor(n)) return true;
  if (makes_views(n)) return (forms & kPartForms) && reader_of_part(n);
  if (n->is(prim::list_unpack())) return (forms & kPartForms) && unpacks_views(n);
  const Operator& op = n->op();
  const bool pure = is_pure(op) && !op.schema.writes();
  if (op.kind == OpKind::Scalar)
    return pure && op.run;  // a constant, once the group's types are known
  return pure && has_form(op, forms) && gives_tensors(n);
}

bool all_may_fuse_inside(const Block* block, unsigned forms) {
  for (const Node* n : block->nodes())
    if (!fuses_inside(n, forms)) return false;
  return true;
}

// Is everything in the body what a group may hold? Answered once per operator.
bool body_has_form(const Operator& op, unsigned forms) {
  static std::mutex mutex;
  static auto* answers = new std::map<std::pair<const Operator*, unsigned>, bool>;
  {
    std::lock_guard lock(mutex);
    auto it = answers->find({&op, forms});
    if (it != answers->end()) return it->second;
  }
  const bool all = !op.body.empty() && all_may_fuse_inside(composite_body(op).block(), forms);
  std::lock_guard lock(mutex);
  return answers->emplace(std::pair(&op, forms), all).first->second;
}

}  // namespace

bool knows_dtype(const Node* node) {
  static const Operator& dtype = fusillade::operator_named("prim::dtype");
  return node->is(dtype);
}

const Node* reader_of_part(const Node* part) {
  if (part->outputs().size() != 1 || part->output()->uses().size() != 1) return nullptr;
  const Node* reader = part->output()->uses()[0].user;
  if (reader->block() != part->block()) return nullptr;
  const bool of_views = makes_views(part) && reader->is(prim::list_unpack());
  const bool of_join = part->is(prim::list_construct()) && is_join(reader->op());
  const bool of_dtype = knows_dtype(part) && reader->kind() != OpKind::Prim;
  return of_views || of_join || of_dtype ? reader : nullptr;
}

bool hands_on_memory(const Node* node) {
  if (drops(node->op(), arg_infos(node))) return false;
  return node->op().schema.aliases() || node->is(prim::list_unpack());
}

bool may_fuse(const Node* node, unsigned forms) {
  if (unpacks_views(node)) {
    const Node* list = node->input(0)->node();
    return (forms & kPartForms) &&
           std::all_of(list->inputs().begin() + 1, list->inputs().end(), is_constant_tree);
  }
  const Operator& op = node->op();
  if (!has_form(op, forms) || !is_pure(op) || !gives_tensors(node)) return false;
  if (draws_uniform(op) && asked_device(op, arg_infos(node)).device) return false;
  if (computes_product(op) && fit_of_product(node) == ProductFit::None) return false;
  for (size_t i = 0; i < node->inputs().size(); ++i) {
    const Value* v = node->input(static_cast<int>(i));
    const Type& formal = op.schema.args[i].type;
    if (v->type().is_tensor() || is_constant_tree(v)) continue;
    if (reader_of_part(v->node()) == node) continue;
    bool varies = op.kind == OpKind::Pointwise && is_operand_type(formal);
    if (!varies || !is_plain_scalar(v->type())) return false;
  }
  return true;
}

bool has_room(const Node* node, Members group) {
  int64_t count = lowered_nodes(node);
  for (const Node* n : group) count += lowered_nodes(n);
  return count <= kMostLowered;
}

bool walks_alike(const Node* node, Members group) {
  return std::ranges::any_of(group, [&](const Node* member) {
    if (node->kind() != member->kind() || node->outputs().size() != 1) return false;
    if (node->kind() == OpKind::Reduce) return node->input(0) == member->input(0);
    if (node->kind() != OpKind::Pointwise) return false;
    return same_known_sizes(node->output(), member->output()) ||
           tensors_of(node) == tensors_of(member);
  });
}

}  // namespace fusillade::fuse
