// Expressions: literals, names, containers; see emit.h.
#include "engine/base/text.h"
#include "engine/front/class_emit.h"
#include "engine/front/emit_call.h"
#include "engine/front/emit_condition.h"
#include "engine/front/emit_index.h"
#include "engine/front/emit_operator.h"
#include "engine/front/emit_target.h"
#include "engine/front/emit_text.h"
#include "engine/front/form.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

// An empty list or dict, whose type the other operand decides.
bool is_empty(const Expr& e) {
  return (e.is(ExprKind::List) || e.is(ExprKind::Dict)) && e.kids.empty();
}

// torch.max(x, 0).indices: a result by the name that the schema gives it.
Value* named_result(Value* of, const std::string& name) {
  const Node* tuple = of->node();
  if (!tuple->is(prim::tuple_construct()) || tuple->inputs().empty()) return nullptr;
  const Node* n = tuple->input(0)->node();
  const std::vector<SchemaArg>& results = n->op().schema.results;
  for (size_t i = 0; i < results.size() && i < n->outputs().size() && i < tuple->inputs().size();
       ++i) {
    Value* output = tuple->input(static_cast<int>(i));
    if (!results[i].name.empty() && results[i].name == name && output == n->outputs()[i])
      return output;
  }
  return nullptr;
}

}  // namespace

const Type* container_within(const Type* type, TypeKind kind) {
  if (!type || type->is(kind)) return type;
  if (type->is(TypeKind::Optional)) return container_within(&type->element(), kind);
  const Type* found = nullptr;
  if (!type->is(TypeKind::Union)) return found;
  for (const Type& option : type->elements()) {
    if (!option.is(kind)) continue;
    if (found) return nullptr;
    found = &option;
  }
  return found;
}

std::optional<IValue> literal_value(const Expr& e) {
  switch (e.kind) {
    case ExprKind::Int:
      return IValue(e.integer);
    case ExprKind::Float:
      return IValue(e.real);
    case ExprKind::True:
    case ExprKind::False:
      return IValue(e.is(ExprKind::True));
    case ExprKind::None:
      return IValue();
    case ExprKind::Str:
      return IValue::str(e.text);
    case ExprKind::Unary: {
      std::optional<IValue> inner = e.sign == Sign::Sub ? literal_value(*e.kids[0]) : std::nullopt;
      bool least = inner && inner->is_int() && inner->as_int() == INT64_MIN;
      if (least && e.kids[0]->is(ExprKind::Int)) return inner;  // as the lexer has it
      if (inner && inner->is_int() && !least) return IValue(-inner->as_int());
      if (inner && inner->is_float()) return IValue(-inner->as_double());
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

Emitter::Emitter(Unit& unit, const Function& function, const Schema& schema)
    : BlockBuilder(function),
      unit_(&unit),
      schema_(schema),
      operators_(std::make_unique<Operators>(*this)),
      conditions_(std::make_unique<Conditions>(*this)),
      calls_(std::make_unique<CallEmitter>(*this)),
      classes_(std::make_unique<ClassEmitter>(*this)),
      subscripts_(std::make_unique<Subscripts>(*this)),
      targets_(std::make_unique<Targets>(*this)) {
  scopes_.push();
}

Emitter::~Emitter() = default;

std::unique_ptr<Graph> Emitter::run_expression(
    const Expr& e, const std::vector<std::pair<std::string, Type>>& values) {
  for (const auto& [name, type] : values)
    scopes_.set(name, {graph().add_input(type.without_shapes()), {}, ""});
  Value* result = nullptr;
  try {
    attempt(&e, [&] { result = emit(e); });
  } catch (const GivenUp&) {
  }
  if (!result) throw Failed(problems());
  graph().add_output(result);
  return take_graph();
}

const Expr& Emitter::keep(ExprPtr expr) {
  kept_exprs_.push_back(std::move(expr));
  return *kept_exprs_.back();
}

// The dotted path of a name that denotes a module or something in it; empty for values.
std::string Emitter::module_path(const Expr& e) const {
  if (e.is(ExprKind::Attribute)) {
    std::string base = module_path(*e.kids[0]);
    return base.empty() ? base : base + "." + e.text;
  }
  return e.is(ExprKind::Name) && !scopes_.find(e.text) ? unit_->path(e) : "";
}

Type Emitter::annotation_type(const Expr& annotation) const {
  return annotated_type(*unit_, annotation, source());
}

// Null: it is no call, of no form, or of a function that the program has under this name.
const Form* Emitter::form_of_call(const Expr& e) const {
  if (!e.is(ExprKind::Call)) return nullptr;
  const Expr& callee = *e.kids[0];
  const std::string path = module_path(callee);
  if (!path.empty()) return find_form(path);
  const bool own =
      !callee.is(ExprKind::Name) || scopes_.find(callee.text) || unit_->has_function(callee.text);
  return own ? nullptr : find_form(callee.text);
}

Value* Emitter::part(const Expr& e, const Type* hint, bool* fine) {
  if (site_) return emit(e, hint);  // an error is one of the call
  Value* value = nullptr;
  if (!attempt(&e, [&] { value = emit(e, hint); })) *fine = false;
  return value;
}

Value* Emitter::emit(const Expr& e, const Type* hint) {
  if (std::optional<IValue> literal = literal_value(e)) {
    Value* v = constant(*literal, e);
    if (literal->is_none() && hint && hint->is(TypeKind::Optional))
      v->set_type(hint->without_shapes());
    return v;
  }
  switch (e.kind) {
    case ExprKind::Name:
      return name(e);
    case ExprKind::Attribute:
      return attribute(e);
    case ExprKind::Call:
      return calls().call(e, hint);
    case ExprKind::Subscript:
      return subscripts().subscript(e);
    case ExprKind::List:
      return list(e, hint);
    case ExprKind::Tuple:
      return tuple(e, hint);
    case ExprKind::Unary:
      return unary(e);
    case ExprKind::Binary:
      return binary(e);
    case ExprKind::Boolean:
      return boolean(e);
    case ExprKind::Compare:
      return compare(e);
    case ExprKind::Ternary:
      return ternary(e, hint);
    case ExprKind::Dict:
      return dict(e, hint);
    case ExprKind::ListComp:
    case ExprKind::DictComp:
      return comprehension(e, hint);
    case ExprKind::Format:
      return f_string(*this, e);
    case ExprKind::Walrus:
      return walrus(e, hint);
    case ExprKind::Starred:
      wrong(e, "'*' stands in front of a target or of an argument");
    default:
      wrong(e, "this expression stands only inside a subscript");
  }
}

Value* Emitter::name(const Expr& e) {
  if (const Binding* b = scopes_.find(e.text)) {
    if (b->value) return b->value;
    if (b->unknown) throw Unknown();
    wrong(e, b->problem);
  }
  auto constant_of_file = unit_->module().constants.find(e.text);
  if (constant_of_file != unit_->module().constants.end()) {
    try {
      return object_constant(constant_value(*unit_, *constant_of_file->second), e);
    } catch (const Error&) {
      wrong(e, fmt::format("'{}' is no constant at the top of the file: pass it as an argument",
                           e.text));
    }
  }
  std::string path = module_path(e);
  if (!path.empty()) {
    if (std::optional<IValue> value = module_constant(path)) return constant(*value, e);
    wrong(e, fmt::format("'{}' is a module or a function, not a value", e.text));
  }
  if (unit_->has_function(e.text))
    wrong(e, fmt::format("the function '{}' is not a value; call it", e.text));
  if (classes().names_class(e))
    wrong(e, fmt::format("the class '{}' is not a value: call it, or name a member of it", e.text));
  wrong(e, fmt::format("undefined value {}{}", e.text, near_misses(e.text, scopes_.names())));
}

Value* Emitter::attribute(const Expr& e) {
  std::string path = module_path(e);
  if (!path.empty()) {
    if (std::optional<IValue> value = module_constant(path)) return constant(*value, e);
    wrong(e, fmt::format(
                 "'{}' is not a value; supported are dtypes (torch.float32), math.pi and calls",
                 path));
  }
  if (Value* member = classes().class_attribute(e)) return member;
  const Form* form = form_of_call(*e.kids[0]);
  if (form && form->attribute) return form->attribute(*this, e);
  Value* of = emit(*e.kids[0]);
  if (of->type().class_type()) return classes().field(of, e);
  const char* base = of->type().is_tensor() ? tensor_attribute(e.text) : nullptr;
  if (base) return apply(base, {of}, e);
  const char* part = of->type().is(TypeKind::Device) ? device_attribute(e.text) : nullptr;
  if (part) return apply(part, {of}, e);
  if (Value* result = named_result(of, e.text)) return result;
  wrong(e, fmt::format("a {} has no attribute '{}'; attributes of tensors are {}", of->type(),
                       e.text, tensor_attributes()));
}

// `container`: what the call is a method of; literals of lists and dicts take their types from it.
std::vector<Argument> Emitter::arguments(const Expr& e, const Type* container,
                                         const std::function<Value*(Value*, const Expr&)>& use) {
  std::vector<Argument> out;
  bool fine = true;
  // These take a container like it, others an item.
  static constexpr std::string_view kWhole[] = {"extend", "update"};
  const bool whole = std::ranges::find(kWhole, e.kids[0]->text) != std::end(kWhole);
  for (size_t i = 1; i < e.kids.size(); ++i) {
    const Expr& kid = *e.kids[i];
    if (kid.is(ExprKind::Starred)) {
      Iterable over = iterable(*kid.kids[0]);
      if (!over.unrolled) wrong(kid, "'*' unpacks a tuple, whose length is known; pass the list");
      for (Value* item : over.items) out.push_back({item, ""});
      continue;
    }
    const Type* hint = nullptr;
    bool list = kid.is(ExprKind::List) || kid.is(ExprKind::ListComp);
    bool dict = kid.is(ExprKind::Dict) || kid.is(ExprKind::DictComp);
    if (container && (list || dict)) {
      TypeKind wanted = list ? TypeKind::List : TypeKind::Dict;
      if (!whole) hint = container_within(&container->elements().back(), wanted);
      if (!hint && container->is(wanted)) hint = container;
    }
    Value* value = part(kid, hint, &fine);
    out.push_back({value && use ? use(value, kid) : value, e.words[i - 1]});
  }
  if (!fine) throw Unknown();
  return out;
}

Value* Emitter::list(const Expr& e, const Type* hint) {
  const Type* wanted = container_within(hint, TypeKind::List);
  const Type* element = wanted ? &wanted->element() : nullptr;
  std::vector<Value*> items, parts;  // parts: the lists before the items
  std::optional<Type> common;
  auto add = [&](Value* item) {
    Type type = item->type().without_shapes();
    items.push_back(item);
    if (element && type.subtype_of(*element)) type = *element;
    Type joined = common ? unify(*common, type) : type;
    bool needs_union =
        common && joined.is(TypeKind::Any) && !common->is(TypeKind::Any) && !type.is(TypeKind::Any);
    common = needs_union ? Type::union_of({*common, type}) : joined;
  };
  bool fine = true;
  for (const ExprPtr& kid : e.kids) {
    if (!kid->is(ExprKind::Starred)) {
      if (Value* item = part(*kid, element, &fine)) add(item);
      continue;
    }
    Iterable over = iterable(*kid->kids[0]);
    for (Value* item : over.items) add(item);
    if (over.unrolled) continue;
    if (!items.empty()) parts.push_back(list_of(items, *common, e));
    parts.push_back(collect(over, *kid, wanted));
    items.clear();
  }
  if (!fine) throw Unknown();
  if (!common)
    common = element         ? *element
             : parts.empty() ? Type(TypeKind::Tensor)
                             : parts[0]->type().element();
  if (parts.empty() || !items.empty()) parts.push_back(list_of(items, *common, e));
  Value* out = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) {
    const Type a = out->type().without_shapes(), b = parts[i]->type().without_shapes();
    if (!(a == b))
      wrong(e, fmt::format("lists must contain only a single type: {} and {}", a.element(),
                           b.element()));
    out = apply(op_of(Sign::Add), {out, parts[i]}, e);
  }
  return out;
}

Value* Emitter::dict(const Expr& e, const Type* hint) {
  const Type* wanted = container_within(hint, TypeKind::Dict);
  std::optional<Type> type;
  if (wanted) type = *wanted;
  std::vector<Value*> items;
  Value* out = nullptr;  // what comes before `items`
  auto add = [&](Value* more) {
    if (out) apply(method_op("update"), {out, more}, e);
    else out = more;
    type = out->type();
  };
  for (size_t i = 0; i < e.kids.size(); i += 2) {
    const Type of = type ? *type : Type();
    if (!e.kids[i]->is(ExprKind::Starred)) {
      items.push_back(emit(*e.kids[i], type ? &of.key() : nullptr));
      items.push_back(emit(*e.kids[i + 1], type ? &of.value_type() : nullptr));
      continue;
    }
    Value* unpacked = emit(*e.kids[i + 1], type ? &of : nullptr);
    if (!unpacked->type().is(TypeKind::Dict))
      wrong(*e.kids[i + 1], fmt::format("'**' unpacks a dict, given {}", unpacked->type()));
    if (!items.empty()) add(dict_of(items, type, e));
    items.clear();
    add(out ? unpacked : apply(method_op("copy"), {unpacked}, e));
  }
  if (!out || !items.empty()) add(dict_of(items, type, e));
  return out;
}

Value* Emitter::tuple(const Expr& e, const Type* hint) {
  bool fits = hint && hint->is(TypeKind::Tuple) && hint->elements().size() == e.kids.size();
  std::vector<Value*> items;
  bool fine = true;
  for (size_t i = 0; i < e.kids.size(); ++i) {
    if (!e.kids[i]->is(ExprKind::Starred)) {
      Value* item = part(*e.kids[i], fits ? &hint->elements()[i] : nullptr, &fine);
      bool scalar = item && fits &&
                    item->type().is(TypeKind::Number);  // x.item() as the number that is wanted
      Value* number = scalar ? convert_to(item, hint->elements()[i], *e.kids[i]) : nullptr;
      items.push_back(number ? number : item);
      continue;
    }
    Iterable over = iterable(*e.kids[i]->kids[0]);
    if (!over.unrolled) wrong(*e.kids[i], "only a tuple is unpacked into a tuple");
    items.insert(items.end(), over.items.begin(), over.items.end());
  }
  if (!fine) throw Unknown();
  return tuple_of(items, e);
}

Value* Emitter::unary(const Expr& e) {
  if (e.sign == Sign::Not) return conditions().condition(e);
  Value* of = as_int(emit(*e.kids[0]), e);
  if (Value* v = operators().magic(e.sign == Sign::Sub ? "__neg__" : "__invert__", {of}, e))
    return v;
  if (e.sign == Sign::Sub) return apply(op::kNeg, {of}, e);
  if (e.sign == Sign::Invert) return apply(op::kInvert, {of}, e);
  bool legal =
      of->type().is_tensor() || of->type().is(TypeKind::Int) || of->type().is(TypeKind::Float);
  if (!legal) wrong(e, fmt::format("unary '+' of a {}", of->type()));
  return of;
}

Value* Emitter::binary(const Expr& e) {
  bool fine = true;
  Value* left = part(*e.kids[0], nullptr, &fine);
  const Type hint = left ? left->type() : Type();
  Value* right = part(*e.kids[1], left && is_empty(*e.kids[1]) ? &hint : nullptr, &fine);
  if (!fine) throw Unknown();
  std::optional<IValue> exponent = e.sign == Sign::Pow ? literal_value(*e.kids[1]) : std::nullopt;
  bool fraction =
      exponent && exponent->is_int() && exponent->as_int() < 0 && left->type().is(TypeKind::Int);
  if (fraction) left = apply(op::kFloat, {left}, e);  // int ** -1 is a float
  return operators().binary_op(e.sign, left, right, e);
}

// `a and b`, `a or b` as values: one of the two.
Value* Emitter::boolean(const Expr& e) {
  bool is_and = e.sign == Sign::And;
  auto right = [&] {
    conditions().refine(*e.kids[0], is_and);
    Value* value = emit(*e.kids[1]);
    conditions().keep_walrus(*e.kids[1]);
    return value;
  };
  if (std::optional<bool> known = conditions().static_condition(*e.kids[0])) {
    return *known == is_and ? right() : emit(*e.kids[0]);
  }
  Value* left = emit(*e.kids[0]);
  Value* truth = operators().to_bool(left, *e.kids[0]);
  auto short_circuit = [&]() -> Value* {
    if (truth == left) return flag(!is_and);
    if (is_and || !left->type().is(TypeKind::Optional)) return left;
    return known_as(left, left->type().element().without_shapes(), e);
  };
  return is_and ? choose(truth, e, right, short_circuit) : choose(truth, e, short_circuit, right);
}

// (name := value)
Value* Emitter::walrus(const Expr& e, const Type* hint) {
  const std::string& name = e.kids[0]->text;
  targets().bind_name(name, emit(*e.kids[1], hint), e);
  return scopes_.value(name);
}

// a < b < c is a < b and b < c, with b computed once.
Value* Emitter::compare(const Expr& e) {
  std::function<Value*(size_t, Value*)> from = [&](size_t i, Value* left) -> Value* {
    const Type hint = left->type();
    const Expr& over = *e.kids[i + 1];
    bool last = i + 1 == e.signs.size(), in = is_membership(e.signs[i]);
    const Form* form = last && in && left->type().is(TypeKind::Int) ? form_of_call(over) : nullptr;
    if (form && form->contains) {
      Value* found = form->contains(*this, left, over);
      return e.signs[i] == Sign::In ? found : negation(found, over);
    }
    Value* right = emit(over, is_empty(over) ? &hint : nullptr);
    Value* here = operators().compare_pair(e.signs[i], left, right, e);
    if (last) return here;
    return choose(
        operators().to_bool(here, e), e, [&] { return operators().to_bool(from(i + 1, right), e); },
        [&] { return flag(false); });
  };
  return from(0, emit(*e.kids[0]));
}

Value* Emitter::ternary(const Expr& e, const Type* hint) {
  if (std::optional<bool> known = conditions().static_condition(*e.kids[0]))
    return emit(*e.kids[*known ? 1 : 2], hint);
  return choose(
      conditions().condition(*e.kids[0]), e,
      [&] {
        conditions().refine(*e.kids[0], true);
        return emit(*e.kids[1], hint);
      },
      [&] {
        conditions().refine(*e.kids[0], false);
        return emit(*e.kids[2], hint);
      },
      hint);
}

}  // namespace fusillade::front
