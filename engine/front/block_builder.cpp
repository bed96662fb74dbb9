// See block_builder.h.
#include "engine/front/block_builder.h"

#include <algorithm>

#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

// What they are between them, when both are of the type `wanted`.
std::optional<Type> within(const Type types[2], const Type& wanted) {
  if (!types[0].subtype_of(wanted) || !types[1].subtype_of(wanted)) return std::nullopt;
  return wanted.is(TypeKind::Union) ? Type::union_of({types[0], types[1]}) : wanted;
}

// What both are in common, or what they are between them when that was declared or came in; else
// nothing.
std::optional<Type> joined_type(const Type types[2], const Type* wanted) {
  if (types[0] == types[1]) return types[0];
  Type joined = unify(types[0], types[1]);
  if (!joined.is(TypeKind::Any)) return joined;
  return wanted ? within(types, *wanted) : std::nullopt;
}

}  // namespace

void BlockBuilder::make_unknown(const std::string& name) {
  Binding b;
  b.unknown = true;
  scopes_.set(name, std::move(b));
}

void BlockBuilder::narrow(const std::string& name, const Type& type, const Expr& at) {
  const Binding* b = scopes_.find(name);
  if (!b || !b->value || b->value->type().without_shapes() == type) return;
  Binding refined = *b;
  refined.value = known_as(b->value, type, at);
  refined.refines = b->refines ? b->refines : b->value;
  scopes_.set(name, refined);
}

BlockBuilder::Deeper::Deeper(BlockBuilder& of, Block* block, const Expr& at)
    : of_(of), outside_(of.move_to(block)) {
  if (++of.blocks_ > kMaxDepth)
    of.wrong(at, fmt::format("blocks nest more than {} deep", kMaxDepth));
}

BlockBuilder::Deeper::~Deeper() {
  of_.move_to(outside_);
  --of_.blocks_;
}

Flow BlockBuilder::branch(Value* condition, const Expr& at, const Emit& then,
                          const Emit& otherwise) {
  Node* n = bare_node(prim::if_(), {condition}, at);
  Frame frames[2];
  Flow flows[2];
  for (int i = 0; i < 2; ++i) {
    const Deeper deeper(*this, n->add_block(), at);
    scopes_.push();
    flows[i] = i == 0 ? then() : otherwise();
    frames[i] = scopes_.pop();
  }
  return merge(n, frames, flows);
}

Flow BlockBuilder::merge(Node* node, Frame frames[2], const Flow flows[2]) {
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

void BlockBuilder::merge_name(Node* node, const std::string& name, Binding sides[2],
                              const Flow flows[2]) {
  bool own = name[0] == '$';
  bool gone[2];
  for (int i = 0; i < 2; ++i) gone[i] = own || flows[i] == Flow::Leaves || flows[i] == Flow::Throws;
  if ((sides[0].unknown && !gone[0]) || (sides[1].unknown && !gone[1])) return make_unknown(name);
  if (!sides[0].value && !sides[1].value)
    return scopes_.set(name, sides[sides[0].problem.empty() ? 1 : 0]);
  auto fill = [&](int i) {
    Value* dummy = dummy_in(node->blocks()[i], sides[1 - i].value->type());
    sides[i] = Binding{dummy, sides[i].declared, ""};
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

Value* BlockBuilder::dummy_in(Block* block, const Type& type) {
  Block* outside = move_to(block);
  Value* dummy = dummy_value(type);
  move_to(outside);
  return dummy;
}

// A value of one side, for what follows when that side was taken.
Value* BlockBuilder::only_from(Node* node, int side, Value* value) {
  const Type type = value->type().without_shapes();
  Block* other = node->blocks()[1 - side];
  other->add_result(dummy_in(other, type));
  node->blocks()[side]->add_result(value);
  return node->add_output(type);
}

// The value of a name behind an If, of the type of both sides. What follows may see a narrower one:
// that of the side alone that comes there, or of the paths that did not leave the iteration of a
// loop.
void BlockBuilder::bind_merged(Node* node, const std::string& name, const Binding sides[2],
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

Value* BlockBuilder::choose(Value* condition, const Expr& at, const std::function<Value*()>& then,
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

void BlockBuilder::require(Value* condition, const std::string& message, const Expr& at) {
  branch(
      condition, at, [] { return Flow::Falls; },
      [&] { return raise(constant(IValue::str(message), at), at); });
}

Flow BlockBuilder::raise(Value* message, const Expr& at) {
  node(prim::raise(), {message, constant(IValue(), at)}, at);
  return Flow::Throws;
}

Value* BlockBuilder::is_option(Value* of, const std::string& options, const Expr& e) {
  Node* n = node(operator_named(op::kIsInstance), {of}, e);
  n->set_attr("name", IValue::str(options));
  return n->output();
}

Value* BlockBuilder::by_option(Value* of, size_t at, const Expr& e,
                               const std::function<Value*(Value*)>& use) {
  const std::vector<Type> options = of->type().elements();
  auto here = [&] { return use(known_as(of, options[at], e)); };
  if (at + 1 == options.size()) return here();
  return choose(is_option(of, options[at].text(), e), e, here,
                [&] { return by_option(of, at + 1, e, use); });
}

}  // namespace fusillade::front
