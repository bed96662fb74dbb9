// What `for` and comprehensions run over, and both of these.
//
// An Iterable has a length and gives its item of an iteration: lists, strings, tensors, keys of
// dicts, range, and enumerate, zip and reversed of these. A tuple, a module container and an enum
// have items of types of their own: they are unrolled, and so is what is built from them. A list or
// dict must keep its size while it is iterated over: the methods that change it are refused where
// it is plain to see; where the body writes any container of its type, its length is tested after
// each iteration.
#include <algorithm>

#include "engine/front/class_emit.h"
#include "engine/front/emit_condition.h"
#include "engine/front/emit_target.h"
#include "engine/front/form.h"
#include "engine/ir/visit.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

// Does anything in the block, or called from it, write a container of this type?
bool writes_container(const Block* block, const Type& type) {
  return any_node<Within::Callees>(block, [&](const Node* n) {
    const Schema& s = n->op().schema;
    for (size_t i = 0; i < s.args.size() && i < n->inputs().size(); ++i)
      if (s.args[i].written && n->inputs()[i]->type().without_shapes() == type) return true;
    return false;
  });
}

bool is_dict_view(Value* sequence) {
  const Node* n = sequence->node();
  if (n->inputs().size() != 1 || !n->input(0)->type().is(TypeKind::Dict)) return false;
  for (const char* view : {"keys", "values", "items"})
    if (n->op().schema.name == method_op(view)) return true;
  return false;
}

Iterable iterable_of(std::vector<Value*> items) {
  Iterable out;
  out.unrolled = true;
  out.items = std::move(items);
  return out;
}

}  // namespace

void BlockBuilder::watch(const Iterable& over) {
  for (const auto& [container, length] : over.watched) iterated_.push_back(container);
}

void BlockBuilder::unwatch(const Iterable& over) {
  iterated_.resize(iterated_.size() - over.watched.size());
}

bool BlockBuilder::is_iterated(const Value* container) const {
  return std::find(iterated_.begin(), iterated_.end(), container) != iterated_.end();
}

Iterable BlockBuilder::items_from(Value* sequence, const Expr& over) {
  const Type& type = sequence->type();
  if (type.is(TypeKind::Tuple)) return iterable_of(items_of(sequence, over));
  Iterable out;
  Value* from = sequence;
  if (type.is(TypeKind::Dict)) from = apply(method_op("keys"), {sequence}, over);
  bool known =
      from->type().is(TypeKind::List) || from->type().is(TypeKind::Str) || from->type().is_tensor();
  if (!known) {
    wrong(over, fmt::format("a {} cannot be looped over; range(...), lists, tuples, dicts, strings "
                            "and tensors can, and "
                            "enumerate, zip and reversed of them",
                            type));
  }
  out.length = apply(op::kLen, {from}, over);
  // d.keys(), d.values() and d.items() are views of d, which is what must not change.
  Value* watched = is_dict_view(sequence) ? sequence->node()->input(0) : sequence;
  if (type.is(TypeKind::List) || type.is(TypeKind::Dict))
    out.watched.emplace_back(watched, out.length);
  out.item = [this, from, &over](Value* iteration) {
    if (from->type().is_tensor())
      return apply(op::kSelect, {from, constant(IValue(0), over), iteration}, over);
    return apply(op::kGetItem, {from, iteration}, over);
  };
  return out;
}

// At the end of an iteration: raises when a container that is iterated over has another length than
// before.
void BlockBuilder::check_sizes(const Iterable& over, const Expr& at) {
  for (const auto& [container, length] : over.watched) {
    if (!writes_container(block(), container->type().without_shapes())) continue;
    Value* now = apply(op::kLen, {container}, at);
    const char* kind = container->type().is(TypeKind::List) ? "list" : "dictionary";
    require(apply(op_of(Sign::Equal), {now, length}, at),
            fmt::format("RuntimeError: {} changed size during iteration", kind), at);
  }
}

// Runs `body` with each item, in a loop or unrolled; what it binds is forgotten.
void BlockBuilder::each(const Iterable& over, const Expr& at,
                        const std::function<void(Value*)>& body) {
  auto run_body = [&](Value* item) {
    scopes_.push();
    body(item);
    scopes_.pop();
  };
  if (over.unrolled) {
    for (Value* item : over.items) run_body(item);
    return;
  }
  Block* inner = bare_node(prim::loop(), {over.length, flag(true)}, at)->add_block();
  const Deeper deeper(*this, inner, at);
  Value* iteration = inner->add_param(TypeKind::Int);
  scopes_.push();
  run_body(over.item(iteration));
  check_sizes(over, at);
  inner->add_result(flag(true));
  scopes_.pop();
}

Value* BlockBuilder::collect(const Iterable& over, const Expr& at, const Type* hint) {
  Value* out = list_of({}, TypeKind::Tensor, at);
  std::optional<Type> element;
  if (hint && hint->is(TypeKind::List)) element = hint->element();
  each(over, at, [&](Value* item) { append(out, element, item, at); });
  out->set_type(Type::list(element ? *element : Type(TypeKind::Tensor)));
  return out;
}

// Adds to a list under construction, whose element type is that of its first item when it is not
// given.
void BlockBuilder::append(Value* list, std::optional<Type>& element, Value* item, const Expr& at) {
  Type type = item->type().without_shapes();
  if (!element) element = type;
  Value* fitting = convert_to(item, *element, at);
  if (!fitting)
    wrong(at, fmt::format("lists must contain only a single type: {} and {}", *element, type));
  list->set_type(Type::list(*element));
  apply(method_op("append"), {list, fitting}, at);
}

Iterable Emitter::iterable(const Expr& over) {
  const Form* form = form_of_call(over);
  if (form && form->loop) return form->loop(*this, over);
  if (std::optional<std::vector<Value*>> items = classes().items_visited(over))
    return iterable_of(std::move(*items));
  return items_from(emit(over), over);
}

Value* Emitter::comprehension(const Expr& e, const Type* hint) {
  bool dict = e.is(ExprKind::DictComp);
  const Type* wanted = hint && hint->is(TypeKind::Optional) ? &hint->element() : hint;
  if (wanted && !wanted->is(dict ? TypeKind::Dict : TypeKind::List)) wanted = nullptr;
  std::optional<Type> element, mapped;
  if (wanted) element = wanted->element();
  if (wanted && dict) mapped = wanted->value_type();
  Value* out = nullptr;
  auto add = [&] {
    Value* first = emit(*e.kids[0], element ? &*element : nullptr);
    if (!dict) return append(out, element, first, *e.kids[0]);
    Value* second = emit(*e.kids[1], mapped ? &*mapped : nullptr);
    if (!element) element = first->type().without_shapes();
    if (!mapped) mapped = second->type().without_shapes();
    out->set_type(dict_type(*element, *mapped, e));
    apply(op::kSetItem, {out, first, second}, e);
  };
  // The clauses from kid k on: a target and what it runs over, or a condition.
  std::function<void(size_t)> clauses = [&](size_t k) {
    if (k == e.kids.size()) return add();
    const Expr& kid = *e.kids[k];
    if (e.clauses[k] == Clause::Target) {
      Iterable over = iterable(*e.kids[k + 1]);
      if (!out) out = dict ? dict_of({}, {}, e) : list_of({}, TypeKind::Tensor, e);
      return each(over, e, [&](Value* item) {
        targets().bind(kid, item, *e.kids[k + 1], true);
        clauses(k + 2);
      });
    }
    auto then_branch = [&] {
      conditions().refine(kid, true);
      clauses(k + 1);
      return Flow::Falls;
    };
    branch(conditions().condition(kid), kid, then_branch, [] { return Flow::Falls; });
  };
  clauses(dict ? 2 : 1);
  if (!dict) out->set_type(Type::list(element ? *element : Type(TypeKind::Tensor)));
  if (dict && element) out->set_type(dict_type(*element, *mapped, e));
  return out;
}

}  // namespace fusillade::front
