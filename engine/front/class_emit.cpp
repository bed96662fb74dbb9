// Fields, constants and containers; see class_emit.h.
#include "engine/front/class_emit.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/front/emit_call.h"
#include "engine/front/emit_index.h"
#include "engine/front/emit_operator.h"
#include "engine/front/special_names.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

std::vector<std::string> field_names(const ClassType& cls) {
  std::vector<std::string> out;
  for (const Field& f : cls.fields) out.push_back(f.name);
  return out;
}

// What a loop over a container of modules visits: over the container, or over a method of it.
struct Visit {
  std::string_view method;
  bool keys, values;
};
constexpr Visit kVisits[] = {{"", false, true},
                             {"values", false, true},
                             {"children", false, true},
                             {"keys", true, false},
                             {"items", true, true}};

// What a container holds under this key; null when there is nothing.
const Field* find_item(const ClassInfo& info, const ClassType& cls, const IValue& key) {
  std::vector<const Field*> items;
  for (const Field& f : cls.fields) {
    if (!info.holds(f.kind)) continue;
    items.push_back(&f);
    bool named = info.container == Container::Dict && key.tag() == IValue::Tag::Str;
    if (named && key.as_str() == f.name) return &f;
  }
  if (!key.is_int() || info.container != Container::List) return nullptr;
  int64_t count = static_cast<int64_t>(items.size());
  int64_t at = key.as_int() < 0 ? key.as_int() + count : key.as_int();
  return at < 0 || at >= count ? nullptr : items[static_cast<size_t>(at)];
}

}  // namespace

Value* ClassEmitter::class_attribute(const Expr& e) {
  const Expr& of = *e.kids[0];
  if (of.is(ExprKind::Name) && to_.scopes().find(of.text)) return nullptr;
  ClassPlace place = to_.program().find(to_.unit(), of);
  if (!place) return nullptr;
  if (to_.program().sort_of(place) != ClassSort::Enum) return class_constant(place, e);
  ClassInfo& info = to_.program().find_or_declare(place);
  const auto& members = info.type->members;
  for (size_t i = 0; i < members.size(); ++i) {
    if (members[i].name == e.text) return to_.constant(IValue::enum_member(info.type, i), e);
  }
  to_.wrong(e, fmt::format("the enum '{}' has no member '{}'", of.text, e.text));
}

// NAME = value in the body of the class; null when there is none.
Value* ClassEmitter::class_constant(const ClassPlace& place, const Expr& e) {
  Unit* unit = nullptr;
  const Expr* value = to_.program().find_constant(place, e.text, &unit);
  if (!value) return nullptr;
  return to_.object_constant(constant_value(*unit, *value), e);
}

bool ClassEmitter::names_interface(const Expr& e) {
  ClassPlace place = to_.program().find(to_.unit(), e);
  return place && is_interface(place);
}

bool ClassEmitter::names_class(const Expr& e) {
  return static_cast<bool>(to_.program().find(to_.unit(), e));
}

// The class of an enum as something to loop over: its members in their order.
std::optional<std::vector<Value*>> ClassEmitter::enum_members(const Expr& over) {
  if (!over.is(ExprKind::Name) || to_.scopes().find(over.text)) return std::nullopt;
  ClassPlace place = to_.program().find(to_.unit(), over);
  if (!place || to_.program().sort_of(place) != ClassSort::Enum) return std::nullopt;
  const ClassPtr type = to_.program().find_or_declare(place).type;
  std::vector<Value*> out;
  for (size_t i = 0; i < type->members.size(); ++i)
    out.push_back(to_.constant(IValue::enum_member(type, i), over));
  return out;
}

Value* ClassEmitter::get_field(Value* of, const std::string& name, const Type& type,
                               const Expr& at) {
  if (info_of(of->type()).unset.count(name))
    to_.wrong(
        at,
        fmt::format(
            "'{}' of '{}' has no value: give it a default, or set it at the top of __post_init__",
            name, of->type()));
  Node* n = to_.node(prim::get_attr(), {of}, type, at);
  n->set_attr("name", IValue::str(name));
  return n->output();
}

Value* ClassEmitter::field(Value* of, const Expr& e) {
  const Type type = of->type();
  const ClassType& cls = *type.class_type();
  if (type.is(TypeKind::Enum)) {
    const char* attribute = enum_attribute(e.text);
    if (!attribute) to_.wrong(e, "an enum member has 'name' and 'value'");
    Value* v = to_.exactly(attribute, {of}, e);
    if (attribute == op::kEnumValue) v->set_type(cls.value_type);
    return v;
  }
  int slot = cls.slot(e.text);
  if (type.is(TypeKind::Tuple) && slot >= 0)
    return to_.exactly(op::kTupleIndex, {of, to_.constant(IValue(slot), e)}, e);
  if (slot >= 0) return get_field(of, e.text, cls.fields[static_cast<size_t>(slot)].type, e);
  ClassInfo& info = to_.program().info(cls);
  auto known = info.constants.find(e.text);
  if (known != info.constants.end()) return to_.object_constant(known->second, e);
  MethodPlace m = to_.program().find_method({info.unit, info.syntax}, e.text);
  if (m && decorated_with(m.function->decorators, "property"))
    return to_.calls().compiled_call(to_.program().compile_method(info, m, e.text, to_.source(), e),
                                     cls.name + "." + e.text, {{of, ""}}, e);
  bool plain = cls.kind == ClassType::Kind::Object;
  if (Value* value = plain && !m ? class_constant({info.unit, info.syntax}, e) : nullptr)
    return value;
  auto unusable = info.unusable.find(e.text);
  if (unusable != info.unusable.end())
    to_.wrong(e, fmt::format("'{}' of '{}' cannot be used here: {}", e.text, plain_name(cls),
                             unusable->second));
  if (info.unknown.count(e.text)) throw Unknown();
  to_.wrong(e, fmt::format("'{}' has no attribute '{}'{}", plain_name(cls), e.text,
                           near_misses(e.text, field_names(cls))));
}

void ClassEmitter::add_field(Value* of, const Expr& target, const Type& type) {
  ClassInfo& info = info_of(of->type());
  if (info.unknown.count(target.text)) throw Unknown();
  bool first_self = of->node() == to_.graph().block()->param_node() && of->index() == 0;
  if (!info.defining || !first_self ||
      (to_.function().name != kInit && to_.function().name != kPostInit)) {
    to_.wrong(target,
              fmt::format("'{}' has no attribute '{}'; attributes are defined in __init__{}",
                          plain_name(*info.type), target.text,
                          near_misses(target.text, field_names(*info.type))));
  }
  if (to_.block() != to_.graph().block())
    to_.wrong(target, "an attribute is defined at the top of __init__, not in a branch or loop");
  Type kept = to_.program().field_type(info, type, to_.source(), target);
  info.type->fields.push_back({target.text, kept, Field::Kind::Attribute});
}

void ClassEmitter::set_field(const Expr& target, Value* value) {
  Value* of = to_.emit(*target.kids[0]);
  if (!is_object(of))
    to_.wrong(target, fmt::format("an attribute of a {} cannot be assigned", of->type()));
  const ClassType& cls = *of->type().class_type();
  ClassInfo& info = to_.program().info(cls);
  const ClassPlace place{info.unit, info.syntax};
  if (has_option(info.syntax->decorators, "dataclass", "frozen"))
    to_.wrong(target, frozen_text(place));
  if (cls.slot(target.text) < 0) {
    if (MethodPlace setter = to_.program().find_setter(place, target.text)) {
      std::string name = "__" + target.text + "_setter";  // as TorchScript names it
      const Compiled& c = to_.program().compile_method(info, setter, name, to_.source(), target);
      to_.calls().compiled_call(c, cls.name + "." + name, {{of, ""}, {value, ""}}, target);
      return;
    }
    if (info.constants.count(target.text))
      to_.wrong(target, fmt::format("'{}' is a constant of '{}' and cannot be assigned",
                                    target.text, plain_name(cls)));
    add_field(of, target, value->type().without_shapes());
  }
  store_field(of, target, value);
}

void ClassEmitter::store_field(Value* of, const Expr& target, Value* value) {
  const Type object = of->type();
  const ClassType& cls = *object.class_type();
  const Type type = cls.fields[static_cast<size_t>(cls.slot(target.text))].type;
  Value* fitting = to_.convert_to(value, type, target);
  if (!fitting) {
    to_.wrong(target,
              fmt::format("attribute '{}' has type {} but is being assigned a value of type {}",
                          target.text, type, value->type()));
  }
  write_field(of, target.text, fitting, target);
  const bool sets = to_.function().name == kPostInit && to_.block() == to_.graph().block();
  if (ClassInfo& info = to_.program().info(cls); sets && info.defining)
    info.unset.erase(target.text);
}

void ClassEmitter::write_field(Value* of, const std::string& name, Value* value, const Expr& at) {
  to_.bare_node(prim::set_attr(), {of, value}, at)->set_attr("name", IValue::str(name));
}

// self.x: T = value, in __init__
void ClassEmitter::define_field(const Expr& target, const Type& type, const Expr& value) {
  Value* given = to_.emit(value, &type);
  Value* fitting = to_.convert_to(given, type, value);
  if (!fitting) {
    to_.wrong(
        value,
        fmt::format(
            "attribute '{}' is annotated with type {} but is being assigned a value of type {}",
            target.text, type, given->type()));
  }
  Value* of = to_.emit(*target.kids[0]);
  if (!is_object(of))
    to_.wrong(target,
              fmt::format("only attributes of objects can be annotated, not of {}", of->type()));
  if (of->type().class_type()->slot(target.text) < 0) add_field(of, target, type);
  store_field(of, target, fitting);
}

std::optional<Type> ClassEmitter::static_type(const Expr& e) {
  if (e.is(ExprKind::Name)) {
    Value* v = to_.scopes().value(e.text);
    if (!v) return std::nullopt;
    return v->type();
  }
  bool item = e.is(ExprKind::Subscript) && e.kids.size() == 2;
  if (!e.is(ExprKind::Attribute) && !item) return std::nullopt;
  std::optional<Type> of = static_type(*e.kids[0]);
  if (!of || !is_object(*of)) return std::nullopt;
  const ClassType& cls = *of->class_type();
  if (item) {
    std::optional<IValue> key = literal_value(*e.kids[1]);
    const Field* f = key ? find_item(to_.program().info(cls), cls, *key) : nullptr;
    return f ? std::optional<Type>(f->type) : std::nullopt;
  }
  if (int slot = cls.slot(e.text); slot >= 0) return cls.fields[static_cast<size_t>(slot)].type;
  ClassInfo& info = to_.program().info(cls);
  auto it = info.constants.find(e.text);
  if (it == info.constants.end()) return std::nullopt;
  return it->second.type();
}

std::vector<Value*> ClassEmitter::children(Value* container, const Expr& at) {
  std::vector<Value*> out;
  const Type type = container->type();
  const ClassInfo& info = info_of(type);
  for (const Field& f : type.class_type()->fields) {
    if (info.holds(f.kind)) out.push_back(get_field(container, f.name, f.type, at));
  }
  return out;
}

std::optional<std::vector<Value*>> ClassEmitter::items_visited(const Expr& over) {
  std::optional<std::vector<Value*>> items = container_items(over);
  return items ? items : enum_members(over);
}

std::optional<std::vector<Value*>> ClassEmitter::container_items(const Expr& over) {
  const Expr* of = &over;
  std::string what;
  if (over.is(ExprKind::Call) && over.kids.size() == 1 && over.kids[0]->is(ExprKind::Attribute)) {
    of = over.kids[0]->kids[0].get();
    what = over.kids[0]->text;
  }
  std::optional<Type> type = static_type(*of);
  if (!type || !is_object(*type)) return std::nullopt;
  ClassInfo& info = info_of(*type);
  if (info.container == Container::None) return std::nullopt;
  const Visit* visit = std::ranges::find(kVisits, what, &Visit::method);
  if (visit == std::end(kVisits)) return std::nullopt;
  const bool keys = visit->keys || (what.empty() && info.container == Container::Dict);
  const bool values = visit->values && (visit->keys || !keys);
  std::vector<Value*> out;
  if (values) out = children(to_.emit(*of), over);
  if (!keys) return out;
  size_t i = 0;
  for (const Field& f : type->class_type()->fields) {
    if (!info.holds(f.kind)) continue;
    Value* key = to_.constant(IValue::str(f.name), over);
    if (values) out[i] = to_.tuple_of({key, out[i]}, over);
    else out.push_back(key);
    ++i;
  }
  return out;
}

// self.layers[1], self.layers[-1], self.heads["main"]; self.layers[1:] is a tuple of modules
Value* ClassEmitter::container_item(Value* container, const Expr& e) {
  const Type type = container->type();
  ClassInfo& info = info_of(type);
  if (info.container == Container::None) return nullptr;
  std::vector<const Field*> items;
  for (const Field& f : type.class_type()->fields) {
    if (info.holds(f.kind)) items.push_back(&f);
  }
  const Expr& index = to_.subscripts().index_part(*e.kids[1]);
  if (index.is(ExprKind::Slice) && info.container == Container::List)
    return to_.subscripts().tuple_index(
        to_.node(prim::tuple_construct(), children(container, e), e)->output(), e);
  std::optional<IValue> key = literal_value(index);
  if (!key && index.is(ExprKind::Name)) {
    Value* v = to_.scopes().value(index.text);
    if (v && v->node()->is(prim::constant())) key = v->node()->constant();
  }
  if (const Field* f = key ? find_item(info, *type.class_type(), *key) : nullptr)
    return get_field(container, f->name, f->type, e);
  if (key && key->is_int() && info.container == Container::List)
    to_.wrong(e,
              fmt::format("index {} is out of range for {} modules", key->as_int(), items.size()));
  if (!key && !items.empty())
    return chosen_item(container, items, info.container == Container::Dict, e);
  to_.wrong(
      index,
      "a list of modules or parameters is indexed by an int, a dict of them by one of its keys");
}

// self.layers[i], self.heads[name] with an index known at run time: a chain of tests, of the type
// of all items or a union of theirs.
Value* ClassEmitter::chosen_item(Value* container, const std::vector<const Field*>& items,
                                 bool keyed, const Expr& e) {
  Value* index = to_.emit(*e.kids[1]);
  if (!index->type().is(keyed ? TypeKind::Str : TypeKind::Int))
    to_.wrong(*e.kids[1],
              fmt::format("a {} of modules is indexed by {}, given {}", keyed ? "dict" : "list",
                          keyed ? "a str" : "an int", index->type()));
  std::vector<Type> types;
  for (const Field* f : items) types.push_back(f->type);
  const Type type = Type::union_of(types);
  Value* at = index;
  if (!keyed) {
    Value* count = to_.constant(IValue(static_cast<int64_t>(items.size())), e);
    Value* zero = to_.constant(IValue(0), e);
    auto from_end = [&] { return to_.apply(op_of(Sign::Add), {index, count}, e); };
    at = to_.choose(to_.apply(op_of(Sign::Less), {index, zero}, e), e, from_end,
                    [&] { return index; });
    to_.require(to_.apply(op_of(Sign::GreaterEqual), {at, zero}, e),
                "IndexError: index out of range", e);
    to_.require(to_.apply(op_of(Sign::Less), {at, count}, e), "IndexError: index out of range", e);
  }
  std::function<Value*(size_t)> pick = [&](size_t k) {
    auto here = [&] { return get_field(container, items[k]->name, items[k]->type, e); };
    bool last = k + 1 == items.size();
    if (last && !keyed) return here();
    IValue key = keyed ? IValue::str(items[k]->name) : IValue(static_cast<int64_t>(k));
    Value* is = to_.apply(op_of(Sign::Equal), {at, to_.constant(key, e)}, e);
    if (!last) return to_.choose(is, e, here, [&] { return pick(k + 1); }, &type);
    to_.require(is, "KeyError: the dict has no module of this name", e);
    return here();
  };
  return pick(0);
}

Value* ClassEmitter::class_item(Value* of, const Expr& e) {
  Value* item = e.kids.size() == 2 ? container_item(of, e) : nullptr;
  if (item || (item = to_.operators().magic("__getitem__", {of, to_.subscripts().item_key(e)}, e)))
    return item;
  to_.wrong(e, fmt::format("'{}' has no __getitem__", of->type()));
}

}  // namespace fusillade::front
