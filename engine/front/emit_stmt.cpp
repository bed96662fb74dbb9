// Statements in a row: assignment, return, raise, assert; what follows an early exit.
#include "engine/front/emit.h"

namespace fusillade::front {
namespace {

std::vector<const Stmt*> pointers(const StmtList& list) {
  std::vector<const Stmt*> out;
  for (const StmtPtr& s : list) out.push_back(s.get());
  return out;
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
    if (flow == Flow::Leaves || flow == Flow::Throws) return flow;
    if (flow == Flow::Might) last = Flow::Might;
    if (flow == Flow::Might && !last_one) return guarded(rest());
  }
  return last;
}

// What follows a statement that may have left: only when the level's flag is not set.
Emitter::Flow Emitter::guarded(const List& rest) {
  Value* skip = scopes_.value(fmt::format("$skip{}", loops_));
  if (!skip) return statements(rest);
  Expr at;
  at.begin = rest.front()->begin;
  at.end = rest.front()->end;
  Flow flow = branch(skip, at, [] { return Flow::Leaves; }, [&] { return statements(rest); });
  return flow == Flow::Falls ? Flow::Might : flow;
}

Emitter::Flow Emitter::statement(const Stmt& s) {
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
      assert_true(s);
      return Flow::Falls;
    case StmtKind::Break:
    case StmtKind::Continue:
      if (loops_ == 0) wrong(s, "'break' and 'continue' belong in a loop");
      return leave(loops_, s.kind == StmtKind::Break);
    case StmtKind::Expression:
      if (!s.value->is(ExprKind::Str)) emit(*s.value);
      return Flow::Falls;
    case StmtKind::Pass:
      break;
  }
  return Flow::Falls;
}

void Emitter::assign(const Stmt& s) {
  if (!s.annotation) {
    Value* value = emit(*s.value);
    for (const ExprPtr& t : s.targets) bind_target(*t, value, *s.value);
    return;
  }
  const Expr& target = *s.targets[0];
  Type type = annotated_type(unit_, *s.annotation);
  if (target.is(ExprKind::Attribute)) return define_field(target, type, *s.value);
  if (!target.is(ExprKind::Name)) wrong(target, "only a name or an attribute can be annotated");
  if (scopes_.find_outer(target.text) && scopes_.find_outer(target.text)->value) {
    wrong(target, fmt::format("'{}' is defined in an outer block and cannot be annotated here",
                              target.text));
  }
  Value* value = emit(*s.value, &type);
  Value* fitting = converted(value, type, *s.value);
  if (!fitting) {
    wrong(*s.value,
          fmt::format(
              "variable '{}' is annotated with type {} but is being assigned to a value of type {}",
              target.text, type.text(), value->type().text()));
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
  bool must_keep = (outer && outer->value) || declared;
  if (must_keep) {
    Type type = declared ? *declared : outer->type();
    Value* fitting = converted(value, type, at);
    if (!fitting) {
      wrong(at, fmt::format("variable '{}' previously had type {} but is now being assigned to a "
                            "value of type {}",
                            name, type.text(), value->type().text()));
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
    wrong(from, fmt::format("a {} cannot be unpacked; tuples and lists can", type.text()));
  }
  for (size_t i = 0; i < count; ++i) bind_target(*target.kids[i], items[i], from);
}

void Emitter::store_subscript(const Expr& target, Value* value) {
  Value* of = emit(*target.kids[0]);
  if (target.kids.size() == 2 && of->type().is(TypeKind::Class)) {
    if (magic("__setitem__", {of, emit(*target.kids[1]), value}, target)) return;
  }
  if (of->type().is_tensor()) {
    Value* place = tensor_index(of, target);
    if (!value->type().is_tensor()) {
      Value* dtype = apply(tensor_attribute("dtype"), {place}, target);
      Value* scalar = list_of({}, TypeKind::Int, target);
      value = rows(op::kFull, {{scalar, ""}, {value, ""}, {dtype, "dtype"}}, target);
    }
    apply(op::kCopy, {place, value}, target);
  } else if (of->type().is(TypeKind::List) && target.kids.size() == 2) {
    Value* index = emit(*target.kids[1]);
    apply(op::kSetItem, {of, index, value}, target);
  } else {
    wrong(target, fmt::format("an item of a {} cannot be assigned; items of tensors and lists can",
                              of->type().text()));
  }
}

Value* Emitter::augmented(const std::string& op, Value* left, Value* right, const Expr& at) {
  if (Value* v = magic_binary(op, left, right, at)) return v;
  bool list = left->type().is(TypeKind::List) && op == "+";
  const char* base = augmented_op(op, left->type().is_tensor() || list);
  if (base) return apply(base, {left, right}, at);
  wrong(at, fmt::format("'{}=' is not supported; += -= *= /= %= **= &= |= ^= <<= >>= are", op));
}

void Emitter::augment(const Stmt& s) {
  const Expr& target = *s.targets[0];
  Expr at;
  at.begin = s.begin;
  at.end = s.value->end;
  if (target.is(ExprKind::Name)) {
    Value* left = name(target);
    Value* right = emit(*s.value);
    return bind_name(target.text, augmented(s.text, left, right, at), target);
  }
  if (target.is(ExprKind::Attribute)) {
    Value* left = attribute(target);
    return set_field(target, augmented(s.text, left, emit(*s.value), at));
  }
  if (!target.is(ExprKind::Subscript)) wrong(target, "an augmented assignment has one target");
  Value* of = emit(*target.kids[0]);
  if (of->type().is_tensor()) {
    Value* place = tensor_index(of, target);
    augmented(s.text, place, emit(*s.value), at);
    return;
  }
  if (target.kids.size() != 2) wrong(target, "an item of a list has one index");
  Value* index = emit(*target.kids[1]);
  Value* item = apply(op::kGetItem, {of, index}, target);
  Value* value = augmented(s.text, item, emit(*s.value), at);
  apply(op::kSetItem, {of, index, value}, target);
}

Emitter::Flow Emitter::return_value(const Stmt& s) {
  Expr at;
  at.begin = s.begin;
  at.end = s.end;
  const Type* hint = declared_ ? &*declared_ : nullptr;
  Value* value = s.value ? emit(*s.value, hint) : constant(IValue(), at);
  if (declared_) {
    Value* fitting = converted(value, *declared_, at);
    if (!fitting) {
      wrong(s,
            fmt::format("return value was annotated as having type {} but is actually of type {}",
                        declared_->text(), value->type().text()));
    }
    value = fitting;
  }
  note_result(value->type().unshaped(), s);
  scopes_.set("$return", {value, {}, ""});
  return leave(0, true);
}

void Emitter::note_result(const Type& type, const Stmt& at) {
  if (declared_) return;
  Type both = result_ ? unify(*result_, type) : type;
  if (both.is(TypeKind::Any)) {
    wrong(at, fmt::format(
                  "previous return statement returned a value of type {} but this return statement "
                  "returns a value of type {}",
                  result_->text(), type.text()));
  }
  result_ = both;
  if (assumed_ && !type.subtype_of(*assumed_)) throw ResultType{both};
}

// Sets the flags of loop levels `level` and deeper; `stop` ends these loops too.
Emitter::Flow Emitter::leave(int level, bool stop) {
  for (int d = level; d <= loops_; ++d) {
    scopes_.set(fmt::format("$skip{}", d), {flag(true), {}, ""});
    if (stop && d > 0) scopes_.set(fmt::format("$stop{}", d), {flag(true), {}, ""});
  }
  return Flow::Leaves;
}

Emitter::Flow Emitter::raise(const Stmt& s) {
  if (!s.value) wrong(s, "'raise' needs an exception: raise ValueError(\"...\")");
  const Expr* e = s.value.get();
  std::string message;
  if (e->is(ExprKind::Call) && e->kids.size() == 2 && e->kids[1]->is(ExprKind::Str)) {
    message = e->kids[1]->text;
    e = e->kids[0].get();
  } else if (e->is(ExprKind::Call) && e->kids.size() == 1) {
    e = e->kids[0].get();
  }
  if (!e->is(ExprKind::Name)) wrong(s, "supported: raise Name, raise Name(\"message\")");
  std::vector<Value*> inputs{
      constant(IValue::str(e->text + (message.empty() ? "" : ": " + message)), *e),
      constant(IValue(), *e)};
  node(prim::raise(), inputs, *s.value);
  return Flow::Throws;
}

void Emitter::assert_true(const Stmt& s) {
  if (s.message && !s.message->is(ExprKind::Str))
    wrong(*s.message, "the message of an assert is a string");
  std::string text = "AssertionError: " + (s.message ? s.message->text : std::string());
  std::optional<bool> known = static_condition(*s.value);
  if (!known || !*known) {
    Value* condition = to_bool(emit(*s.value), *s.value);
    branch(
        condition, *s.value, [] { return Flow::Falls; },
        [&] {
          node(prim::raise(), {constant(IValue::str(text), *s.value), constant(IValue(), *s.value)},
               *s.value);
          return Flow::Throws;
        });
  }
  refine(*s.value, true);
}

}  // namespace fusillade::front
