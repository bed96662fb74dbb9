// Objects in the graph: fields, constants of modules, module containers, `with`, methods that are
// not compiled.
//
//   self.weight        prim::GetAttr[name="weight"](%self)
//   p.x                prim::TupleIndex of a named tuple
//   Color.RED          a constant
//   for m in self.layers, self.layers[0]: unrolled, chosen when compiled
//
// A constant of a module (Final, __constants__) is a literal here and decides conditions.
#include <algorithm>

#include "engine/base/text.h"
#include "engine/front/class.h"
#include "engine/front/emit_autocast.h"
#include "engine/front/emit_text.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

bool is_object(const Type& type) { return type.is(TypeKind::Class); }

std::vector<std::string> field_names(const ClassType& cls) {
  std::vector<std::string> out;
  for (const Field& f : cls.fields) out.push_back(f.name);
  return out;
}

// A context that changes nothing here: nothing is recorded.
bool is_void_context(const std::string& path) {
  return path == "torch.autograd.profiler.record_function" ||
         path == "torch.profiler.record_function";
}

}  // namespace

Value* Emitter::class_attribute(const Expr& e) {
  const Expr& of = *e.kids[0];
  if (of.is(ExprKind::Name) && scopes_.find(of.text)) return nullptr;
  ClassPlace place = unit_->program().find(*unit_, of);
  if (!place) return nullptr;
  if (unit_->program().sort_of(place) != ClassSort::Enum) return class_constant(place, e);
  ClassInfo& info = unit_->program().find_or_declare(place);
  const auto& members = info.type->members;
  for (size_t i = 0; i < members.size(); ++i) {
    if (members[i].name == e.text) return constant(IValue::enum_member(info.type, i), e);
  }
  wrong(e, fmt::format("the enum '{}' has no member '{}'", of.text, e.text));
}

// NAME = value in the body of the class; null when there is none.
Value* Emitter::class_constant(const ClassPlace& place, const Expr& e) {
  Unit* unit = nullptr;
  const Expr* value = unit_->program().find_constant(place, e.text, &unit);
  if (!value) return nullptr;
  return object_constant(constant_value(*unit, *value), e);
}

bool Emitter::names_interface(const Expr& e) {
  ClassPlace place = unit_->program().find(*unit_, e);
  return place && is_interface(place);
}

bool Emitter::names_class(const Expr& e) {
  return static_cast<bool>(unit_->program().find(*unit_, e));
}

// The class of an enum as something to loop over: its members in their order.
std::optional<std::vector<Value*>> Emitter::enum_members(const Expr& over) {
  if (!over.is(ExprKind::Name) || scopes_.find(over.text)) return std::nullopt;
  ClassPlace place = unit_->program().find(*unit_, over);
  if (!place || unit_->program().sort_of(place) != ClassSort::Enum) return std::nullopt;
  const ClassPtr type = unit_->program().find_or_declare(place).type;
  std::vector<Value*> out;
  for (size_t i = 0; i < type->members.size(); ++i)
    out.push_back(constant(IValue::enum_member(type, i), over));
  return out;
}

Value* Emitter::get_field(Value* of, const std::string& name, const Type& type, const Expr& at) {
  if (unit_->program().info(*of->type().class_type()).unset.count(name))
    wrong(at,
          fmt::format(
              "'{}' of '{}' has no value: give it a default, or set it at the top of __post_init__",
              name, of->type()));
  Node* n = graph_->create(prim::get_attr(), {of}, 1);
  n->output()->set_type(type);
  n->set_attr("name", IValue::str(name));
  place(n, at);
  return n->output();
}

// A constant as nodes that print: tuples and lists consist of literals.
Value* Emitter::object_constant(const IValue& value, const Expr& at) {
  if (!value.is_sequence()) return constant(value, at);
  std::vector<Value*> items;
  for (const IValue& item : value.items()) items.push_back(object_constant(item, at));
  if (value.tag() == IValue::Tag::List) return list_of(items, value.seq()->element, at);
  const Type type = value.type();
  return type.class_type() ? named_tuple(items, type, at)
                           : node(prim::tuple_construct(), items, at)->output();
}

Value* Emitter::field(Value* of, const Expr& e) {
  const Type type = of->type();
  const ClassType& cls = *type.class_type();
  if (type.is(TypeKind::Enum)) {
    if (e.text == "name") return node(operator_named("prim::EnumName"), {of}, e)->output();
    if (e.text != "value") wrong(e, "an enum member has 'name' and 'value'");
    Value* v = node(operator_named("prim::EnumValue"), {of}, e)->output();
    v->set_type(cls.value_type);
    return v;
  }
  int slot = cls.slot(e.text);
  if (type.is(TypeKind::Tuple) && slot >= 0)
    return node(operator_named(op::kTupleIndex), {of, constant(IValue(slot), e)}, e)->output();
  if (slot >= 0) return get_field(of, e.text, cls.fields[static_cast<size_t>(slot)].type, e);
  ClassInfo& info = unit_->program().info(cls);
  auto known = info.constants.find(e.text);
  if (known != info.constants.end()) return object_constant(known->second, e);
  MethodPlace m = unit_->program().find_method({info.unit, info.syntax}, e.text);
  if (m && decorated_with(m.function->decorators, "property"))
    return compiled_call(unit_->program().compile_method(info, m, e.text, function_.source, e),
                         cls.name + "." + e.text, {{of, ""}}, e);
  bool plain = cls.kind == ClassType::Kind::Object;
  if (Value* value = plain && !m ? class_constant({info.unit, info.syntax}, e) : nullptr)
    return value;
  auto unusable = info.unusable.find(e.text);
  if (unusable != info.unusable.end())
    wrong(e, fmt::format("'{}' of '{}' cannot be used here: {}", e.text, plain_name(cls),
                         unusable->second));
  if (info.unknown.count(e.text)) throw Unknown();
  wrong(e, fmt::format("'{}' has no attribute '{}'{}", plain_name(cls), e.text,
                       near_misses(e.text, field_names(cls))));
}

void Emitter::add_field(Value* of, const Expr& target, const Type& type) {
  ClassInfo& info = unit_->program().info(*of->type().class_type());
  if (info.unknown.count(target.text)) throw Unknown();
  bool first_self = of->node() == graph_->block()->param_node() && of->index() == 0;
  if (!info.defining || !first_self ||
      (function_.name != "__init__" && function_.name != kPostInit)) {
    wrong(target, fmt::format("'{}' has no attribute '{}'; attributes are defined in __init__{}",
                              plain_name(*info.type), target.text,
                              near_misses(target.text, field_names(*info.type))));
  }
  if (block_ != graph_->block())
    wrong(target, "an attribute is defined at the top of __init__, not in a branch or loop");
  Type kept = unit_->program().field_type(info, type, function_.source, target);
  info.type->fields.push_back({target.text, kept, Field::Kind::Attribute});
}

void Emitter::set_field(const Expr& target, Value* value) {
  Value* of = emit(*target.kids[0]);
  if (!is_object(of->type()))
    wrong(target, fmt::format("an attribute of a {} cannot be assigned", of->type()));
  const ClassType& cls = *of->type().class_type();
  ClassInfo& info = unit_->program().info(cls);
  const ClassPlace place{info.unit, info.syntax};
  if (has_option(info.syntax->decorators, "dataclass", "frozen")) wrong(target, frozen_text(place));
  if (cls.slot(target.text) < 0) {
    if (MethodPlace setter = unit_->program().find_setter(place, target.text)) {
      std::string name = "__" + target.text + "_setter";  // as TorchScript names it
      const Compiled& c =
          unit_->program().compile_method(info, setter, name, function_.source, target);
      compiled_call(c, cls.name + "." + name, {{of, ""}, {value, ""}}, target);
      return;
    }
    if (info.constants.count(target.text))
      wrong(target, fmt::format("'{}' is a constant of '{}' and cannot be assigned", target.text,
                                plain_name(cls)));
    add_field(of, target, value->type().without_shapes());
  }
  store_field(of, target, value);
}

void Emitter::store_field(Value* of, const Expr& target, Value* value) {
  const Type object = of->type();
  const ClassType& cls = *object.class_type();
  const Type type = cls.fields[static_cast<size_t>(cls.slot(target.text))].type;
  Value* fitting = convert_to(value, type, target);
  if (!fitting) {
    wrong(target, fmt::format("attribute '{}' has type {} but is being assigned a value of type {}",
                              target.text, type, value->type()));
  }
  Node* n = graph_->create(prim::set_attr(), {of, fitting}, 0);
  n->set_attr("name", IValue::str(target.text));
  place(n, target);
  const bool sets = function_.name == kPostInit && block_ == graph_->block();
  if (ClassInfo& info = unit_->program().info(cls); sets && info.defining)
    info.unset.erase(target.text);
}

// What a container holds under this key; null when there is nothing.
static const Field* find_item(const ClassInfo& info, const ClassType& cls, const IValue& key) {
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

std::optional<Type> Emitter::static_type(const Expr& e) {
  if (e.is(ExprKind::Name)) {
    Value* v = scopes_.value(e.text);
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
    const Field* f = key ? find_item(unit_->program().info(cls), cls, *key) : nullptr;
    return f ? std::optional<Type>(f->type) : std::nullopt;
  }
  if (int slot = cls.slot(e.text); slot >= 0) return cls.fields[static_cast<size_t>(slot)].type;
  ClassInfo& info = unit_->program().info(cls);
  auto it = info.constants.find(e.text);
  if (it == info.constants.end()) return std::nullopt;
  return it->second.type();
}

// A bool constant of a module, and hasattr of an object, decide what is compiled.
std::optional<bool> Emitter::class_condition(const Expr& e) {
  bool asks = e.is(ExprKind::Call) && e.kids[0]->is_name("hasattr") && e.kids.size() == 3 &&
              e.kids[2]->is(ExprKind::Str);
  std::optional<Type> of;
  if (asks || e.is(ExprKind::Attribute)) of = static_type(*e.kids[asks ? 1 : 0]);
  if (!of || !of->class_type() || of->is(TypeKind::Enum)) return std::nullopt;
  const std::string& name = asks ? e.kids[2]->text : e.text;
  ClassInfo& info = unit_->program().info(*of->class_type());
  auto it = info.constants.find(name);
  bool method = static_cast<bool>(unit_->program().find_method({info.unit, info.syntax}, name));
  bool has_field = of->class_type()->slot(name) >= 0;
  if (asks) return has_field || it != info.constants.end() || method;
  // The default of a field is no constant: the object may hold another value.
  if (has_field || it == info.constants.end() || !it->second.is_bool()) return std::nullopt;
  return it->second.as_bool();
}

std::vector<Value*> Emitter::children(Value* container, const Expr& at) {
  std::vector<Value*> out;
  const Type type = container->type();
  const ClassInfo& info = unit_->program().info(*type.class_type());
  for (const Field& f : type.class_type()->fields) {
    if (info.holds(f.kind)) out.push_back(get_field(container, f.name, f.type, at));
  }
  return out;
}

std::optional<std::vector<Value*>> Emitter::container_items(const Expr& over) {
  const Expr* of = &over;
  std::string what = "values";
  bool method =
      over.is(ExprKind::Call) && over.kids.size() == 1 && over.kids[0]->is(ExprKind::Attribute);
  if (method) {
    of = over.kids[0]->kids[0].get();
    what = over.kids[0]->text;
  }
  std::optional<Type> type = static_type(*of);
  if (!type || !is_object(*type)) return std::nullopt;
  ClassInfo& info = unit_->program().info(*type->class_type());
  if (info.container == Container::None) return std::nullopt;
  if (!method && info.container == Container::Dict) what = "keys";
  if (what != "values" && what != "keys" && what != "items" && what != "children")
    return std::nullopt;
  std::vector<Value*> out;
  if (what != "keys") out = children(emit(*of), over);
  if (what == "values" || what == "children") return out;
  size_t i = 0;
  for (const Field& f : type->class_type()->fields) {
    if (!info.holds(f.kind)) continue;
    Value* key = constant(IValue::str(f.name), over);
    if (what == "keys") out.push_back(key);
    else out[i] = node(prim::tuple_construct(), {key, out[i]}, over)->output();
    ++i;
  }
  return out;
}

// self.layers[1], self.layers[-1], self.heads["main"]; self.layers[1:] is a tuple of modules
Value* Emitter::container_item(Value* container, const Expr& e) {
  const Type type = container->type();
  ClassInfo& info = unit_->program().info(*type.class_type());
  if (info.container == Container::None) return nullptr;
  std::vector<const Field*> items;
  for (const Field& f : type.class_type()->fields) {
    if (info.holds(f.kind)) items.push_back(&f);
  }
  const Expr& index = index_part(*e.kids[1]);
  if (index.is(ExprKind::Slice) && info.container == Container::List)
    return tuple_index(node(prim::tuple_construct(), children(container, e), e)->output(), e);
  std::optional<IValue> key = literal_value(index);
  if (!key && index.is(ExprKind::Name)) {
    Value* v = scopes_.value(index.text);
    if (v && v->node()->is(prim::constant())) key = v->node()->constant();
  }
  if (const Field* f = key ? find_item(info, *type.class_type(), *key) : nullptr)
    return get_field(container, f->name, f->type, e);
  if (key && key->is_int() && info.container == Container::List)
    wrong(e, fmt::format("index {} is out of range for {} modules", key->as_int(), items.size()));
  if (!key && !items.empty())
    return chosen_item(container, items, info.container == Container::Dict, e);
  wrong(index,
        "a list of modules or parameters is indexed by an int, a dict of them by one of its keys");
}

// self.layers[i], self.heads[name] with an index known at run time: a chain of tests, of the type
// of all items or a union of theirs.
Value* Emitter::chosen_item(Value* container, const std::vector<const Field*>& items, bool keyed,
                            const Expr& e) {
  Value* index = emit(*e.kids[1]);
  if (!index->type().is(keyed ? TypeKind::Str : TypeKind::Int))
    wrong(*e.kids[1],
          fmt::format("a {} of modules is indexed by {}, given {}", keyed ? "dict" : "list",
                      keyed ? "a str" : "an int", index->type()));
  std::vector<Type> types;
  for (const Field* f : items) types.push_back(f->type);
  const Type type = Type::union_of(types);
  Value* at = index;
  if (!keyed) {
    Value* count = constant(IValue(static_cast<int64_t>(items.size())), e);
    Value* zero = constant(IValue(0), e);
    auto from_end = [&] { return apply(front::binary_op("+", false), {index, count}, e); };
    at = choose(apply(compare_op("<"), {index, zero}, e), e, from_end, [&] { return index; });
    require(apply(compare_op(">="), {at, zero}, e), "IndexError: index out of range", e);
    require(apply(compare_op("<"), {at, count}, e), "IndexError: index out of range", e);
  }
  std::function<Value*(size_t)> pick = [&](size_t k) {
    auto here = [&] { return get_field(container, items[k]->name, items[k]->type, e); };
    bool last = k + 1 == items.size();
    if (last && !keyed) return here();
    IValue key = keyed ? IValue::str(items[k]->name) : IValue(static_cast<int64_t>(k));
    Value* is = apply(compare_op("=="), {at, constant(key, e)}, e);
    if (!last) return choose(is, e, here, [&] { return pick(k + 1); }, &type);
    require(is, "KeyError: the dict has no module of this name", e);
    return here();
  };
  return pick(0);
}

// The i of x[i]; a tuple for x[i, j].
Value* Emitter::item_key(const Expr& e) {
  if (e.kids.size() == 2) return emit(*e.kids[1]);
  std::vector<Value*> parts;
  for (size_t i = 1; i < e.kids.size(); ++i) parts.push_back(emit(*e.kids[i]));
  return node(prim::tuple_construct(), parts, e)->output();
}

Value* Emitter::class_item(Value* of, const Expr& e) {
  Value* item = e.kids.size() == 2 ? container_item(of, e) : nullptr;
  if (item || (item = magic("__getitem__", {of, item_key(e)}, e))) return item;
  wrong(e, fmt::format("'{}' has no __getitem__", of->type()));
}

Value* Emitter::class_builtin(const std::string& name, Value* of, const Expr& e) {
  if (!is_object(of->type())) return nullptr;
  const Type type = of->type();
  const ClassType& cls = *type.class_type();
  const ClassInfo& info = unit_->program().info(cls);
  if (name == "len" && info.container != Container::None) {
    auto is_item = [&](const Field& f) { return info.holds(f.kind); };
    return constant(
        IValue(static_cast<int64_t>(std::count_if(cls.fields.begin(), cls.fields.end(), is_item))),
        e);
  }
  if (name == "str") return as_text(*this, of, e, Shown::Str);
  if (Value* v = magic(("__" + name + "__").c_str(), {of}, e)) return v;
  if (name == "bool") {
    if (Value* length = magic("__len__", {of}, e)) return to_bool(length, e);
    return flag(true);
  }
  wrong(e, fmt::format("'{}' has no __{}__", plain_name(cls), name));
}

// self.x: T = value, in __init__
void Emitter::define_field(const Expr& target, const Type& type, const Expr& value) {
  Value* given = emit(value, &type);
  Value* fitting = convert_to(given, type, value);
  if (!fitting) {
    wrong(value,
          fmt::format(
              "attribute '{}' is annotated with type {} but is being assigned a value of type {}",
              target.text, type, given->type()));
  }
  Value* of = emit(*target.kids[0]);
  if (!is_object(of->type()))
    wrong(target,
          fmt::format("only attributes of objects can be annotated, not of {}", of->type()));
  bool fresh = is_object(of->type()) && of->type().class_type()->slot(target.text) < 0;
  if (fresh) add_field(of, target, type);
  store_field(of, target, fitting);
}

// __exit__ runs on every way out of the block but a raise: early exits are flags, so it comes after
// the body.
Emitter::Flow Emitter::with_statement(const Stmt& s) {
  List body;
  for (const StmtPtr& b : s.body) body.push_back(b.get());
  const Expr& context = *s.value;
  std::string path = context.is(ExprKind::Call) ? module_path(*context.kids[0]) : "";
  if (is_void_context(path)) {
    if (!s.targets.empty()) wrong(context, fmt::format("'{}' gives no value", path));
    return statements(body);
  }
  std::optional<AutocastContext> cast;
  attempt(&s, [&] {
    cast = autocast_context(*this, path, context);
    if (cast && !s.targets.empty()) wrong(context, fmt::format("'{}' gives no value", path));
  });
  if (cast) {
    Node* before = block_->return_node()->prev();
    const Flow flow = statements(body);
    autocast_behind(block_, before, *cast, unit_->program().not_cast);
    return flow;
  }
  Value* manager = nullptr;
  std::string name;
  const Compiled* leaving = nullptr;
  bool fine = attempt(&s, [&] {
    ClassPlace mode = path.empty() ? ClassPlace() : unit_->program().grad_mode(path);
    manager = mode ? make_object(mode, context) : emit(context);
    if (!is_object(manager->type()))
      wrong(context, fmt::format("a {} has no __enter__ and __exit__", manager->type()));
    name = manager->type().class_type()->name;
    ClassInfo& info = unit_->program().info(*manager->type().class_type());
    const Compiled& enter = unit_->program().method(info, "__enter__", function_.source, context);
    leaving = &unit_->program().method(info, "__exit__", function_.source, context);
    Value* entered = compiled_call(enter, name + ".__enter__", {{manager, ""}}, context);
    if (!s.targets.empty()) bind_target(*s.targets[0], entered, context);
  });
  for (const ExprPtr& t : s.targets)
    if (!fine) forget(*t);
  Flow flow = statements(body);
  if (!fine || flow == Flow::Throws) return flow;
  const Compiled& exit = *leaving;
  std::vector<Argument> args{{manager, ""}};
  for (size_t i = 1; i < exit.schema.args.size() && i < 4; ++i) {
    Value* none = exit.schema.args[i].type.is_tensor() ? dummy_value(TypeKind::Tensor)
                                                       : constant(IValue(), context);
    args.push_back({none, ""});
  }
  compiled_call(exit, name + ".__exit__", std::move(args), context);
  return flow;
}

// The body of a method that is not compiled.
Emitter::Flow Emitter::raise_unused() {
  if (!declared_) declared_ = TypeKind::Tensor;
  Expr at;
  at.begin = function_.begin;
  at.end = function_.end;
  std::string text = fmt::format(
      "RuntimeError: '{}' is ignored by the compiler and cannot be called", function_.name);
  node(prim::raise(), {constant(IValue::str(text), at), constant(IValue(), at)}, at);
  return Flow::Throws;
}

void Emitter::begin(const std::vector<std::pair<std::string, Type>>& values) {
  graph_ = std::make_unique<Graph>();
  block_ = graph_->block();
  scopes_.push();
  for (const auto& [name, type] : values) {
    Value* v = graph_->add_input(type.without_shapes());
    scopes_.set(name, {v, {}, ""});
  }
}

}  // namespace fusillade::front
