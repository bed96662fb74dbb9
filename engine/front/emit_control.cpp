// Branches and loops: frames per block, merged names as results, carried names as loop state.
#include <algorithm>

#include "engine/front/emit.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {

Emitter::Flow Emitter::if_statement(const Stmt& s, const List& then, const List& otherwise) {
  std::optional<bool> known;
  Value* test = nullptr;
  bool fine = attempt(&s, [&] {
    known = static_condition(*s.value);
    if (!known) test = condition(*s.value);
  });
  if (fine && known) return statements(*known ? then : otherwise);
  auto side = [&](bool truth) {
    if (fine) refine(*s.value, truth);
    return statements(truth ? then : otherwise);
  };
  return branch(
      fine ? test : flag(true), *s.value, [&] { return side(true); }, [&] { return side(false); });
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
  auto exits = [](Flow f) { return f == Flow::Leaves || f == Flow::Throws; };
  if (exits(flows[0]) && exits(flows[1])) {
    return flows[0] == Flow::Throws && flows[1] == Flow::Throws ? Flow::Throws : Flow::Leaves;
  }
  for (int i = 0; i < 2; ++i) {
    if (flows[i] == Flow::Leaves || flows[i] == Flow::Might) return Flow::Might;
  }
  return Flow::Falls;
}

// What they are between them, when both are of the type `wanted`.
static std::optional<Type> within(const Type types[2], const Type& wanted) {
  if (!types[0].subtype_of(wanted) || !types[1].subtype_of(wanted)) return std::nullopt;
  return wanted.is(TypeKind::Union) ? Type::union_of({types[0], types[1]}) : wanted;
}

// What both are in common, or what they are between them when that was declared or came in; else
// nothing.
static std::optional<Type> joined_type(const Type types[2], const Type* wanted) {
  if (types[0] == types[1]) return types[0];
  Type joined = unify(types[0], types[1]);
  if (!joined.is(TypeKind::Any)) return joined;
  return wanted ? within(types, *wanted) : std::nullopt;
}

void Emitter::merge_name(Node* node, const std::string& name, Binding sides[2],
                         const Flow flows[2]) {
  bool own = name[0] == '$';
  Block* outside = block_;
  bool gone[2];
  for (int i = 0; i < 2; ++i) gone[i] = own || flows[i] == Flow::Leaves || flows[i] == Flow::Throws;
  if ((sides[0].unknown && !gone[0]) || (sides[1].unknown && !gone[1])) return make_unknown(name);
  if (!sides[0].value && !sides[1].value)
    return scopes_.set(name, sides[sides[0].problem.empty() ? 1 : 0]);
  auto fill = [&](int i) {
    block_ = node->blocks()[i];
    sides[i] = Binding{dummy_value(sides[1 - i].value->type()), sides[i].declared, ""};
    block_ = outside;
  };
  const Binding* outer = scopes_.find(name);
  auto is_unchanged = [&](const Binding& b) {
    if (!outer || !outer->value) return false;
    bool same = outer->refines && b.refines == outer->refines;
    return same || b.value == outer->value || b.refines == outer->value;
  };
  if (!own && is_unchanged(sides[0]) && is_unchanged(sides[1])) {
    const int stays = gone[0] ? 1 : 0;
    const bool narrower =
        !(sides[stays].value->type().without_shapes() == outer->value->type().without_shapes());
    if (gone[0] != gone[1] && narrower) {
      Binding refined = *outer;
      refined.refines = outer->refines ? outer->refines : outer->value;
      refined.value = only_from(node, stays, sides[stays].value);
      refined.left = loops_ > 0;
      scopes_.set(name, refined);
    }
    return;
  }
  // What a loop carries on is the value of the side that left as well; what follows here sees the
  // narrower type.
  std::optional<Type> narrowed;
  bool both = sides[0].value && sides[1].value;
  bool differ =
      both && !(sides[0].value->type().without_shapes() == sides[1].value->type().without_shapes());
  for (int i = 0; i < 2; ++i) {
    bool narrower = !own && gone[i] && !gone[1 - i] && (sides[1 - i].refines || differ);
    if (narrower && sides[i].value && (loops_ > 0 || differ)) narrowed = sides[1 - i].value->type();
    if (sides[i].value && (!narrower || narrowed)) continue;
    if (!gone[i]) {
      std::string problem = fmt::format("{} is not defined in the {} branch (of {})", name,
                                        i == 0 ? "true" : "false", node->range.where());
      return scopes_.set(name, {nullptr, {}, problem});
    }
    fill(i);
  }
  if (sides[0].value == sides[1].value && sides[0].left == sides[1].left)
    return scopes_.set(name, sides[0]);
  Type types[2] = {sides[0].whole()->type().without_shapes(),
                   sides[1].whole()->type().without_shapes()};
  std::optional<Type> wanted = sides[0].declared ? sides[0].declared : sides[1].declared;
  if (!wanted && outer && outer->value)
    wanted = (outer->refines ? outer->refines : outer->value)->type().without_shapes();
  std::optional<Type> joined = joined_type(types, name == "$choice" && choice_hint_ ? choice_hint_
                                                  : wanted                          ? &*wanted
                                                                                    : nullptr);
  if (std::optional<Type> both = narrowed && wanted ? within(types, *wanted) : std::nullopt)
    joined = both;
  for (int i = 0; i < 2 && !joined; ++i) {
    if (!gone[i] || own) continue;
    fill(i);
    joined = types[1 - i];
  }
  if (!joined) {
    std::string problem = fmt::format(
        "type mismatch: {} is set to type {} in the true branch and "
        "type {} in the false branch",
        name, types[0], types[1]);
    if (name == "$return")
      problem =
          fmt::format("the returns have types {} and {}: annotate the result", types[0], types[1]);
    else if (own) problem = fmt::format("the two values have types {} and {}", types[0], types[1]);
    return scopes_.set(name, {nullptr, {}, problem});
  }
  bind_merged(node, name, sides, *joined, !narrowed ? -1 : gone[0] ? 1 : 0);
}

// A value of one side, for what follows when that side was taken.
Value* Emitter::only_from(Node* node, int side, Value* value) {
  const Type type = value->type().without_shapes();
  Block* outside = block_;
  block_ = node->blocks()[1 - side];
  Value* other = dummy_value(type);
  block_ = outside;
  node->blocks()[1 - side]->add_result(other);
  node->blocks()[side]->add_result(value);
  return node->add_output(type);
}

// The value of a name behind an If, of the type of both sides. What follows may see a narrower one:
// that of the side alone that comes there, or of the paths that did not leave the iteration of a
// loop.
void Emitter::bind_merged(Node* node, const std::string& name, const Binding sides[2],
                          const Type& type, int narrower) {
  Value* out = node->add_output(type.without_shapes());
  if (name[0] != '$') out->set_name(name);
  for (int i = 0; i < 2; ++i) node->blocks()[i]->add_result(sides[i].whole());
  Binding merged{out, sides[0].declared ? sides[0].declared : sides[1].declared, ""};
  if (narrower >= 0) {
    merged.value = only_from(node, narrower, sides[narrower].value);
  } else if (sides[0].left || sides[1].left) {
    const Type types[2] = {sides[0].value->type().without_shapes(),
                           sides[1].value->type().without_shapes()};
    std::optional<Type> seen = joined_type(types, merged.declared ? &*merged.declared : nullptr);
    if (seen && !(*seen == type.without_shapes())) {
      merged.value = node->add_output(*seen);
      for (int i = 0; i < 2; ++i) node->blocks()[i]->add_result(sides[i].value);
    }
  }
  if (merged.value != out) {
    merged.refines = out;
    merged.left = loops_ > 0;
  }
  scopes_.set(name, merged);
}

Value* Emitter::choose(Value* condition, const Expr& at, const std::function<Value*()>& then,
                       const std::function<Value*()>& otherwise, const Type* hint) {
  const Type* outer_hint = choice_hint_;
  choice_hint_ = hint;
  auto keep = [this](const std::function<Value*()>& make) {
    scopes_.set("$choice", {make(), {}, ""});
    return Flow::Falls;
  };
  branch(condition, at, [&] { return keep(then); }, [&] { return keep(otherwise); });
  choice_hint_ = outer_hint;
  const Binding* chosen = scopes_.find("$choice");
  if (!chosen->value) wrong(at, chosen->problem);
  return chosen->value;
}

std::vector<std::string> Emitter::carried_names(const Stmt& s) {
  std::vector<std::string> names;
  for (const std::string& n : s.names) {
    if (scopes_.value(n)) names.push_back(n);
    else if (scopes_.value("$" + n)) names.push_back("$" + n);
  }
  if (!s.returns) return names;
  if (!declared_ && !assumed_) assumed_ = result_ ? *result_ : Type(TypeKind::Tensor);
  auto need = [&](const std::string& name, const std::function<Value*()>& initial) {
    if (!scopes_.value(name)) scopes_.set(name, {initial(), {}, ""});
    names.push_back(name);
  };
  const Type& type = declared_ ? *declared_ : *assumed_;
  need("$return", [&] { return dummy_value(type); });
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
    inputs.push_back(carried.back().second.value);
  }
  Node* n = graph_->create(prim::loop(), inputs, 0);
  Expr at;
  at.begin = s.begin;
  at.end = s.end;
  place(n, at);
  Block* outside = block_;
  start(unknown_loop(n, carried));
  List body;
  for (const StmtPtr& b : s.body) body.push_back(b.get());
  Flow flow = statements(body);
  scopes_.widen(2);  // an iteration that was left early comes here too
  Value* stop = scopes_.value(fmt::format("$stop{}", loops_));
  Value* go_on = flow == Flow::Throws ? flag(false)
                 : stop               ? choose(
                              stop, at, [&] { return flag(false); }, condition_after)
                        : condition_after();
  block_->add_result(go_on);
  close_loop(n, s, carried, outside);
  --blocks_;
  return s.exit == Exit::Will ? Flow::Leaves : s.returns ? Flow::Might : Flow::Falls;
}

// The body's block, its parameters and their frame, and a frame for the body. Returns the
// iteration's number.
Value* Emitter::unknown_loop(Node* n, const Carried& carried) {
  block_ = n->add_block();
  Value* iteration = block_->add_param(TypeKind::Int);
  scopes_.push();
  for (auto& [name, before] : carried) {
    bool result = name == "$return";
    const Type kept = before.carried ? *before.carried : before.type();
    Value* p = block_->add_param(!result ? kept : declared_ ? *declared_ : *assumed_);
    if (name[0] != '$') p->set_name(name);
    scopes_.set(name, {p, before.declared, ""});
  }
  scopes_.push();
  ++loops_;
  return iteration;
}

void Emitter::close_loop(Node* n, const Stmt& s, const Carried& carried, Block* outside) {
  std::set<std::string> unknown;
  for (auto& [name, before] : carried) {
    const Binding& after = *scopes_.find(name);
    bool vague = after.unknown || (!after.value && name[0] == '$' && !problems_.empty());
    if (!after.value && !vague) wrong(s, after.problem);
    if (vague) unknown.insert(name);
    block_->add_result(vague           ? dummy_value(before.type())
                       : after.refines ? after.refines
                                       : after.value);
  }
  --loops_;
  for (int frame = 0; frame < 2; ++frame)
    for (const auto& [name, binding] : scopes_.pop())
      if (binding.unknown) unknown.insert(name);
  for (const std::string& name : unknown) make_unknown(name);
  block_ = outside;
  const Block* body = n->blocks()[0];
  for (size_t i = 0; i < carried.size(); ++i) {
    auto& [name, before] = carried[i];
    const Type& type = body->params()[i + 1]->type();
    const Type& after = body->results()[i + 1]->type();
    if (!after.without_shapes().subtype_of(type) && problems_.empty()) {
      if (before.carried)
        throw WiderLoop{{&s, name}, Type::union_of({type, after.without_shapes()})};
      if (name[0] == '$')
        wrong(s, "the returns in this loop have several types: annotate the function's result");
      wrong(s, reassignment_error(name, type, after));
    }
    Value* out = n->add_output(type);
    if (name[0] != '$') out->set_name(name);
    const Binding* outer = scopes_.find(name);
    scopes_.set(name, {out, outer ? outer->declared : std::nullopt, ""});
    if (unknown.count(name)) make_unknown(name);
  }
}

Emitter::Flow Emitter::while_loop(const Stmt& s) {
  Value* trips = constant(IValue(INT64_MAX), *s.value);
  Value* first = nullptr;
  bool fine = attempt(&s, [&] { first = condition(*s.value); });
  auto start = [&](Value*) {
    if (fine) refine(*s.value, true);
  };
  return loop(s, trips, fine ? first : flag(true), start,
              [&] { return fine ? condition(*s.value) : flag(true); });
}

}  // namespace fusillade::front
