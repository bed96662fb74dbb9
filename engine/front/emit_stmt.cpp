// Statements in a row; see emit_stmt.h.
#include "engine/front/emit_stmt.h"

#include <algorithm>

#include "engine/front/class_emit.h"
#include "engine/front/dotted.h"
#include "engine/front/emit_autocast.h"
#include "engine/front/emit_call.h"
#include "engine/front/emit_condition.h"
#include "engine/front/emit_index.h"
#include "engine/front/emit_operator.h"
#include "engine/front/emit_raise.h"
#include "engine/front/emit_target.h"
#include "engine/ir/verify.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

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

// A context that changes nothing here: nothing is recorded.
bool is_void_context(const std::string& path) {
  static constexpr std::string_view kPaths[] = {"torch.autograd.profiler.record_function",
                                                "torch.profiler.record_function"};
  return std::ranges::find(kPaths, path) != std::end(kPaths);
}

// Of several kinds of values: a parameter of such a type may be given each of them, whatever it
// holds at the moment.
bool is_union_like(const Type& type) {
  return type.is(TypeKind::Optional) || type.is(TypeKind::Union);
}

}  // namespace

void sweep(Block* block) {
  for (Node* n = block->last(); n;) {
    Node* previous = n == block->first() ? nullptr : n->prev();
    if (n->is(prim::if_())) {
      for (int i = static_cast<int>(n->outputs().size()) - 1; i >= 0; --i) {
        if (!n->output(i)->is_unused()) continue;
        n->remove_output(i);
        for (Block* b : n->blocks()) b->remove_result(i);
      }
    }
    for (Block* b : n->blocks()) sweep(b);
    bool pure = n->is(prim::constant()) || n->is(prim::tuple_construct()) ||
                n->is(prim::list_construct()) || n->op().name == op::kUncheckedCast ||
                n->is(prim::dict_construct());
    bool empty = n->is(prim::if_()) && n->outputs().empty() && !n->blocks()[0]->first() &&
                 !n->blocks()[1]->first();
    if (empty || (pure && n->output()->is_unused())) n->destroy();
    n = previous;
  }
}

std::vector<const Stmt*> pointers(const StmtList& list) {
  std::vector<const Stmt*> out;
  for (const StmtPtr& s : list) out.push_back(s.get());
  return out;
}

StatementEmitter::StatementEmitter(Unit& unit, const Function& function, const Schema& schema,
                                   std::optional<Type> assumed, WideNames wide)
    : to_(unit, function, schema), assumed_(std::move(assumed)), wide_(std::move(wide)) {}

std::unique_ptr<Graph> StatementEmitter::run(Compiled& compiled) {
  const Function& f = to_.function();
  to_.graph().name = f.name;
  try {
    if (f.result) declared_ = to_.annotation_type(*f.result);
  } catch (const Error& e) {
    to_.start_with(problems_of(e));
  }
  for (const SchemaArg& a : to_.schema().args) {
    Value* v = to_.graph().add_input(a.type);
    v->set_name(a.name);
    if (a.type.is(TypeKind::Var)) to_.make_unknown(a.name);
    else
      to_.scopes().set(a.name,
                       {v, is_union_like(a.type) ? std::optional<Type>(a.type) : std::nullopt, ""});
  }
  Flow flow = all_statements(compiled.errors);
  if (flow == Flow::Falls || flow == Flow::Might) {
    Value* value = fall_through(flow);
    to_.graph().add_output(value);
  } else {
    Value* value = to_.scopes().value("$return");
    to_.graph().add_output(value ? value
                                 : to_.dummy_value(declared_    ? *declared_
                                                   : unreached_ ? *unreached_
                                                                : Type(TypeKind::None)));
  }
  compiled.result =
      declared_ ? declared_->without_shapes() : to_.graph().outputs()[0]->type().without_shapes();
  compiled.weight = to_.weight();
  compiled.height = to_.height();
  sweep(to_.graph().block());
  verify(to_.graph());
  return to_.take_graph();
}

// The result of a function whose end can be reached: None there.
Value* StatementEmitter::fall_through(Flow flow) {
  bool returns_none =
      !declared_ || declared_->is(TypeKind::None) || declared_->is(TypeKind::Optional);
  if (!returns_none) {
    to_.wrong(to_.whole_function(),
              fmt::format("'{}' returns {}, but its end can be reached without a return",
                          to_.function().name, *declared_));
  }
  Value* skip = to_.scopes().value("$skip0");
  const Expr at = to_.whole_function();
  if (flow == Flow::Might && skip) {
    note_result(TypeKind::None, at);
    to_.branch(
        skip, at, [] { return Flow::Leaves; },
        [&] {
          to_.scopes().set("$return", {to_.constant(IValue(), at), {}, ""});
          return Flow::Leaves;
        });
    return to_.scopes().value("$return");
  }
  return to_.constant(IValue(), at);
}

Flow StatementEmitter::statements(const List& list) {
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
Flow StatementEmitter::guard_rest(const List& rest) {
  Value* skip = to_.scopes().value(fmt::format("$skip{}", to_.loops()));
  if (!skip) return statements(rest);
  Flow flow = to_.branch(
      skip, range_of(*rest.front()), [] { return Flow::Leaves; }, [&] { return statements(rest); });
  return flow == Flow::Falls ? Flow::Might : flow;
}

Flow StatementEmitter::emit_statement(const Stmt& s) {
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
      return raise_statement(to_, s);
    case StmtKind::Assert:
      return assert_statement(to_, s);
    case StmtKind::Break:
    case StmtKind::Continue:
      if (to_.loops() == 0) to_.wrong(s, "'break' and 'continue' belong in a loop");
      return leave(to_.loops(), s.kind == StmtKind::Break);
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
void StatementEmitter::remove(const Stmt& s) {
  for (const ExprPtr& target : s.targets) {
    if (target->is(ExprKind::Name)) {
      to_.name(*target);
      to_.scopes().set(target->text, {nullptr, {}, fmt::format("{} was deleted", target->text)});
      continue;
    }
    if (!target->is(ExprKind::Subscript))
      to_.wrong(*target, "names and items of lists and dicts are deleted");
    to_.subscripts().remove(*target);
  }
}

void StatementEmitter::assign_pairs(const Expr& targets, const Expr& values) {
  std::vector<Value*> items;
  bool fine = true;
  for (size_t i = 0; i < values.kids.size(); ++i) {
    std::optional<Type> hint = wanted_type(to_.scopes(), *targets.kids[i], *values.kids[i]);
    items.push_back(to_.part(*values.kids[i], hint ? &*hint : nullptr, &fine));
  }
  if (!fine) throw Unknown();
  for (size_t i = 0; i < items.size(); ++i)
    to_.targets().bind(*targets.kids[i], items[i], *values.kids[i]);
}

void StatementEmitter::assign(const Stmt& s) {
  const bool bare_final = s.annotation && ends_in(*s.annotation, "Final");
  if (s.annotation && !bare_final) return assign_annotated(s);
  if (!s.annotation && s.targets.size() == 1 && pairwise(*s.targets[0], *s.value))
    return assign_pairs(*s.targets[0], *s.value);
  std::optional<Type> hint = wanted_type(to_.scopes(), *s.targets[0], *s.value);
  Value* value = whole(*s.value, hint ? &*hint : nullptr);
  for (const ExprPtr& t : s.targets) to_.targets().bind(*t, value, *s.value);
}

void StatementEmitter::assign_annotated(const Stmt& s) {
  const Expr& target = *s.targets[0];
  if (target.is(ExprKind::Name) && to_.classes().names_interface(*s.annotation)) {
    Value* value = to_.emit(*s.value);
    const Type& one =
        value->type().is(TypeKind::Union) ? value->type().elements()[0] : value->type();
    bool module = one.is(TypeKind::Class) && one.class_type()->kind == ClassType::Kind::Module;
    if (module) return to_.targets().bind_name(target.text, value, target);
  }
  Type type = to_.annotation_type(*s.annotation);
  if (target.is(ExprKind::Attribute)) return to_.classes().define_field(target, type, *s.value);
  if (!target.is(ExprKind::Name)) to_.wrong(target, "only a name or an attribute can be annotated");
  if (to_.scopes().find_outer(target.text) && to_.scopes().find_outer(target.text)->value) {
    to_.wrong(target, fmt::format("'{}' is defined in an outer block and cannot be annotated here",
                                  target.text));
  }
  Value* value = whole(*s.value, &type);
  Value* fitting = to_.convert_to(value, type, *s.value);
  if (!fitting) {
    to_.wrong(
        *s.value,
        fmt::format(
            "variable '{}' is annotated with type {} but is being assigned to a value of type {}",
            target.text, type, value->type()));
  }
  to_.targets().bind_name(target.text, fitting, target, type);
}

void StatementEmitter::augment(const Stmt& s) {
  const Expr& target = *s.targets[0];
  Expr at;
  at.begin = s.begin;
  at.end = s.value->end;
  if (target.is(ExprKind::Name)) {
    Value* left = to_.name(target);
    const Type hint = left->type();
    Value* right = to_.emit(*s.value, &hint);
    return to_.targets().bind_name(target.text,
                                   to_.operators().augment_value(s.sign, left, right, at), target);
  }
  if (target.is(ExprKind::Attribute)) {
    Value* left = to_.attribute(target);
    return to_.classes().set_field(
        target, to_.operators().augment_value(s.sign, left, to_.emit(*s.value), at));
  }
  if (!target.is(ExprKind::Subscript)) to_.wrong(target, "an augmented assignment has one target");
  to_.subscripts().augment(target, s.sign, *s.value, at);
}

Flow StatementEmitter::return_value(const Stmt& s) {
  const Expr at = range_of(s);
  const Type* hint = declared_ ? &*declared_ : nullptr;
  Value* value = s.value ? whole(*s.value, hint) : to_.constant(IValue(), at);
  if (declared_) {
    Value* fitting = to_.convert_to(value, *declared_, at);
    if (!fitting) {
      to_.wrong(
          s, fmt::format("return value was annotated as having type {} but is actually of type {}",
                         *declared_, value->type()));
    }
    value = fitting;
  }
  note_result(value->type().without_shapes(), at);
  to_.scopes().set("$return", {value, declared_, ""});
  return leave(0, true);
}

void StatementEmitter::note_result(const Type& type, const Expr& at) {
  if (declared_) return;
  Type both = result_ ? unify(*result_, type) : type;
  if (both.is(TypeKind::Any)) {
    to_.wrong(at,
              fmt::format(
                  "previous return statement returned a value of type {} but this return statement "
                  "returns a value of type {}",
                  *result_, type));
  }
  result_ = both;
  if (assumed_ && !type.subtype_of(*assumed_) && to_.problems().empty()) throw ResultType{both};
}

// Sets the flags of loop levels `level` and deeper; `stop` ends these loops too.
Flow StatementEmitter::leave(int level, bool stop) {
  for (int d = level; d <= to_.loops(); ++d) {
    to_.scopes().set(fmt::format("$skip{}", d), {to_.flag(true), {}, ""});
    if (stop && d > 0) to_.scopes().set(fmt::format("$stop{}", d), {to_.flag(true), {}, ""});
  }
  return Flow::Leaves;
}

Flow StatementEmitter::if_statement(const Stmt& s, const List& then, const List& otherwise) {
  std::optional<bool> known;
  Value* test = nullptr;
  bool fine = to_.attempt(&s, [&] {
    known = to_.conditions().static_condition(*s.value);
    if (!known) test = to_.conditions().condition(*s.value);
  });
  if (fine && known) return statements(*known ? then : otherwise);
  auto side = [&](bool truth) {
    if (fine) to_.conditions().refine(*s.value, truth);
    return statements(truth ? then : otherwise);
  };
  return to_.branch(
      fine ? test : to_.flag(true), *s.value, [&] { return side(true); },
      [&] { return side(false); });
}

// __exit__ runs on every way out of the block but a raise: early exits are flags, so it comes after
// the body.
Flow StatementEmitter::with_statement(const Stmt& s) {
  const List body = pointers(s.body);
  const Expr& context = *s.value;
  std::string path = context.is(ExprKind::Call) ? to_.module_path(*context.kids[0]) : "";
  if (is_void_context(path)) {
    if (!s.targets.empty()) to_.wrong(context, fmt::format("'{}' gives no value", path));
    return statements(body);
  }
  std::optional<AutocastContext> cast;
  to_.attempt(&s, [&] {
    cast = autocast_context(to_, path, context);
    if (cast && !s.targets.empty()) to_.wrong(context, fmt::format("'{}' gives no value", path));
  });
  if (cast) {
    Node* before = to_.block()->return_node()->prev();
    const Flow flow = statements(body);
    autocast_behind(to_.block(), before, *cast, to_.program().not_cast);
    return flow;
  }
  return with_manager(s, path);
}

Flow StatementEmitter::with_manager(const Stmt& s, const std::string& path) {
  const Expr& context = *s.value;
  Value* manager = nullptr;
  std::string name;
  const Compiled* leaving = nullptr;
  bool fine = to_.attempt(&s, [&] {
    ClassPlace mode = path.empty() ? ClassPlace() : to_.program().grad_mode(path);
    manager = mode ? to_.classes().make_object(mode, context) : to_.emit(context);
    if (!is_object(manager))
      to_.wrong(context, fmt::format("a {} has no __enter__ and __exit__", manager->type()));
    name = manager->type().class_type()->name;
    ClassInfo& info = to_.program().info(*manager->type().class_type());
    const Compiled& enter = to_.program().method(info, "__enter__", to_.source(), context);
    leaving = &to_.program().method(info, "__exit__", to_.source(), context);
    Value* entered =
        to_.calls().compiled_call(enter, name + ".__enter__", {{manager, ""}}, context);
    if (!s.targets.empty()) to_.targets().bind(*s.targets[0], entered, context);
  });
  for (const ExprPtr& t : s.targets)
    if (!fine) forget(*t);
  Flow flow = statements(pointers(s.body));
  if (!fine || flow == Flow::Throws) return flow;
  const Compiled& exit = *leaving;
  std::vector<Argument> args{{manager, ""}};
  for (size_t i = 1; i < exit.schema.args.size() && i < 4; ++i) {
    Value* none = exit.schema.args[i].type.is_tensor() ? to_.dummy_value(TypeKind::Tensor)
                                                       : to_.constant(IValue(), context);
    args.push_back({none, ""});
  }
  to_.calls().compiled_call(exit, name + ".__exit__", std::move(args), context);
  return flow;
}

// The body of a method that is not compiled.
Flow StatementEmitter::raise_unused() {
  if (!declared_) declared_ = TypeKind::Tensor;
  std::string text = fmt::format(
      "RuntimeError: '{}' is ignored by the compiler and cannot be called", to_.function().name);
  const Expr at = to_.whole_function();
  return to_.raise(to_.constant(IValue::str(text), at), at);
}

}  // namespace fusillade::front
