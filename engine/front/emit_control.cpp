// Branches and loops: frames per block, merged names as results, carried names as loop state.
#include <algorithm>

#include "engine/front/emit.h"

namespace fusillade::front {
namespace {

bool is_none_test(const Expr& e, const Expr** subject, bool* is) {
  if (!e.is(ExprKind::Compare) || e.words.size() != 1) return false;
  *is = e.words[0] == "is";
  if (!*is && e.words[0] != "is not") return false;
  bool right = e.kids[1]->is(ExprKind::None);
  if (!right && !e.kids[0]->is(ExprKind::None)) return false;
  *subject = e.kids[right ? 0 : 1].get();
  return true;
}

}  // namespace

// What the types alone decide: `x is None` for an x that is never, or always, None.
std::optional<bool> Emitter::static_condition(const Expr& e) {
  const Expr* subject = nullptr;
  bool is = false;
  if (is_none_test(e, &subject, &is)) {
    if (subject->is(ExprKind::None)) return is;
    std::optional<Type> type = static_type(*subject);
    if (!type || type->is(TypeKind::Optional)) return std::nullopt;
    return type->is(TypeKind::None) == is;
  }
  if (std::optional<bool> known = class_condition(e)) return known;
  if (e.is(ExprKind::Unary) && e.text == "not") {
    std::optional<bool> inner = static_condition(*e.kids[0]);
    if (inner) return !*inner;
  }
  if (e.is(ExprKind::Boolean)) {
    bool decisive = e.text == "or";
    std::optional<bool> a = static_condition(*e.kids[0]);
    if (a && *a == decisive) return a;
    std::optional<bool> b = static_condition(*e.kids[1]);
    if (a && b) return b;
  }
  return std::nullopt;
}

// Names known not to be None when `condition` is `truth` get their inner type.
void Emitter::refine(const Expr& condition, bool truth) {
  if (condition.is(ExprKind::Unary) && condition.text == "not")
    return refine(*condition.kids[0], !truth);
  if (condition.is(ExprKind::Boolean) && (condition.text == "and") == truth) {
    for (const ExprPtr& kid : condition.kids) refine(*kid, truth);
  }
  const Expr* subject = nullptr;
  bool is = false;
  if (!is_none_test(condition, &subject, &is) || is == truth || !subject->is(ExprKind::Name))
    return;
  const Binding* b = scopes_.find(subject->text);
  if (!b || !b->value || !b->value->type().is(TypeKind::Optional)) return;
  Binding refined = *b;
  Type inner = b->value->type().element();
  refined.value = node(row(op::kUncheckedCast), {b->value}, *subject)->output();
  refined.value->set_type(inner);
  refined.refines = b->value;
  scopes_.set(subject->text, refined);
}

Emitter::Flow Emitter::if_statement(const Stmt& s, const List& then, const List& otherwise) {
  if (std::optional<bool> known = static_condition(*s.value))
    return statements(*known ? then : otherwise);
  Value* condition = to_bool(emit(*s.value), *s.value);
  return branch(
      condition, *s.value,
      [&] {
        refine(*s.value, true);
        return statements(then);
      },
      [&] {
        refine(*s.value, false);
        return statements(otherwise);
      });
}

Emitter::Flow Emitter::branch(Value* condition, const Expr& at, const Emit& then,
                              const Emit& otherwise) {
  if (++blocks_ > kMaxDepth) wrong(at, fmt::format("blocks nest more than {} deep", kMaxDepth));
  Node* n = graph_->create(prim::if_(), {condition}, 0);
  place(n, at);
  Block* outside = block_;
  Frame frames[2];
  Flow flows[2];
  for (int i = 0; i < 2; ++i) {
    block_ = n->add_block();
    scopes_.push();
    flows[i] = i == 0 ? then() : otherwise();
    frames[i] = scopes_.pop();
  }
  block_ = outside;
  --blocks_;
  return merge(n, frames, flows);
}

Emitter::Flow Emitter::merge(Node* node, Frame frames[2], const Flow flows[2]) {
  std::set<std::string> names;
  for (int i = 0; i < 2; ++i) {
    for (auto& [name, binding] : frames[i]) names.insert(name);
  }
  for (const std::string& name : names) {
    Binding sides[2];
    for (int i = 0; i < 2; ++i) {
      auto it = frames[i].find(name);
      const Binding* outer = scopes_.find(name);
      if (it != frames[i].end()) {
        sides[i] = it->second;
      } else if (outer) {
        sides[i] = *outer;
      }
    }
    merge_name(node, name, sides, flows);
  }
  auto gone = [](Flow f) { return f == Flow::Leaves || f == Flow::Throws; };
  if (gone(flows[0]) && gone(flows[1])) {
    return flows[0] == Flow::Throws && flows[1] == Flow::Throws ? Flow::Throws : Flow::Leaves;
  }
  for (int i = 0; i < 2; ++i) {
    if (flows[i] == Flow::Leaves || flows[i] == Flow::Might) return Flow::Might;
  }
  return Flow::Falls;
}

void Emitter::merge_name(Node* node, const std::string& name, Binding sides[2],
                         const Flow flows[2]) {
  bool own = name[0] == '$';
  Block* outside = block_;
  bool gone[2];
  for (int i = 0; i < 2; ++i) gone[i] = own || flows[i] == Flow::Leaves || flows[i] == Flow::Throws;
  if (!sides[0].value && !sides[1].value) return scopes_.set(name, sides[0]);
  auto fill = [&](int i) {
    block_ = node->blocks()[i];
    bool is_flag = own && name != "$return";
    sides[i].value = is_flag ? flag(false) : unseen(sides[1 - i].value->type());
    block_ = outside;
  };
  const Binding* outer = scopes_.find(name);
  auto unchanged = [&](const Binding& b) {
    return outer && outer->value && (b.value == outer->value || b.refines == outer->value);
  };
  if (!own && gone[0] == gone[1] && unchanged(sides[0]) && unchanged(sides[1])) return;
  for (int i = 0; i < 2; ++i) {
    bool narrower = !own && gone[i] && !gone[1 - i] && sides[1 - i].refines;
    if (sides[i].value && !narrower) continue;
    if (!gone[i]) {
      std::string problem =
          fmt::format("{} is not defined in the {} branch", name, i == 0 ? "true" : "false");
      return scopes_.set(name, {nullptr, {}, problem});
    }
    fill(i);
  }
  if (sides[0].value == sides[1].value) return scopes_.set(name, sides[0]);
  Type types[2] = {sides[0].value->type().unshaped(), sides[1].value->type().unshaped()};
  Type joined = unify(types[0], types[1]);
  for (int i = 0; i < 2 && joined.is(TypeKind::Any); ++i) {
    if (!gone[i] || own) continue;
    fill(i);
    joined = types[1 - i];
  }
  if (joined.is(TypeKind::Any)) {
    return scopes_.set(name,
                       {nullptr,
                        {},
                        fmt::format("type mismatch: {} is set to type {} in the true branch and "
                                    "type {} in the false branch",
                                    name, types[0].text(), types[1].text())});
  }
  Value* out = node->add_output(joined.unshaped());
  if (!own) out->set_name(name);
  for (int i = 0; i < 2; ++i) node->blocks()[i]->add_result(sides[i].value);
  std::optional<Type> declared = sides[0].declared ? sides[0].declared : sides[1].declared;
  scopes_.set(name, {out, declared, ""});
}

Value* Emitter::choose(Value* condition, const Expr& at, const std::function<Value*()>& then,
                       const std::function<Value*()>& otherwise) {
  auto keep = [this](const std::function<Value*()>& make) {
    scopes_.set("$choice", {make(), {}, ""});
    return Flow::Falls;
  };
  branch(condition, at, [&] { return keep(then); }, [&] { return keep(otherwise); });
  const Binding* chosen = scopes_.find("$choice");
  if (!chosen->value) wrong(at, chosen->problem);
  return chosen->value;
}

std::vector<std::string> Emitter::carried_names(const Stmt& s) {
  std::vector<std::string> names;
  for (const std::string& n : s.names) {
    if (scopes_.value(n)) names.push_back(n);
  }
  if (!s.returns) return names;
  if (!declared_ && !assumed_) assumed_ = result_ ? *result_ : Type(TypeKind::Tensor);
  auto need = [&](const std::string& name, const std::function<Value*()>& initial) {
    if (!scopes_.value(name)) scopes_.set(name, {initial(), {}, ""});
    names.push_back(name);
  };
  const Type& type = declared_ ? *declared_ : *assumed_;
  need("$return", [&] { return unseen(type); });
  for (int d = 0; d <= loops_; ++d) {
    need(fmt::format("$skip{}", d), [&] { return flag(false); });
    if (d > 0) need(fmt::format("$stop{}", d), [&] { return flag(false); });
  }
  return names;
}

Emitter::Flow Emitter::loop(const Stmt& s, Value* trips, Value* condition,
                            const std::function<void(Value*)>& start,
                            const std::function<Value*()>& condition_after) {
  if (++blocks_ > kMaxDepth) wrong(s, fmt::format("blocks nest more than {} deep", kMaxDepth));
  Carried carried;
  std::vector<Value*> inputs{trips, condition};
  for (const std::string& name : carried_names(s)) {
    carried.emplace_back(name, *scopes_.find(name));
    inputs.push_back(carried.back().second.value);
  }
  Node* n = graph_->create(prim::loop(), inputs, 0);
  Expr at;
  at.begin = s.begin;
  at.end = s.end;
  place(n, at);
  Block* outside = block_;
  start(open_loop(n, carried));
  List body;
  for (const StmtPtr& b : s.body) body.push_back(b.get());
  Flow flow = statements(body);
  Value* stop = scopes_.value(fmt::format("$stop{}", loops_));
  Value* go_on = flow == Flow::Throws ? flag(false)
                 : stop               ? choose(
                              stop, at, [&] { return flag(false); }, condition_after)
                        : condition_after();
  block_->add_result(go_on);
  close_loop(n, s, carried, outside);
  --blocks_;
  return s.returns ? Flow::Might : Flow::Falls;
}

// The body's block, its parameters and their frame, and a frame for the body. Returns the turn's
// number.
Value* Emitter::open_loop(Node* n, const Carried& carried) {
  block_ = n->add_block();
  Value* turn = block_->add_param(TypeKind::Int);
  scopes_.push();
  for (auto& [name, before] : carried) {
    bool result = name == "$return";
    Value* p = block_->add_param(!result ? before.type() : declared_ ? *declared_ : *assumed_);
    if (name[0] != '$') p->set_name(name);
    scopes_.set(name, {p, before.declared, ""});
  }
  scopes_.push();
  ++loops_;
  return turn;
}

void Emitter::close_loop(Node* n, const Stmt& s, const Carried& carried, Block* outside) {
  for (auto& [name, before] : carried) {
    const Binding& after = *scopes_.find(name);
    if (!after.value) wrong(s, after.problem);
    block_->add_result(after.value);
  }
  --loops_;
  scopes_.pop();
  scopes_.pop();
  block_ = outside;
  const Block* body = n->blocks()[0];
  for (size_t i = 0; i < carried.size(); ++i) {
    auto& [name, before] = carried[i];
    const Type& type = body->params()[i + 1]->type();
    const Type& after = body->results()[i + 1]->type();
    if (!after.unshaped().subtype_of(type)) {
      wrong(s, fmt::format("variable '{}' previously had type {} but is now being assigned to a "
                           "value of type {}",
                           name, type.text(), after.text()));
    }
    Value* out = n->add_output(type);
    if (name[0] != '$') out->set_name(name);
    scopes_.set(name, {out, before.declared, ""});
  }
}

Emitter::Flow Emitter::while_loop(const Stmt& s) {
  Value* trips = constant(IValue(INT64_MAX), *s.value);
  auto condition = [&] { return to_bool(emit(*s.value), *s.value); };
  Value* first = condition();
  return loop(s, trips, first, [](Value*) {}, condition);
}

Emitter::Flow Emitter::for_loop(const Stmt& s) {
  const Expr& over = *s.value;
  bool called = over.is(ExprKind::Call) && over.kids[0]->is(ExprKind::Name);
  if (called && over.kids[0]->text == "range" && !scopes_.find("range")) return for_range(s);
  if (std::optional<std::vector<Value*>> items = container_items(over)) return unrolled(s, *items);
  for (const char* word : {"enumerate", "zip", "reversed"}) {
    if (called && over.kids[0]->text == word) {
      wrong(over, fmt::format(
                      "'{}' is not supported; loops run over range(...), lists, tuples and tensors",
                      word));
    }
  }
  Value* sequence = emit(over);
  const Type& type = sequence->type();
  if (type.is(TypeKind::Tuple)) return for_tuple(s, sequence);
  if (type.is(TypeKind::List) || type.is_tensor()) return for_list(s, sequence);
  wrong(over, fmt::format("a {} cannot be looped over; range(...), lists, tuples and tensors can",
                          type.text()));
}

Emitter::Flow Emitter::for_range(const Stmt& s) {
  const Expr& over = *s.value;
  std::vector<Argument> args = arguments(over);
  if (args.empty() || args.size() > 3) wrong(over, "range takes 1 to 3 arguments");
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i].keyword.empty()) wrong(over, "range takes no keyword arguments");
    Value* number = converted(args[i].value, TypeKind::Int, *over.kids[i + 1]);
    if (!number)
      wrong(*over.kids[i + 1],
            fmt::format("range takes ints, given {}", args[i].value->type().text()));
    args[i].value = number;
  }
  Value* trips = args[0].value;
  Value* first = nullptr;
  Value* step = nullptr;
  if (args.size() > 1) {
    first = args[0].value;
    step = args.size() == 3 ? args[2].value : constant(IValue(1), over);
    trips = apply(op::kRangeLength, {first, args[1].value, step}, over);
  }
  auto start = [&](Value* turn) {
    if (first) turn = apply(op::kDeriveIndex, {turn, first, step}, over);
    bind_target(*s.targets[0], turn, over);
  };
  return loop(s, trips, flag(true), start, [&] { return flag(true); });
}

Emitter::Flow Emitter::for_list(const Stmt& s, Value* list) {
  const Expr& over = *s.value;
  Value* trips = apply(op::kLen, {list}, over);
  auto start = [&](Value* turn) {
    Value* item = list->type().is_tensor()
                      ? apply(op::kSelect, {list, constant(IValue(0), over), turn}, over)
                      : apply(op::kGetItem, {list, turn}, over);
    bind_target(*s.targets[0], item, over);
  };
  return loop(s, trips, flag(true), start, [&] { return flag(true); });
}

// A tuple's items have types of their own: the body is repeated.
Emitter::Flow Emitter::for_tuple(const Stmt& s, Value* tuple) {
  return unrolled(s, items_of(tuple, *s.value));
}

}  // namespace fusillade::front
