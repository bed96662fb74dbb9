// Expressions: literals, names, operators, attributes.
#include "engine/base/text.h"
#include "engine/front/class.h"
#include "engine/front/emit_equality.h"
#include "engine/front/emit_text.h"
#include "engine/front/form.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

constexpr int64_t kMaxRepeated = 1000;  // items of a tuple that is written as a product

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

// Does it have an identity besides its value, which distinguishes it from another that is equal?
bool has_identity(const Type& type) {
  const Type& t = type.is(TypeKind::Optional) ? type.element() : type;
  return t.is_tensor() || t.is(TypeKind::List) || t.is(TypeKind::Dict) || t.is(TypeKind::Class) ||
         t.is(TypeKind::Bool);  // there is one True and one False
}

}  // namespace

bool orderable(const Type& type) {
  if (type.is(TypeKind::List) || (type.is(TypeKind::Tuple) && !type.class_type()))
    return std::all_of(type.elements().begin(), type.elements().end(), orderable);
  return type.is(TypeKind::Int) || type.is(TypeKind::Float) || type.is(TypeKind::Bool) ||
         type.is(TypeKind::Str);
}

std::string reassignment_error(const std::string& name, const Type& from, const Type& to) {
  std::string text = fmt::format(
      "variable '{}' previously had type {} but is now being assigned to a value of type {}", name,
      from, to);
  bool plain = to.is_tensor() || to.is(TypeKind::Int) || to.is(TypeKind::Float) ||
               to.is(TypeKind::Bool) || to.is(TypeKind::Str);
  if (from.is(TypeKind::None))
    text += fmt::format("; annotate it where it begins: {}: Optional[{}] = None", name,
                        plain ? annotation_text(to) : "...");
  return text;
}

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
      std::optional<IValue> inner = e.text == "-" ? literal_value(*e.kids[0]) : std::nullopt;
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
      return call(e, hint);
    case ExprKind::Subscript:
      return subscript(e);
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
  if (names_class(e))
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
  if (Value* member = class_attribute(e)) return member;
  const Form* form = form_of_call(*e.kids[0]);
  if (form && form->attribute) return form->attribute(*this, e);
  Value* of = emit(*e.kids[0]);
  if (of->type().class_type()) return field(of, e);
  const char* base = of->type().is_tensor() ? tensor_attribute(e.text) : nullptr;
  if (base) return apply(base, {of}, e);
  const char* part = of->type().is(TypeKind::Device) ? device_attribute(e.text) : nullptr;
  if (part) return apply(part, {of}, e);
  if (Value* result = named_result(of, e.text)) return result;
  wrong(e, fmt::format("a {} has no attribute '{}'; attributes of tensors are {}", of->type(),
                       e.text, tensor_attributes()));
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
    out = apply(front::binary_op("+", false), {out, parts[i]}, e);
  }
  return out;
}

Type Emitter::dict_type(const Type& key, const Type& mapped, const Expr& at) {
  bool legal = key.is(TypeKind::Str) || key.is(TypeKind::Int) || key.is(TypeKind::Float) ||
               key.is(TypeKind::Bool) || key.is_tensor();
  if (!legal)
    wrong(at, fmt::format("keys of a dict are str, int, float, bool or Tensor, given {}", key));
  return Type::dict(key, mapped);
}

// `items`: key, value, key, value, ...
Value* Emitter::dict_of(const std::vector<Value*>& items, const std::optional<Type>& type,
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
  return node(prim::tuple_construct(), items, e)->output();
}

Value* Emitter::as_int(Value* value, const Expr& at) {
  return value->type().is(TypeKind::Bool) ? apply(op::kInt, {value}, at) : value;
}

// With a tensor a bool is a tensor of no dimensions, which promotes as it does.
Value* Emitter::bool_tensor(Value* value, const Expr& at) {
  return value->type().is(TypeKind::Bool) ? apply(op::kTensor, {value}, at) : value;
}

// An operator; where none takes these values and some are bools among numbers, these count as 0
// and 1.
Value* Emitter::numeric(const std::string& base, const std::vector<Value*>& values,
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

Value* Emitter::unary(const Expr& e) {
  if (e.text == "not") return condition(e);
  Value* of = as_int(emit(*e.kids[0]), e);
  if (Value* v = magic(e.text == "-" ? "__neg__" : "__invert__", {of}, e)) return v;
  if (e.text == "-") return apply(op::kNeg, {of}, e);
  if (e.text == "~") return apply(op::kInvert, {of}, e);
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
  std::optional<IValue> exponent = e.text == "**" ? literal_value(*e.kids[1]) : std::nullopt;
  bool fraction =
      exponent && exponent->is_int() && exponent->as_int() < 0 && left->type().is(TypeKind::Int);
  if (fraction) left = apply(op::kFloat, {left}, e);  // int ** -1 is a float
  return binary_op(e.text, left, right, e);
}

Value* Emitter::binary_op(const std::string& op, Value* left, Value* right, const Expr& at) {
  const Type& a = left->type();
  const Type& b = right->type();
  if (op == "%" && a.is(TypeKind::Str)) return percent(*this, left, right, at);
  if (Value* v = magic_binary(op, left, right, at)) return v;
  if (op == "+" && a.is(TypeKind::Tuple) && b.is(TypeKind::Tuple)) {
    std::vector<Value*> items = items_of(left, at);
    for (Value* v : items_of(right, at)) items.push_back(v);
    return node(prim::tuple_construct(), items, at)->output();
  }
  const Node* times = right->node();
  bool tuples =
      op == "*" && a.is(TypeKind::Tuple) && b.is(TypeKind::Int) && times->is(prim::constant());
  if (tuples &&
      times->constant().as_int() * static_cast<int64_t>(a.elements().size()) <= kMaxRepeated) {
    std::vector<Value*> items, once = items_of(left, at);
    for (int64_t i = 0; i < times->constant().as_int(); ++i)
      items.insert(items.end(), once.begin(), once.end());
    return node(prim::tuple_construct(), items, at)->output();
  }
  auto whole = [](const Type& t) { return t.is(TypeKind::Int) || t.is(TypeKind::Bool); };
  if (op == "**" && whole(a) && whole(b))
    return node(operator_named(op::kIntPower), {as_int(left, at), as_int(right, at)}, at)->output();
  bool repeated = op == "*" && (a.is(TypeKind::Str) || a.is(TypeKind::List) ||
                                b.is(TypeKind::Str) || b.is(TypeKind::List));
  if (repeated)
    return apply(front::binary_op(op, false), {as_int(left, at), as_int(right, at)}, at);
  bool floored = op == "//" && b.is_tensor() && !a.is_tensor();
  if (floored) {  // the number as a tensor that promotes as a number does
    Value* zeros = apply(method_op("zeros_like"), {right}, at);
    return binary_op(op, numeric(front::binary_op("+", true), {zeros, left}, at), right, at);
  }
  const char* base = front::binary_op(op, a.is_tensor());
  if (base) return numeric(base, {left, right}, at);
  FUS_BUG("the parser made an operator '{}'", op);
}

// `a and b`, `a or b` as values: one of the two.
Value* Emitter::boolean(const Expr& e) {
  bool is_and = e.text == "and";
  auto right = [&] {
    refine(*e.kids[0], is_and);
    Value* value = emit(*e.kids[1]);
    keep_walrus(*e.kids[1]);
    return value;
  };
  if (std::optional<bool> known = static_condition(*e.kids[0])) {
    return *known == is_and ? right() : emit(*e.kids[0]);
  }
  Value* left = emit(*e.kids[0]);
  Value* truth = to_bool(left, *e.kids[0]);
  auto short_circuit = [&]() -> Value* {
    if (truth == left) return flag(!is_and);
    if (is_and || !left->type().is(TypeKind::Optional)) return left;
    Value* present = node(operator_named(op::kUncheckedCast), {left}, e)->output();
    present->set_type(left->type().element().without_shapes());
    return present;
  };
  return is_and ? choose(truth, e, right, short_circuit) : choose(truth, e, short_circuit, right);
}

// (name := value)
Value* Emitter::walrus(const Expr& e, const Type* hint) {
  const std::string& name = e.kids[0]->text;
  bind_name(name, emit(*e.kids[1], hint), e);
  return scopes_.value(name);
}

// In the right side of `and` and `or`: what := assigns there has a value only where that side was
// evaluated. It is kept under "$name", from which refine() takes it.
void Emitter::keep_walrus(const Expr& e) {
  std::set<std::string> names;
  collect_walrus(e, names);
  for (const std::string& n : names)
    if (const Binding* b = scopes_.find(n)) scopes_.set("$" + n, *b);
}

// a < b < c is a < b and b < c, with b computed once.
Value* Emitter::compare(const Expr& e) {
  std::function<Value*(size_t, Value*)> from = [&](size_t i, Value* left) -> Value* {
    const Type hint = left->type();
    const Expr& over = *e.kids[i + 1];
    bool last = i + 1 == e.words.size(), in = e.words[i] == "in" || e.words[i] == "not in";
    const Form* form = last && in && left->type().is(TypeKind::Int) ? form_of_call(over) : nullptr;
    if (form && form->contains) {
      Value* found = form->contains(*this, left, over);
      return e.words[i] == "in" ? found : apply(op::kNot, {found}, over);
    }
    Value* right = emit(over, is_empty(over) ? &hint : nullptr);
    Value* here = compare_pair(e.words[i], left, right, e);
    if (last) return here;
    return choose(
        to_bool(here, e), e, [&] { return to_bool(from(i + 1, right), e); },
        [&] { return flag(false); });
  };
  return from(0, emit(*e.kids[0]));
}

Value* Emitter::compare_pair(const std::string& op, Value* left, Value* right, const Expr& at) {
  if (Value* v = magic_compare(op, left, right, at)) return v;
  if (op == "in" || op == "not in") {
    Value* found = contains_item(left, right, at);
    return op == "in" ? found : apply(op::kNot, {found}, at);
  }
  bool equality = op == "==" || op == "!=";
  bool none = left->type().is(TypeKind::None) || right->type().is(TypeKind::None);
  bool is = op == "is" || op == "is not";
  const bool bools = left->type().is(TypeKind::Bool) && right->type().is(TypeKind::Bool);
  if (is && bools) return apply(compare_op(op == "is" ? "==" : "!="), {left, right}, at);
  if (is && !none) {
    for (const Value* v : {left, right})
      if (!has_identity(v->type()))
        wrong(at,
              fmt::format("'is' compares with None, and tensors, lists, dicts, objects and bools "
                          "with each other; given {}",
                          v->type()));
    return apply(compare_op(op), {left, right}, at);
  }
  if (none && (is || equality)) {
    const Type& other = left->type().is(TypeKind::None) ? right->type() : left->type();
    bool same = op == "is" || op == "==";
    bool may_be_none =
        other.is(TypeKind::Optional) || other.is(TypeKind::Union) || other.is(TypeKind::Any);
    if (!may_be_none) return constant(IValue(other.is(TypeKind::None) == same), at);
    return apply(compare_op(same ? "is" : "is not"), {left, right}, at);
  }
  bool ordering = op == "<" || op == "<=" || op == ">" || op == ">=";
  if ((equality || ordering) && left->type().is(TypeKind::Tuple) &&
      right->type().is(TypeKind::Tuple))
    return compare_tuples(op, left, right, at);
  bool lists = left->type().is(TypeKind::List) && right->type().is(TypeKind::List);
  bool dicts = left->type().is(TypeKind::Dict) && right->type().is(TypeKind::Dict);
  auto is_dynamic = [](const Type& t) {
    return (t.is(TypeKind::Optional) && !t.element().is_tensor()) || t.is(TypeKind::Union) ||
           t.is(TypeKind::Any);
  };
  bool loose = is_dynamic(left->type()) || is_dynamic(right->type());
  if (ordering && lists) {
    for (const Value* v : {left, right})
      if (!orderable(v->type().element()))
        wrong(at, fmt::format("items of a {} have no order", v->type()));
    if (!(left->type().without_shapes() == right->type().without_shapes()))
      wrong(at, fmt::format("lists of one type have an order, given {} and {}", left->type(),
                            right->type()));
  }
  auto own = [&](const Value* v) { return unit_->program().own_equality(v->type()); };
  if (equality && lists && own(left) && own(right)) {
    Value* same = equal_lists(*this, left, right, at);
    return op == "==" ? same : apply(op::kNot, {same}, at);
  }
  if (equality && (own(left) || own(right)))
    wrong(at, fmt::format("'{}' of {} and {} holds objects with an == of their own: take the "
                          "objects out (a None is told by 'is')",
                          op, left->type(), right->type()));
  bool alike = left->type().without_shapes() == right->type().without_shapes();
  if (equality && (loose || ((lists || dicts) && !alike))) {
    Value* same = node(operator_named(op::kEqual), {left, right}, at)->output();
    return op == "==" ? same : apply(op::kNot, {same}, at);
  }
  if (const char* base = compare_op(op)) return numeric(base, {left, right}, at);
  FUS_BUG("the parser made a comparison '{}'", op);
}

// Item by item, all of them. The first pair that is not equal decides the order, or else the
// lengths.
Value* Emitter::compare_tuples(const std::string& op, Value* left, Value* right, const Expr& at) {
  std::vector<Value*> a = items_of(left, at);
  std::vector<Value*> b = items_of(right, at);
  if (op != "==" && op != "!=") {
    bool less = op[0] == '<', shorter = less ? a.size() < b.size() : a.size() > b.size();
    Value* holds = flag(a.size() == b.size() ? op.size() == 2 : shorter);
    for (size_t i = std::min(a.size(), b.size()); i-- > 0;) {
      Value* strict = to_bool(compare_pair(op.substr(0, 1), a[i], b[i], at), at);
      Value* equal = to_bool(compare_pair("==", a[i], b[i], at), at);
      holds = apply(front::binary_op("|", false),
                    {strict, apply(front::binary_op("&", false), {equal, holds}, at)}, at);
    }
    return holds;
  }
  Value* same = constant(IValue(a.size() == b.size()), at);
  for (size_t i = 0; a.size() == b.size() && i < a.size(); ++i) {
    Value* here = to_bool(compare_pair("==", a[i], b[i], at), at);
    same = i ? apply(front::binary_op("&", false), {same, here}, at) : here;
  }
  return op == "==" ? same : apply(op::kNot, {same}, at);
}

Value* Emitter::contains_item(Value* item, Value* in, const Expr& at) {
  if (in->type().is(TypeKind::List) && unit_->program().own_equality(in->type().element()))
    return apply(op::kContains,
                 {equal_items(*this, in, [&](Value*) { return item; }, at), flag(true)}, at);
  if (!in->type().is(TypeKind::Tuple)) return apply(op::kContains, {in, item}, at);
  Value* found = flag(false);
  for (Value* v : items_of(in, at)) {
    Value* here = to_bool(compare_pair("==", item, v, at), at);
    found = apply(front::binary_op("|", false), {found, here}, at);
  }
  return found;
}

Value* Emitter::ternary(const Expr& e, const Type* hint) {
  if (std::optional<bool> known = static_condition(*e.kids[0]))
    return emit(*e.kids[*known ? 1 : 2], hint);
  return choose(
      condition(*e.kids[0]), e,
      [&] {
        refine(*e.kids[0], true);
        return emit(*e.kids[1], hint);
      },
      [&] {
        refine(*e.kids[0], false);
        return emit(*e.kids[2], hint);
      },
      hint);
}

}  // namespace fusillade::front
