// Loops as statements; see emit_stmt.h.
#include <algorithm>

#include "engine/front/emit_condition.h"
#include "engine/front/emit_stmt.h"
#include "engine/front/emit_target.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

bool surely(const Value* flag) { return is_constant(flag) && flag->node()->constant().as_bool(); }

}  // namespace

Flow StatementEmitter::while_loop(const Stmt& s) {
  Value* trips = to_.constant(IValue(INT64_MAX), *s.value);
  Value* first = nullptr;
  bool fine = to_.attempt(&s, [&] { first = to_.conditions().condition(*s.value); });
  auto start = [&](Value*) {
    if (fine) to_.conditions().refine(*s.value, true);
  };
  return loop(s, trips, fine ? first : to_.flag(true), start,
              [&] { return fine ? to_.conditions().condition(*s.value) : to_.flag(true); });
}

Flow StatementEmitter::for_loop(const Stmt& s) {
  Iterable over;
  bool fine = to_.attempt(&s, [&] { over = to_.iterable(*s.value); });
  if (!fine) over = {};
  if (over.unrolled) return for_items(s, over.items);
  if (!fine) over.length = to_.constant(IValue(1), *s.value);
  to_.watch(over);
  auto start = [&](Value* iteration) {
    if (fine) bind_item(s, [&] { return over.item(iteration); });
    else forget(*s.targets[0]);
  };
  auto after = [&] {
    to_.check_sizes(over, *s.value);
    return to_.flag(true);
  };
  Flow flow = loop(s, over.length, to_.flag(true), start, after);
  to_.unwatch(over);
  return flow;
}

// The target gets the value, or is unknown where that fails.
void StatementEmitter::bind_item(const Stmt& s, const std::function<Value*()>& value) {
  if (!to_.attempt(&s, [&] { to_.targets().bind(*s.targets[0], value(), *s.value); }))
    forget(*s.targets[0]);
}

// Items with types of their own: the body is repeated.
Flow StatementEmitter::for_items(const Stmt& s, const std::vector<Value*>& items) {
  if (s.returns || leaves_iteration(s.body, true)) return for_items_left(s, items);
  const List body = pointers(s.body);
  for (Value* item : items) {
    bind_item(s, [&] { return item; });
    if (statements(body) == Flow::Throws) return Flow::Throws;
  }
  return Flow::Falls;
}

// With exits each iteration is a scope of its own, behind a test of "$stop<d>" once an iteration
// may have left the loop. Names that the loop defines are forgotten behind it, since not every way
// through it gives them a value.
Flow StatementEmitter::for_items_left(const Stmt& s, const std::vector<Value*>& items) {
  std::string skip = fmt::format("$skip{}", to_.enter_loop());
  std::string stop = fmt::format("$stop{}", to_.loops());
  const List body = pointers(s.body);
  auto iteration = [&](Value* item) {
    to_.scopes().push();
    bind_item(s, [&] { return item; });
    Flow flow = statements(body);
    keep_known(to_.scopes().pop(), {skip});
    return flow == Flow::Throws ? flow : Flow::Falls;
  };
  const Expr at = range_of(s);
  bool throws = false;
  to_.scopes().push();
  for (Value* item : items) {
    Value* stopped = to_.scopes().value(stop);
    if (throws || (stopped && surely(stopped))) break;
    throws =
        (stopped ? to_.branch(
                       stopped, at, [] { return Flow::Falls; }, [&] { return iteration(item); })
                 : iteration(item)) == Flow::Throws;
  }
  keep_known(to_.scopes().pop(), {skip, stop});
  to_.leave_loop();
  if (throws) return Flow::Throws;
  Value* left = s.returns ? to_.scopes().value(fmt::format("$skip{}", to_.loops())) : nullptr;
  if (!left) return Flow::Falls;
  return surely(left) ? Flow::Leaves : Flow::Might;
}

// Binds in this scope what an inner one bound: names known here and the flags, without `dropped`.
void StatementEmitter::keep_known(const Frame& inner, const std::set<std::string>& dropped) {
  for (const auto& [name, binding] : inner) {
    if (dropped.count(name)) continue;
    if (name[0] == '$' || to_.scopes().value(name) || binding.unknown) {
      to_.scopes().set(name, binding);
      continue;
    }
    to_.scopes().set(
        name, {nullptr,
               {},
               fmt::format("{} is defined in a loop that may be left before: give it a value "
                           "in front of the loop",
                           name)});
  }
}

std::vector<std::string> StatementEmitter::carried_names(const Stmt& s) {
  std::vector<std::string> names;
  for (const std::string& n : s.names) {
    if (to_.scopes().value(n)) names.push_back(n);
    else if (to_.scopes().value("$" + n)) names.push_back("$" + n);
  }
  if (!s.returns) return names;
  if (!declared_ && !assumed_) assumed_ = result_ ? *result_ : Type(TypeKind::Tensor);
  auto need = [&](const std::string& name, const std::function<Value*()>& initial) {
    if (!to_.scopes().value(name)) to_.scopes().set(name, {initial(), {}, ""});
    names.push_back(name);
  };
  const Type& type = declared_ ? *declared_ : *assumed_;
  need("$return", [&] { return to_.dummy_value(type); });
  for (int d = 0; d <= to_.loops(); ++d) {
    need(fmt::format("$skip{}", d), [&] { return to_.flag(false); });
    if (d > 0) need(fmt::format("$stop{}", d), [&] { return to_.flag(false); });
  }
  return names;
}

// The names that a loop carries, as they are in front of it.
StatementEmitter::Carried StatementEmitter::carried_by(const Stmt& s) {
  Carried carried;
  for (const std::string& name : carried_names(s)) {
    carried.emplace_back(name, *to_.scopes().find(name));
    Binding& b = carried.back().second;
    // What earlier tests narrowed stays narrowed, until an iteration assigns something else.
    if (!b.declared && b.refines) b.declared = b.refines->type().without_shapes();
    auto wide = wide_.find({&s, name});
    const Type enters =
        b.value->type().without_shapes();  // an outer loop may have grown wider since
    if (wide != wide_.end())
      b.carried =
          enters.subtype_of(wide->second) ? wide->second : Type::union_of({wide->second, enters});
    else if (b.declared && !(enters == *b.declared)) b.carried = enters;
  }
  return carried;
}

Flow StatementEmitter::loop(const Stmt& s, Value* trips, Value* condition,
                            const std::function<void(Value*)>& start,
                            const std::function<Value*()>& condition_after) {
  const Carried carried = carried_by(s);
  std::vector<Value*> inputs{trips, condition};
  for (const auto& [name, before] : carried) inputs.push_back(before.value);
  const Expr at = range_of(s);
  Node* n = to_.bare_node(prim::loop(), inputs, at);
  Block* body = n->add_block();
  std::set<std::string> unknown;
  {
    const BlockBuilder::Deeper deeper(to_, body, at);
    Value* iteration = body->add_param(TypeKind::Int);
    begin_iteration(body, carried);
    start(iteration);
    Flow flow = statements(pointers(s.body));
    to_.scopes().widen(2);  // an iteration that was left early comes here too
    Value* stop = to_.scopes().value(fmt::format("$stop{}", to_.loops()));
    auto ends = [&] { return to_.flag(false); };
    body->add_result(flow == Flow::Throws ? ends()
                     : stop               ? to_.choose(stop, at, ends, condition_after)
                                          : condition_after());
    unknown = end_iteration(body, s, carried);
  }
  bind_results(n, s, carried, unknown);
  return s.exit == Exit::Will ? Flow::Leaves : s.returns ? Flow::Might : Flow::Falls;
}

// Parameters of the body with their frame, and a frame for the body.
void StatementEmitter::begin_iteration(Block* body, const Carried& carried) {
  to_.scopes().push();
  for (auto& [name, before] : carried) {
    bool result = name == "$return";
    const Type kept = before.carried ? *before.carried : before.type();
    Value* p = body->add_param(!result ? kept : declared_ ? *declared_ : *assumed_);
    if (name[0] != '$') p->set_name(name);
    to_.scopes().set(name, {p, before.declared, ""});
  }
  to_.scopes().push();
  to_.enter_loop();
}

std::set<std::string> StatementEmitter::end_iteration(Block* body, const Stmt& s,
                                                      const Carried& carried) {
  std::set<std::string> unknown;
  for (auto& [name, before] : carried) {
    const Binding& after = *to_.scopes().find(name);
    bool vague = after.unknown || (!after.value && name[0] == '$' && !to_.problems().empty());
    if (!after.value && !vague) to_.wrong(s, after.problem);
    if (vague) unknown.insert(name);
    body->add_result(vague           ? to_.dummy_value(before.type())
                     : after.refines ? after.refines
                                     : after.value);
  }
  to_.leave_loop();
  for (int frame = 0; frame < 2; ++frame)
    for (const auto& [name, binding] : to_.scopes().pop())
      if (binding.unknown) unknown.insert(name);
  return unknown;
}

void StatementEmitter::bind_results(Node* n, const Stmt& s, const Carried& carried,
                                    const std::set<std::string>& unknown) {
  for (const std::string& name : unknown) to_.make_unknown(name);
  const Block* body = n->blocks()[0];
  for (size_t i = 0; i < carried.size(); ++i) {
    auto& [name, before] = carried[i];
    const Type& type = body->params()[i + 1]->type();
    const Type& after = body->results()[i + 1]->type();
    if (!after.without_shapes().subtype_of(type) && to_.problems().empty()) {
      if (before.carried)
        throw WiderLoop{{&s, name}, Type::union_of({type, after.without_shapes()})};
      if (name[0] == '$')
        to_.wrong(s, "the returns in this loop have several types: annotate the function's result");
      to_.wrong(s, reassignment_error(name, type, after));
    }
    Value* out = n->add_output(type);
    if (name[0] != '$') out->set_name(name);
    const Binding* outer = to_.scopes().find(name);
    to_.scopes().set(name, {out, outer ? outer->declared : std::nullopt, ""});
    if (unknown.count(name)) to_.make_unknown(name);
  }
}

}  // namespace fusillade::front
