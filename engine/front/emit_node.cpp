// Nodes: operators found by overload resolution, constants, conversions, and the last clean-up.
#include "engine/base/text.h"
#include "engine/front/emit.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

constexpr size_t kCandidates = 8;  // listed in a message
constexpr size_t kMaxNodes = 50000;

// Classes by the names that the user gave them.
std::string as_written(std::string_view message) {
  constexpr std::string_view kPackage = "__torch__.";
  std::string out(message);
  for (size_t at; (at = out.find(kPackage)) != std::string::npos;) out.erase(at, kPackage.size());
  return out;
}

bool is_number(const Value* v) {
  return v->type().is(TypeKind::Int) || v->type().is(TypeKind::Float) ||
         v->type().is(TypeKind::Number);
}

// Why none of the overloads takes these: what each of them wants, and what is nearly right.
std::string why_none_takes(const std::string& base, const std::vector<const Operator*>& candidates,
                           const std::vector<Argument>& args) {
  std::string given;
  for (const Argument& a : args) {
    given += (given.empty() ? "" : ", ") + (a.keyword.empty() ? "" : a.keyword + "=") +
             annotation_text(a.value->type());
  }
  if (candidates.empty()) {
    std::vector<std::string> known = op_names();
    for (std::string& k : known) k = method_op(k);
    return fmt::format("there is no op '{}' for ({}){}", base, given, near_misses(base, known));
  }
  std::string why = fmt::format("no overload of {} takes ({}):", base, given);
  for (size_t i = 0; i < candidates.size() && i < kCandidates; ++i) {
    std::string reason;
    fit(candidates[i]->schema, args, Round::Implicit, &reason);
    why += "\n  " + candidates[i]->schema.text() + ": " + reason;
  }
  const Value* first = args.empty() ? nullptr : args[0].value;
  bool empty =
      first && first->node()->is(prim::list_construct()) && first->node()->inputs().empty();
  if (empty && first->type().element().is_tensor())
    why += "\n  [] is a List[Tensor] until it is annotated, as in values: List[int] = []";
  for (const Argument& a : args) {
    bool is_optional =
        a.value->type().is(TypeKind::Optional) && !a.value->type().element().is_tensor();
    if (!is_optional) continue;
    why += a.value->node()->is(prim::get_attr())
               ? "\n  an attribute may change between a test and its use: put it into a variable "
                 "and test that against None"
               : "\n  test what may be None before";
    break;
  }
  return why;
}

}  // namespace

void Emitter::wrong(const Expr& at, std::string_view message) const {
  fail_at(function_.source, site(at).begin, site(at).end, as_written(message));
}

void Emitter::wrong(const Stmt& at, std::string_view message) const {
  const Expr* site = site_;
  fail_at(function_.source, site ? site->begin : at.begin, site ? site->end : at.end,
          as_written(message));
}

const Expr& Emitter::keep(ExprPtr expr) {
  kept_exprs_.push_back(std::move(expr));
  return *kept_exprs_.back();
}

bool Emitter::too_large() const { return weight_ > kMaxNodes; }

void Emitter::place(Node* node, const Expr& at) {
  block_->append(node);
  node->range = {function_.source, site(at).begin, site(at).end};
  if (++weight_ > kMaxNodes)
    wrong(at, fmt::format("the function needs more than {} nodes", kMaxNodes));
}

Node* Emitter::node(const Operator& op, const std::vector<Value*>& inputs, const Expr& at,
                    int results) {
  if (results < 0) results = static_cast<int>(op.schema.results.size());
  Node* n = graph_->create(op, inputs, results);
  block_->append(n);
  try {
    infer_types(n);
  } catch (const Error& e) {
    wrong(at, e.what());
  }
  for (Value* v : n->outputs()) v->set_type(v->type().without_shapes());
  n->range = {function_.source, site(at).begin, site(at).end};
  if (++weight_ > kMaxNodes)
    wrong(at, fmt::format("the function needs more than {} nodes", kMaxNodes));
  return n;
}

Value* Emitter::constant(IValue value, const Expr& at) {
  if (++weight_ > kMaxNodes)
    wrong(at, fmt::format("the function needs more than {} nodes", kMaxNodes));
  Value* v = graph_->constant(std::move(value), block_->return_node());
  v->node()->range = {function_.source, site(at).begin, site(at).end};
  return v;
}

// A true value of the type, so that a pass may fold it like any other; of classes and unions there
// is none.
Value* Emitter::dummy_value(const Type& type) {
  Expr at;
  at.begin = function_.begin;
  at.end = function_.end;
  Value* v = nullptr;
  switch (type.kind()) {
    case TypeKind::Int:
    case TypeKind::Number:
      return constant(IValue(0), at);
    case TypeKind::Float:
      return constant(IValue(0.0), at);
    case TypeKind::Bool:
      return constant(IValue(false), at);
    case TypeKind::Str:
      return constant(IValue::str(""), at);
    case TypeKind::List:
      return list_of({}, type.element(), at);
    case TypeKind::Dict:
      return dict_of({}, type, at);
    case TypeKind::Tuple: {
      std::vector<Value*> items;
      for (const Type& t : type.elements()) items.push_back(dummy_value(t));
      return type.class_type() ? named_tuple(items, type, at)
                               : node(prim::tuple_construct(), items, at)->output();
    }
    case TypeKind::Class:
    case TypeKind::Union:
    case TypeKind::Any: {
      Node* n = graph_->create(operator_named("prim::Uninitialized"), {}, 1);
      n->output()->set_type(type);
      place(n, at);
      return n->output();
    }
    case TypeKind::Tensor:
      v = constant(IValue(Tensor::zeros({0}, DType::F32)), at);
      break;
    case TypeKind::Enum:
      v = constant(IValue::enum_member(type.class_type(), 0), at);
      break;
    case TypeKind::Device:
      v = constant(Device(), at);
      break;
    default:
      v = constant(IValue(), at);
  }
  v->set_type(type.without_shapes());
  return v;
}

Value* Emitter::named_tuple(const std::vector<Value*>& items, const Type& type, const Expr& at) {
  Node* n = graph_->create(prim::named_tuple(), items, 1);
  n->output()->set_type(type);
  place(n, at);
  return n->output();
}

Value* Emitter::flag(bool value) {
  Expr at;
  at.begin = function_.begin;
  at.end = function_.end;
  return constant(IValue(value), at);
}

Value* Emitter::call_operator(const std::string& base, const std::vector<Argument>& args,
                              const Expr& at) {
  std::string why;
  if (Value* v = try_overloads(base, args, at, &why)) return v;
  wrong(at, why);
}

Value* Emitter::apply(const std::string& base, const std::vector<Value*>& values, const Expr& at) {
  std::vector<Argument> args;
  for (Value* v : values) args.push_back({v, ""});
  return call_operator(base, args, at);
}

Value* Emitter::try_overloads(const std::string& base, const std::vector<Argument>& args,
                              const Expr& at, std::string* why, bool bools) {
  const std::vector<const Operator*>& candidates = overloads(base);
  for (Round round : {Round::Exact, Round::Subtype}) {
    for (const Operator* r : candidates) {
      if (std::optional<Fit> f = fit(r->schema, args, round, nullptr)) return build(*r, *f, at);
    }
  }
  if (args.size() == 2 && is_number(args[0].value) && args[1].value->type().is_tensor()) {
    if (const Turned* t = turned_op(base)) {
      Argument tensor = args[1];
      if (t->first) tensor.value = call_operator(t->first, {tensor}, at);
      return call_operator(t->second, {tensor, args[0]}, at);
    }
  }
  for (Round round : {Round::Real, Round::Implicit}) {
    for (const Operator* r : candidates) {
      if (std::optional<Fit> f = fit(r->schema, args, round, nullptr)) return build(*r, *f, at);
    }
  }
  if (Value* v = with_ints(candidates, args, at)) return v;
  std::vector<Argument> floats = args;
  if (with_floats(candidates, floats, at))
    if (Value* v = try_overloads(base, floats, at, why, bools)) return v;
  for (const Operator* r : candidates) {
    const bool tensor = !r->schema.results.empty() && r->schema.results[0].type.is_tensor();
    std::optional<Fit> f;
    if (bools && tensor) f = fit(r->schema, args, Round::Boolean, nullptr);
    if (f) return build(*r, *f, at);
  }
  *why = why_none_takes(base, candidates, args);
  return nullptr;
}

// x.item() where ints alone are wanted, as among the sizes of torch.zeros(n, 3). Null: no operator
// takes them.
Value* Emitter::with_ints(const std::vector<const Operator*>& candidates,
                          std::vector<Argument> args, const Expr& at) {
  std::vector<Node*> conversions;
  for (Argument& a : args) {
    if (!a.value->type().is(TypeKind::Number)) continue;
    conversions.push_back(node(operator_named("prim::whole_number"), {a.value}, at));
    a.value = conversions.back()->output();
  }
  for (const Operator* r : candidates) {
    std::optional<Fit> f =
        conversions.empty() ? std::nullopt : fit(r->schema, args, Round::Subtype, nullptr);
    if (f) return build(*r, *f, at);
  }
  for (Node* n : conversions) n->destroy();
  return nullptr;
}

// Python takes an int where a float is wanted: in a place where one of these operators takes a
// float, and none an int.
bool Emitter::with_floats(const std::vector<const Operator*>& candidates,
                          std::vector<Argument>& args, const Expr& at) {
  bool changed = false;
  for (size_t i = 0; i < args.size(); ++i) {
    const Type* real = nullptr;
    bool whole = false;
    for (const Operator* r : candidates) {
      for (size_t k = 0; k < r->schema.args.size(); ++k) {
        const SchemaArg& formal = r->schema.args[k];
        if (args[i].keyword.empty() ? k != i : formal.name != args[i].keyword) continue;
        const Type& type = formal.type.is(TypeKind::Optional) ? formal.type.element() : formal.type;
        const Type& item = type.is(TypeKind::List) ? type.element() : type;
        if (item.is(TypeKind::Float)) real = &formal.type;
        whole = whole || item.is(TypeKind::Int) || item.is(TypeKind::Number);
      }
    }
    if (!real || whole) continue;
    Value* value = as_floats(args[i].value, *real, at);
    changed = changed || value != args[i].value;
    args[i].value = value;
  }
  return changed;
}

Value* Emitter::build(const Operator& op, const Fit& fit, const Expr& at) {
  Node* n = node(op, realise(op.schema, fit, at), at);
  for (Value* v : n->outputs()) v->set_type(substitute(v->type(), fit.vars));
  if (n->outputs().size() == 1) return n->output();
  if (n->outputs().empty()) return constant(IValue(), at);
  return node(prim::tuple_construct(), n->outputs(), at)->output();
}

std::vector<Value*> Emitter::realise(const Schema& schema, const Fit& fit, const Expr& at) {
  std::vector<Value*> out;
  for (size_t i = 0; i < fit.steps.size(); ++i) {
    SchemaArg formal = schema.args[i];
    formal.type = substitute(formal.type, fit.vars);
    out.push_back(realise(fit.steps[i], formal, at));
  }
  return out;
}

Value* Emitter::realise(const Step& step, const SchemaArg& formal, const Expr& at) {
  const Type& type = formal.type.is(TypeKind::Optional) ? formal.type.element() : formal.type;
  switch (step.how) {
    case Step::How::Pass:
      return step.values[0];
    case Step::How::Broadcast:
      return list_of(std::vector<Value*>(static_cast<size_t>(formal.fixed_size), step.values[0]),
                     type.element(), at);
    case Step::How::Gather:
      return list_of(step.values, type.element(), at);
    case Step::How::Unpack: {
      return list_of(items_of(step.values[0], at), type.element(), at);
    }
    case Step::How::Implicit: {
      const Operator* via = find_operator(step.via);
      if (!via)
        wrong(at, fmt::format("argument '{}' is {}, given {}", formal.name, type,
                              step.values[0]->type()));
      return node(*via, step.values, at)->output();
    }
    case Step::How::Default:
      break;
  }
  if (formal.default_value.tag() == IValue::Tag::List) {
    std::vector<Value*> items;
    for (const IValue& v : formal.default_value.items()) items.push_back(constant(v, at));
    return list_of(items, type.element(), at);
  }
  return constant(formal.default_value, at);
}

Value* Emitter::list_of(const std::vector<Value*>& items, const Type& element, const Expr& at) {
  Value* v = node(prim::list_construct(), items, at)->output();
  v->set_type(Type::list(element.without_shapes()));
  return v;
}

// The items of a tuple: the inputs of its construction, when it was built here.
std::vector<Value*> Emitter::items_of(Value* tuple, const Expr& at) {
  if (tuple->node()->is(prim::tuple_construct())) return tuple->node()->inputs();
  int count = static_cast<int>(tuple->type().elements().size());
  return node(prim::tuple_unpack(), {tuple}, at, count)->outputs();
}

Value* Emitter::to_bool(Value* value, const Expr& at) {
  const Type& type = value->type();
  if (type.is(TypeKind::Bool)) return value;
  if (type.is(TypeKind::None)) return flag(false);
  if (type.is(TypeKind::Tuple)) return flag(!type.elements().empty());
  if (type.is(TypeKind::List) || type.is(TypeKind::Dict))
    return apply(op::kBool, {apply(op::kLen, {value}, at)}, at);
  if (type.is(TypeKind::Optional)) {
    Value* present = apply(compare_op("is not"), {value, constant(IValue(), at)}, at);
    auto inside = [&] {
      Value* inner = node(operator_named(op::kUncheckedCast), {value}, at)->output();
      inner->set_type(value->type().element().without_shapes());
      return to_bool(inner, at);
    };
    return choose(present, at, inside, [&] { return flag(false); });
  }
  if (Value* v = class_builtin("bool", value, at)) return v;
  std::string why;
  if (Value* v = try_overloads(op::kBool, {{value, ""}}, at, &why)) return v;
  wrong(at, fmt::format("could not cast value of type {} to bool", value->type()));
}

Value* Emitter::convert_to(Value* value, const Type& type, const Expr& at) {
  SchemaArg formal;
  formal.type = type;
  TypeVars vars;
  std::optional<Step> step = convert(value, formal, Round::Implicit, vars);
  if (!step || (step->via && !find_operator(step->via))) return nullptr;
  return realise(*step, formal, at);
}

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

}  // namespace fusillade::front
