// x.unsqueeze_(0), x.t_() and their kind: methods that give a tensor another shape in place, for
// all who hold it.
//
// Passes leave programs alone that change sizes (aten/view/reshape_in_place.h). So where only names
// refer to the tensor, they are bound to the view that the plain method gives: it was created in
// this function and in this iteration of a loop, and nothing that may keep it has seen it.
// Everywhere else the operator changes it. So it does amid an expression, where what was read
// before sees the change.
#include <algorithm>

#include "engine/front/emit_stmt.h"

namespace fusillade::front {
namespace {

// Is what the node gives a tensor of its own, though perhaps of another's memory?
bool makes_tensor(const Node* n) {
  const Operator& r = n->op();
  if (r.kind == OpKind::Prim || r.kind == OpKind::Scalar || r.schema.writes()) return false;
  return r.kind == OpKind::View ? !may_give_itself(r.schema.name) : !r.schema.aliases();
}

bool plain(const Type& type) {
  for (TypeKind k : {TypeKind::Int, TypeKind::Float, TypeKind::Bool, TypeKind::Str, TypeKind::None})
    if (type.is(k)) return true;
  return false;
}

// May a node that got the tensor hold it, or give it on?
bool may_keep(const Node* n) {
  if (n->is(prim::return_())) return true;
  if (n->kind() == OpKind::Scalar) return n->op().schema.writes();
  if (n->kind() != OpKind::Prim) return !makes_tensor(n) && !n->op().schema.writes();
  bool keeps = false;
  for (const Value* v : n->inputs()) keeps = keeps || !(plain(v->type()) || v->type().is_tensor());
  for (const Value* v : n->outputs()) keeps = keeps || !plain(v->type());
  return keeps;
}

// Does the node write the tensor in place and give it again?
bool gives_again(const Node* n) {
  bool tensors =
      n->kind() != OpKind::Prim && n->kind() != OpKind::Scalar && n->op().schema.writes();
  return tensors && n->outputs().size() == 1 && n->output()->type().is_tensor();
}

bool of_this_iteration(const Node* node, const Block* here) {
  for (const Block* b = here; b != node->block(); b = b->owner()->block())
    if (!b->owner() || b->owner()->is(prim::loop())) return false;
  return true;
}

}  // namespace

// An expression that is a whole statement, or is assigned or returned: such a call, a chain of
// them, or any other.
Value* StatementEmitter::whole(const Expr& e, const Type* hint) {
  const bool call = e.is(ExprKind::Call) && e.kids[0]->is(ExprKind::Attribute);
  const char* view = call ? in_place_view(e.kids[0]->text) : nullptr;
  if (!view || !to_.module_path(*e.kids[0]).empty()) return to_.emit(e, hint);
  Value* of = whole(*e.kids[0]->kids[0]);
  if (!of->type().is_tensor())
    to_.wrong(e, fmt::format("'{}' has no method '{}'", of->type().text(), e.kids[0]->text));
  std::vector<Value*> same{of};
  while (gives_again(same[0]->node())) same[0] = same[0]->node()->input();
  bool kept = !makes_tensor(same[0]->node()) || !of_this_iteration(same[0]->node(), to_.block());
  for (size_t i = 0; i < same.size(); ++i) {
    for (const Use& use : same[i]->uses()) {
      if (use.index == 0 && gives_again(use.user)) same.push_back(use.user->output());
      else kept = kept || may_keep(use.user);
    }
  }
  std::vector<Argument> args{{of, ""}};
  for (Argument& a : to_.arguments(e)) args.push_back(std::move(a));
  if (kept) return to_.call_operator(method_op(e.kids[0]->text), args, e);
  Value* result = to_.call_operator(method_op(view), args, e);
  for (const std::string& name : to_.scopes().names()) {
    Binding b = *to_.scopes().find(name);
    if (std::find(same.begin(), same.end(), b.value) != same.end())
      to_.scopes().set(name, {result, b.declared, ""});
  }
  return result;
}

}  // namespace fusillade::front
