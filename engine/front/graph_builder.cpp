// See graph_builder.h.
#include "engine/front/graph_builder.h"

#include "engine/base/text.h"
#include "engine/ops/annotation_text.h"
#include "engine/ops/class_type.h"

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

GraphBuilder::GraphBuilder(const Function& function)
    : function_(function), graph_(std::make_unique<Graph>()), block_(graph_->block()) {}

void GraphBuilder::wrong(const Expr& at, std::string_view message) const {
  fail_at(function_.source, site(at).begin, site(at).end, as_written(message));
}

void GraphBuilder::wrong(const Stmt& at, std::string_view message) const {
  wrong(range_of(at), message);
}

bool GraphBuilder::too_large() const { return weight_ > kMaxNodes; }

void GraphBuilder::count_call(size_t weight, int height) {
  weight_ += weight;
  height_ = std::max(height_, height + 1);
}

// Its place in the text, and one more node.
void GraphBuilder::mark(Node* node, const Expr& at) {
  node->range = {source(), site(at).begin, site(at).end};
  if (++weight_ > kMaxNodes)
    wrong(at, fmt::format("the function needs more than {} nodes", kMaxNodes));
}

Node* GraphBuilder::node(const Operator& op, const std::vector<Value*>& inputs, const Expr& at,
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
  mark(n, at);
  return n;
}

Node* GraphBuilder::node(const Operator& op, const std::vector<Value*>& inputs, const Type& result,
                         const Expr& at) {
  Node* n = graph_->create(op, inputs, 1);
  n->output()->set_type(result);
  block_->append(n);
  mark(n, at);
  return n;
}

Node* GraphBuilder::bare_node(const Operator& op, const std::vector<Value*>& inputs,
                              const Expr& at) {
  Node* n = graph_->create(op, inputs, 0);
  block_->append(n);
  mark(n, at);
  return n;
}

Value* GraphBuilder::constant(IValue value, const Expr& at) {
  Value* v = graph_->constant(std::move(value), block_->return_node());
  mark(v->node(), at);
  return v;
}

Value* GraphBuilder::object_constant(const IValue& value, const Expr& at) {
  if (!value.is_sequence()) return constant(value, at);
  std::vector<Value*> items;
  for (const IValue& item : value.items()) items.push_back(object_constant(item, at));
  if (value.tag() == IValue::Tag::List) return list_of(items, value.seq()->element, at);
  const Type type = value.type();
  return type.class_type() ? named_tuple(items, type, at) : tuple_of(items, at);
}

Value* GraphBuilder::flag(bool value) { return constant(IValue(value), whole_function()); }

// A true value of the type, so that a pass may fold it like any other; of classes and unions there
// is none.
Value* GraphBuilder::dummy_value(const Type& type) {
  const Expr at = whole_function();
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
      return type.class_type() ? named_tuple(items, type, at) : tuple_of(items, at);
    }
    case TypeKind::Class:
    case TypeKind::Union:
    case TypeKind::Any:
      return node(operator_named("prim::Uninitialized"), {}, type, at)->output();
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

Value* GraphBuilder::call_operator(const std::string& base, const std::vector<Argument>& args,
                                   const Expr& at) {
  std::string why;
  if (Value* v = try_overloads(base, args, at, &why)) return v;
  wrong(at, why);
}

Value* GraphBuilder::apply(const std::string& base, const std::vector<Value*>& values,
                           const Expr& at) {
  std::vector<Argument> args;
  for (Value* v : values) args.push_back({v, ""});
  return call_operator(base, args, at);
}

Value* GraphBuilder::try_overloads(const std::string& base, const std::vector<Argument>& args,
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
Value* GraphBuilder::with_ints(const std::vector<const Operator*>& candidates,
                               std::vector<Argument> args, const Expr& at) {
  std::vector<Node*> conversions;
  for (Argument& a : args) {
    if (!a.value->type().is(TypeKind::Number)) continue;
    a.value = exactly("prim::whole_number", {a.value}, at);
    conversions.push_back(a.value->node());
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
bool GraphBuilder::with_floats(const std::vector<const Operator*>& candidates,
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

Value* GraphBuilder::build(const Operator& op, const Fit& fit, const Expr& at) {
  Node* n = node(op, realise(op.schema, fit, at), at);
  for (Value* v : n->outputs()) v->set_type(substitute(v->type(), fit.vars));
  if (n->outputs().size() == 1) return n->output();
  if (n->outputs().empty()) return constant(IValue(), at);
  return tuple_of(n->outputs(), at);
}

// An operator; where none takes these values and some are bools among numbers, these count as 0
// and 1.
Value* GraphBuilder::numeric(const std::string& base, const std::vector<Value*>& values,
                             const Expr& at) {
  std::vector<Argument> args;
  std::vector<Value*> numbers;
  bool all_numbers = true, bools = false, tensors = false;
  for (Value* v : values) {
    args.push_back({v, ""});
    TypeKind kind = v->type().kind();
    bools = bools || kind == TypeKind::Bool;
    tensors = tensors || v->type().is_tensor();
    all_numbers =
        all_numbers && (kind == TypeKind::Bool || kind == TypeKind::Int || kind == TypeKind::Float);
  }
  std::string why;
  if (Value* v = try_overloads(base, args, at, &why, false)) return v;
  bool bool_and_tensor = tensors && bools && values.size() == 2;
  if (!bool_and_tensor && (!bools || !all_numbers)) wrong(at, why);
  for (Value* v : values) numbers.push_back(bool_and_tensor ? bool_tensor(v, at) : as_int(v, at));
  return apply(base, numbers, at);
}

Value* GraphBuilder::exactly(const std::string& name, const std::vector<Value*>& values,
                             const Expr& at) {
  return node(operator_named(name), values, at)->output();
}

Value* GraphBuilder::negation(Value* value, const Expr& at) { return apply(op::kNot, {value}, at); }

std::vector<Value*> GraphBuilder::fit_arguments(const Schema& schema,
                                                const std::vector<Argument>& args, const Expr& at,
                                                bool bools) {
  std::string why;
  std::optional<Fit> found = fit(schema, args, Round::Implicit, &why);
  if (!found && bools) found = fit(schema, args, Round::Boolean, nullptr);
  if (!found) wrong(at, fmt::format("the call does not fit {}: {}", schema.text(), why));
  return realise(schema, *found, at);
}

std::vector<Value*> GraphBuilder::realise(const Schema& schema, const Fit& fit, const Expr& at) {
  std::vector<Value*> out;
  for (size_t i = 0; i < fit.steps.size(); ++i) {
    SchemaArg formal = schema.args[i];
    formal.type = substitute(formal.type, fit.vars);
    out.push_back(realise(fit.steps[i], formal, at));
  }
  return out;
}

Value* GraphBuilder::realise(const Step& step, const SchemaArg& formal, const Expr& at) {
  const Type& type = formal.type.is(TypeKind::Optional) ? formal.type.element() : formal.type;
  switch (step.how) {
    case Step::How::Pass:
      return step.values[0];
    case Step::How::Broadcast:
      return list_of(std::vector<Value*>(static_cast<size_t>(formal.fixed_size), step.values[0]),
                     type.element(), at);
    case Step::How::Gather:
      return list_of(step.values, type.element(), at);
    case Step::How::Unpack:
      return list_of(items_of(step.values[0], at), type.element(), at);
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

Value* GraphBuilder::list_of(const std::vector<Value*>& items, const Type& element,
                             const Expr& at) {
  Value* v = node(prim::list_construct(), items, at)->output();
  v->set_type(Type::list(element.without_shapes()));
  return v;
}

Value* GraphBuilder::named_tuple(const std::vector<Value*>& items, const Type& type,
                                 const Expr& at) {
  return node(prim::named_tuple(), items, type, at)->output();
}

Value* GraphBuilder::tuple_of(const std::vector<Value*>& items, const Expr& at) {
  return node(prim::tuple_construct(), items, at)->output();
}

// `items`: key, value, key, value, ...
Value* GraphBuilder::dict_of(const std::vector<Value*>& items, const std::optional<Type>& type,
                             const Expr& at) {
  std::optional<Type> kinds[2];
  if (type) {
    kinds[0] = type->key();
    kinds[1] = type->value_type();
  }
  for (size_t i = 0; i < items.size(); ++i) {
    std::optional<Type>& common = kinds[i % 2];
    Type given = items[i]->type().without_shapes();
    if (common && given.subtype_of(*common)) continue;
    Type joined = common ? unify(*common, given) : given;
    if (joined.is(TypeKind::Any) || type)
      wrong(at, fmt::format("a dict has one type of {}: {} and {}", i % 2 ? "values" : "keys",
                            *common, given));
    common = joined;
  }
  Value* out = node(prim::dict_construct(), items, at, 1)->output();
  out->set_type(dict_type(kinds[0] ? *kinds[0] : Type(TypeKind::Str),
                          kinds[1] ? *kinds[1] : Type(TypeKind::Tensor), at));
  return out;
}

Type GraphBuilder::dict_type(const Type& key, const Type& mapped, const Expr& at) {
  bool legal = key.is(TypeKind::Str) || key.is(TypeKind::Int) || key.is(TypeKind::Float) ||
               key.is(TypeKind::Bool) || key.is_tensor();
  if (!legal)
    wrong(at, fmt::format("keys of a dict are str, int, float, bool or Tensor, given {}", key));
  return Type::dict(key, mapped);
}

// The items of a tuple: the inputs of its construction, when it was built here.
std::vector<Value*> GraphBuilder::items_of(Value* tuple, const Expr& at) {
  if (tuple->node()->is(prim::tuple_construct())) return tuple->node()->inputs();
  int count = static_cast<int>(tuple->type().elements().size());
  return node(prim::tuple_unpack(), {tuple}, at, count)->outputs();
}

Value* GraphBuilder::convert_to(Value* value, const Type& type, const Expr& at) {
  SchemaArg formal;
  formal.type = type;
  TypeVars vars;
  std::optional<Step> step = convert(value, formal, Round::Implicit, vars);
  if (!step || (step->via && !find_operator(step->via))) return nullptr;
  return realise(*step, formal, at);
}

Value* GraphBuilder::known_as(Value* value, const Type& type, const Expr& at) {
  Value* out = exactly(op::kUncheckedCast, {value}, at);
  out->set_type(type);
  return out;
}

Value* GraphBuilder::as_int(Value* value, const Expr& at) {
  return value->type().is(TypeKind::Bool) ? apply(op::kInt, {value}, at) : value;
}

// An int, and the ints of a list as it is written, where floats are wanted; anything else as it is.
Value* GraphBuilder::as_floats(Value* value, const Type& wanted, const Expr& at) {
  const Type& type = wanted.is(TypeKind::Optional) ? wanted.element() : wanted;
  bool list = type.is(TypeKind::List) && type.element().is(TypeKind::Float);
  if (!list && !type.is(TypeKind::Float)) return value;
  if (value->type().is(TypeKind::Int)) {
    if (!is_constant(value)) return apply(op::kFloat, {value}, at);
    return constant(IValue(static_cast<double>(value->node()->constant().as_int())), at);
  }
  bool literal = (value->node()->is(prim::list_construct()) && value->name().empty()) ||
                 value->node()->is(prim::tuple_construct());
  if (!list || !literal) return value;
  std::vector<Value*> items = value->node()->inputs();
  bool whole = false;
  for (Value*& item : items) {
    whole = whole || item->type().is(TypeKind::Int);
    item = as_floats(item, type.element(), at);
    if (!item->type().is(TypeKind::Float)) return value;
  }
  return whole ? list_of(items, TypeKind::Float, at) : value;
}

// With a tensor a bool is a tensor of no dimensions, which promotes as it does.
Value* GraphBuilder::bool_tensor(Value* value, const Expr& at) {
  return value->type().is(TypeKind::Bool) ? apply(op::kTensor, {value}, at) : value;
}

}  // namespace fusillade::front
