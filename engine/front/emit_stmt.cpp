// Statements in a row: assignment, return, raise, assert; what follows an early exit.
#include <algorithm>

#include "engine/front/emit_slice.h"
#include "engine/front/emit_text.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

std::vector<const Stmt*> pointers(const StmtList& list) {
  std::vector<const Stmt*> out;
  for (const StmtPtr& s : list) out.push_back(s.get());
  return out;
}

// What a target must hold: the type that `d[k] = []`, and `l = []` of a declared l, give the empty
// list. After x = None x is None and nothing else.
std::optional<Type> wanted_type(const Scopes& scopes, const Expr& target, const Expr& value) {
  if (value.is(ExprKind::None)) return {};
  const Binding* known = target.is(ExprKind::Name) ? scopes.find(target.text) : nullptr;
  const Binding* outer = known && !known->declared ? scopes.find_outer(target.text) : nullptr;
  if (outer && outer->value)
    return (outer->refines ? outer->refines : outer->value)->type().without_shapes();
  if (known) return known->declared;
  bool item = target.is(ExprKind::Subscript) && target.kids[0]->is(ExprKind::Name);
  const Value* of = item ? scopes.value(target.kids[0]->text) : nullptr;
  if (of && of->type().is(TypeKind::Dict)) return of->type().value_type();
  bool slice = item && target.kids.size() == 2 && target.kids[1]->is(ExprKind::Slice);
  if (of && of->type().is(TypeKind::List)) return slice ? of->type() : of->type().element();
  return {};
}

// a, b = x, y: each target meets its own value.
bool pairwise(const Expr& target, const Expr& value) {
  if (!target.is(ExprKind::Tuple) || !value.is(ExprKind::Tuple) ||
      target.kids.size() != value.kids.size())
    return false;
  auto is_starred = [](const ExprPtr& kid) { return kid->is(ExprKind::Starred); };
  return std::none_of(target.kids.begin(), target.kids.end(), is_starred) &&
         std::none_of(value.kids.begin(), value.kids.end(), is_starred);
}

}  // namespace

// Statement lists are vectors of pointers, so that the rest of a list can move behind a branch.
Emitter::Flow Emitter::statements(const List& list) {
  Flow last = Flow::Falls;
  for (size_t i = 0; i < list.size(); ++i) {
    const Stmt& s = *list[i];
    bool last_one = i + 1 == list.size();
    auto rest = [&] { return List(list.begin() + static_cast<long>(i) + 1, list.end()); };
    if (s.kind == StmtKind::If && s.exit == Exit::Might && !last_one) {
      bool then_leaves = exit_of(s.body) == Exit::Will;
      bool else_leaves = exit_of(s.orelse) == Exit::Will;
      List then = pointers(s.body);
      List otherwise = pointers(s.orelse);
      List& falls = then_leaves ? otherwise : then;
      if (then_leaves || else_leaves) {
        for (const Stmt* r : rest()) falls.push_back(r);
        return if_statement(s, then, otherwise);
      }
    }
    Flow flow = statement(s);
    if (flow == Flow::Throws && !last_one) look_behind(rest());
    if (flow == Flow::Leaves || flow == Flow::Throws) return flow;
    if (flow == Flow::Might) last = Flow::Might;
    if (flow == Flow::Might && !last_one) return guard_rest(rest());
  }
  return last;
}

// What follows a statement that may have left: only when the level's flag is not set.
Emitter::Flow Emitter::guard_rest(const List& rest) {
  Value* skip = scopes_.value(fmt::format("$skip{}", loops_));
  if (!skip) return statements(rest);
  Expr at;
  at.begin = rest.front()->begin;
  at.end = rest.front()->end;
  Flow flow = branch(skip, at, [] { return Flow::Leaves; }, [&] { return statements(rest); });
  return flow == Flow::Falls ? Flow::Might : flow;
}

Emitter::Flow Emitter::emit_statement(const Stmt& s) {
  switch (s.kind) {
    case StmtKind::Assign:
      assign(s);
      return Flow::Falls;
    case StmtKind::AugAssign:
      augment(s);
      return Flow::Falls;
    case StmtKind::If:
      return if_statement(s, pointers(s.body), pointers(s.orelse));
    case StmtKind::While:
      return while_loop(s);
    case StmtKind::For:
      return for_loop(s);
    case StmtKind::With:
      return with_statement(s);
    case StmtKind::Return:
      return return_value(s);
    case StmtKind::Raise:
      return raise(s);
    case StmtKind::Assert:
      return assert_true(s);
    case StmtKind::Break:
    case StmtKind::Continue:
      if (loops_ == 0) wrong(s, "'break' and 'continue' belong in a loop");
      return leave(loops_, s.kind == StmtKind::Break);
    case StmtKind::Expression:
      if (!s.value->is(ExprKind::Str)) whole(*s.value);
      return Flow::Falls;
    case StmtKind::Delete:
      remove(s);
      return Flow::Falls;
    case StmtKind::Broken:
      throw Unknown();
    case StmtKind::Pass:
      break;
  }
  return Flow::Falls;
}

// del x, del l[i], del d[k].
void Emitter::remove(const Stmt& s) {
  for (const ExprPtr& target : s.targets) {
    if (target->is(ExprKind::Name)) {
      name(*target);
      scopes_.set(target->text, {nullptr, {}, fmt::format("{} was deleted", target->text)});
      continue;
    }
    if (!target->is(ExprKind::Subscript))
      wrong(*target, "names and items of lists and dicts are deleted");
    Value* of = emit(*target->kids[0]);
    bool container = of->type().is(TypeKind::List) || of->type().is(TypeKind::Dict);
    if (!container || target->kids.size() != 2)
      wrong(*target, fmt::format("an item of a {} cannot be deleted", of->type()));
    if (target->kids[1]->is(ExprKind::Slice)) {
      store_slice(*this, of, *target->kids[1], nullptr, *target);
      continue;
    }
    if (is_iterated(of))
      wrong(*target, "'del' changes what a loop runs over: loop over a copy of it");
    apply(op::kDelete, {of, emit(*target->kids[1])}, *target);
  }
}

void Emitter::assign(const Stmt& s) {
  bool bare_final =
      s.annotation && (s.annotation->is_name("Final") ||
                       (s.annotation->is(ExprKind::Attribute) && s.annotation->text == "Final"));
  if (!s.annotation && s.targets.size() == 1 && pairwise(*s.targets[0], *s.value)) {
    std::vector<Value*> items;
    bool fine = true;
    for (size_t i = 0; i < s.value->kids.size(); ++i) {
      std::optional<Type> hint = wanted_type(scopes_, *s.targets[0]->kids[i], *s.value->kids[i]);
      items.push_back(part(*s.value->kids[i], hint ? &*hint : nullptr, &fine));
    }
    if (!fine) throw Unknown();
    for (size_t i = 0; i < items.size(); ++i)
      bind_target(*s.targets[0]->kids[i], items[i], *s.value->kids[i]);
    return;
  }
  if (!s.annotation || bare_final) {
    std::optional<Type> hint = wanted_type(scopes_, *s.targets[0], *s.value);
    Value* value = whole(*s.value, hint ? &*hint : nullptr);
    for (const ExprPtr& t : s.targets) bind_target(*t, value, *s.value);
    return;
  }
  const Expr& target = *s.targets[0];
  if (target.is(ExprKind::Name) && names_interface(*s.annotation)) {
    Value* value = emit(*s.value);
    const Type& one =
        value->type().is(TypeKind::Union) ? value->type().elements()[0] : value->type();
    bool module = one.is(TypeKind::Class) && one.class_type()->kind == ClassType::Kind::Module;
    if (module) return bind_name(target.text, value, target);
  }
  Type type = annotation_type(*s.annotation);
  if (target.is(ExprKind::Attribute)) return define_field(target, type, *s.value);
  if (!target.is(ExprKind::Name)) wrong(target, "only a name or an attribute can be annotated");
  if (scopes_.find_outer(target.text) && scopes_.find_outer(target.text)->value) {
    wrong(target, fmt::format("'{}' is defined in an outer block and cannot be annotated here",
                              target.text));
  }
  Value* value = whole(*s.value, &type);
  Value* fitting = convert_to(value, type, *s.value);
  if (!fitting) {
    wrong(*s.value,
          fmt::format(
              "variable '{}' is annotated with type {} but is being assigned to a value of type {}",
              target.text, type, value->type()));
  }
  bind_name(target.text, fitting, target, type);
}

void Emitter::bind_target(const Expr& target, Value* value, const Expr& from) {
  if (target.is(ExprKind::Name)) return bind_name(target.text, value, target);
  if (target.is(ExprKind::Subscript)) return store_subscript(target, value);
  if (target.is(ExprKind::Attribute)) return set_field(target, value);
  bind_tuple(target, value, from);
}

void Emitter::bind_name(const std::string& name, Value* value, const Expr& at,
                        std::optional<Type> declared) {
  const Binding* outer = scopes_.find_outer(name);
  const Binding* known = scopes_.find(name);
  if (!declared && known && known->declared) declared = known->declared;
  bool must_keep = !fresh_ && ((outer && outer->value) || declared);
  if (must_keep) {
    Type type = declared ? *declared : outer->refines ? outer->refines->type() : outer->type();
    Value* fitting = convert_to(value, type, at);
    if (!fitting) {
      wrong(at, reassignment_error(name, type, value->type()));
    }
    value = fitting;
  }
  bool temporary = value->name().empty() && value->node() != graph_->block()->param_node();
  if (temporary && !value->node()->is(prim::constant())) value->set_name(name);
  scopes_.set(name, {value, declared, ""});
}

void Emitter::bind_tuple(const Expr& target, Value* value, const Expr& from) {
  const Type& type = value->type();
  size_t count = target.kids.size();
  for (size_t i = 0; i < count; ++i)
    if (target.kids[i]->is(ExprKind::Starred)) return bind_starred(target, value, i, from);
  std::vector<Value*> items;
  if (type.is(TypeKind::Tuple)) {
    if (type.elements().size() != count) {
      wrong(target, fmt::format("{} values are unpacked from a tuple of {}", count,
                                type.elements().size()));
    }
    items = items_of(value, from);
  } else if (type.is(TypeKind::List)) {
    items = node(prim::list_unpack(), {value}, from, static_cast<int>(count))->outputs();
    for (Value* item : items) item->set_type(type.element());
  } else {
    wrong(from, fmt::format("a {} cannot be unpacked; tuples and lists can", type));
  }
  for (size_t i = 0; i < count; ++i) bind_target(*target.kids[i], items[i], from);
}

// a, *b, c = value: b is the list of what the others leave.
void Emitter::bind_starred(const Expr& target, Value* value, size_t star, const Expr& from) {
  size_t behind = target.kids.size() - star - 1;
  if (value->type().is(TypeKind::List)) {
    Value* length = apply(op::kLen, {value}, from);
    int64_t least = static_cast<int64_t>(star + behind);
    require(apply(compare_op(">="), {length, constant(IValue(least), from)}, from),
            fmt::format("ValueError: not enough values to unpack (expected at least {})", least),
            from);
    for (size_t i = 0; i < target.kids.size(); ++i) {
      int64_t at = i < star ? static_cast<int64_t>(i)
                            : static_cast<int64_t>(i) - static_cast<int64_t>(target.kids.size());
      if (i != star)
        bind_target(*target.kids[i], apply(op::kGetItem, {value, constant(IValue(at), from)}, from),
                    from);
    }
    Value* stop = apply(front::binary_op("-", false),
                        {length, constant(IValue(static_cast<int64_t>(behind)), from)}, from);
    Value* rest =
        apply(op::kSlice, {value, constant(IValue(static_cast<int64_t>(star)), from), stop}, from);
    return bind_target(*target.kids[star]->kids[0], rest, from);
  }
  if (!value->type().is(TypeKind::Tuple))
    wrong(from, fmt::format("a {} cannot be unpacked; tuples and lists can", value->type()));
  std::vector<Value*> items = items_of(value, from);
  if (items.size() < star + behind) {
    wrong(target, fmt::format("at least {} values are unpacked from a tuple of {}", star + behind,
                              items.size()));
  }
  size_t taken = items.size() - star - behind;
  std::vector<Value*> rest(items.begin() + static_cast<long>(star),
                           items.begin() + static_cast<long>(star + taken));
  bool uniform = !rest.empty();
  for (Value* v : rest)
    uniform = uniform && v->type().without_shapes() == rest[0]->type().without_shapes();
  for (size_t i = 0; i < target.kids.size(); ++i)
    if (i != star) bind_target(*target.kids[i], items[i < star ? i : i + taken - 1], from);
  Value* kept = uniform ? list_of(rest, rest[0]->type(), from)
                        : node(prim::tuple_construct(), rest, from)->output();
  bind_target(*target.kids[star]->kids[0], kept, from);
}

void Emitter::store_subscript(const Expr& target, Value* value) {
  Value* of = emit(*target.kids[0]);
  if (of->type().is_tensor()) return tensor_store(of, target, value);
  if (of->type().is(TypeKind::Class)) {
    if (magic("__setitem__", {of, item_key(target), value}, target)) return;
  }
  bool container = of->type().is(TypeKind::List) || of->type().is(TypeKind::Dict);
  if (!container || target.kids.size() != 2) {
    wrong(target,
          fmt::format("an item of a {} cannot be assigned; items of tensors, lists and dicts can",
                      of->type()));
  }
  const Expr& index = index_part(*target.kids[1]);
  if (index.is(ExprKind::Slice)) return store_slice(*this, of, index, value, target);
  apply(op::kSetItem, {of, emit(index), value}, target);
}

Value* Emitter::augment_value(const std::string& op, Value* left, Value* right, const Expr& at) {
  if (Value* v = magic_in_place(op, left, right, at)) return v;
  bool tensor = left->type().is_tensor();
  bool list = left->type().is(TypeKind::List) && (op == "+" || op == "*");
  if (list && is_iterated(left))
    wrong(at, fmt::format("'{}=' changes a list while a loop runs over it: loop over a copy of it",
                          op));
  const char* base = augmented_op(op, tensor || list);
  if (!base) FUS_BUG("the parser made an operator '{}='", op);
  if (tensor) return apply(base, {left, bool_tensor(right, at)}, at);
  return list ? apply(base, {left, as_int(right, at)}, at) : binary_op(op, left, right, at);
}

void Emitter::augment(const Stmt& s) {
  const Expr& target = *s.targets[0];
  Expr at;
  at.begin = s.begin;
  at.end = s.value->end;
  if (target.is(ExprKind::Name)) {
    Value* left = name(target);
    const Type hint = left->type();
    Value* right = emit(*s.value, &hint);
    return bind_name(target.text, augment_value(s.text, left, right, at), target);
  }
  if (target.is(ExprKind::Attribute)) {
    Value* left = attribute(target);
    return set_field(target, augment_value(s.text, left, emit(*s.value), at));
  }
  if (!target.is(ExprKind::Subscript)) wrong(target, "an augmented assignment has one target");
  Value* of = emit(*target.kids[0]);
  if (of->type().is_tensor()) {
    TensorPlace place = tensor_place(of, target);
    Value* item =
        place.indices ? apply(op::kIndex, {place.view, place.indices}, target) : place.view;
    Value* value = augment_value(s.text, item, emit(*s.value), at);
    if (place.indices) apply(op::kIndexPut, {place.view, place.indices, value}, target);
    else if (value != item && augmented_op(s.text, true) == augmented_op(s.text, false))
      apply(op::kCopy, {place.view, value}, target);
    return;
  }
  bool object = of->type().is(TypeKind::Class);
  if (target.kids.size() != 2 && !object) wrong(target, "an item of a list has one index");
  if (target.kids[1]->is(ExprKind::Slice))
    wrong(target, "a slice of a list cannot be assigned: assign the items in a loop");
  Value* index = item_key(target);
  Value* item =
      object ? magic("__getitem__", {of, index}, target) : apply(op::kGetItem, {of, index}, target);
  if (!item) wrong(target, fmt::format("'{}' has no __getitem__", of->type()));
  Value* value = augment_value(s.text, item, emit(*s.value), at);
  if (!object) apply(op::kSetItem, {of, index, value}, target);
  else if (!magic("__setitem__", {of, index, value}, target))
    wrong(target, fmt::format("'{}' has no __setitem__", of->type()));
}

Emitter::Flow Emitter::return_value(const Stmt& s) {
  Expr at;
  at.begin = s.begin;
  at.end = s.end;
  const Type* hint = declared_ ? &*declared_ : nullptr;
  Value* value = s.value ? whole(*s.value, hint) : constant(IValue(), at);
  if (declared_) {
    Value* fitting = convert_to(value, *declared_, at);
    if (!fitting) {
      wrong(s,
            fmt::format("return value was annotated as having type {} but is actually of type {}",
                        *declared_, value->type()));
    }
    value = fitting;
  }
  note_result(value->type().without_shapes(), s);
  scopes_.set("$return", {value, declared_, ""});
  return leave(0, true);
}

void Emitter::note_result(const Type& type, const Stmt& at) {
  if (declared_) return;
  Type both = result_ ? unify(*result_, type) : type;
  if (both.is(TypeKind::Any)) {
    wrong(at, fmt::format(
                  "previous return statement returned a value of type {} but this return statement "
                  "returns a value of type {}",
                  *result_, type));
  }
  result_ = both;
  if (assumed_ && !type.subtype_of(*assumed_) && problems_.empty()) throw ResultType{both};
}

// Sets the flags of loop levels `level` and deeper; `stop` ends these loops too.
Emitter::Flow Emitter::leave(int level, bool stop) {
  for (int d = level; d <= loops_; ++d) {
    scopes_.set(fmt::format("$skip{}", d), {flag(true), {}, ""});
    if (stop && d > 0) scopes_.set(fmt::format("$stop{}", d), {flag(true), {}, ""});
  }
  return Flow::Leaves;
}

// "Name: text", where the text may be computed.
Value* Emitter::message_of(const std::string& name, const Expr* text, const Expr& at) {
  if (!text) return constant(IValue::str(name), at);
  if (text->is(ExprKind::Str))
    return constant(IValue::str(name + (text->text.empty() ? "" : ": " + text->text)), at);
  return apply_format(*this, name + ": {}", {as_text(*this, emit(*text), *text, Shown::IfAny)}, at);
}

// The arguments of a call as a tuple, which is what Python shows of an exception with several.
static ExprPtr tuple_of_arguments(const Expr& call) {
  auto out = std::make_unique<Expr>();
  out->kind = ExprKind::Tuple;
  out->begin = call.begin;
  out->end = call.end;
  for (size_t i = 1; i < call.kids.size(); ++i) out->kids.push_back(copy_of(*call.kids[i]));
  return out;
}

Emitter::Flow Emitter::raise(const Stmt& s) {
  if (!s.value) wrong(s, "'raise' needs an exception: raise ValueError(\"...\")");
  const Expr* e = s.value.get();
  const Expr* text = nullptr;
  if (e->is(ExprKind::Call)) {
    if (e->kids.size() == 2) text = e->kids[1].get();
    if (e->kids.size() > 2) text = &keep(tuple_of_arguments(*e));
    e = e->kids[0].get();
  }
  if (!e->is(ExprKind::Name) && !e->is(ExprKind::Attribute))
    wrong(s, "supported: raise Name, raise Name(\"message\"), raise Name(f\"...\")");
  node(prim::raise(), {message_of(e->text, text, *e), constant(IValue(), *e)}, *s.value);
  return Flow::Throws;
}

// Code after an assertion that the types refute is never reached, and not compiled. After
// `assert False` it is: a function that is not written yet has the result of its return.
Emitter::Flow Emitter::assert_true(const Stmt& s) {
  std::optional<bool> known = static_condition(*s.value);
  auto raise_assertion = [&] {
    Value* text = message_of("AssertionError", s.message.get(), *s.value);
    node(prim::raise(), {text, constant(IValue(), *s.value)}, *s.value);
    return Flow::Throws;
  };
  bool literal = literal_value(*s.value).has_value();
  if (known && !*known && !literal) return raise_assertion();
  auto otherwise = [&] {
    refine(*s.value, false);
    return raise_assertion();
  };
  if (!known || !*known)
    branch(condition(*s.value), *s.value, [] { return Flow::Falls; }, otherwise);
  refine(*s.value, true);
  return Flow::Falls;
}

}  // namespace fusillade::front
