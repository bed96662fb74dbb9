// Calls of classes and objects: construction, methods, modules called as functions, operators by
// magic methods.
//
//   C(1, 2)         prim::CreateObject, then prim::CallFunction of C.__init__
//   P(1, 2)         prim::NamedTupleConstruct
//   x.f(1)          of an x of several classes, as of an interface: a chain of isinstance
//   self.linear(x)  prim::CallFunction of Linear.forward with the submodule first
//   a + b           a.__add__(b), or b.__radd__(a)
#include <algorithm>

#include "engine/front/class.h"
#include "engine/front/emit_autocast.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

struct Magic {
  std::string_view op;
  const char* method;
  const char* turned;  // of the right operand
};

constexpr Magic kMagic[] = {{"+", "__add__", "__radd__"},    {"-", "__sub__", "__rsub__"},
                            {"*", "__mul__", "__rmul__"},    {"/", "__truediv__", "__rtruediv__"},
                            {"//", "__floordiv__", nullptr}, {"%", "__mod__", nullptr},
                            {"**", "__pow__", nullptr},      {"@", "__matmul__", nullptr},
                            {"&", "__and__", nullptr},       {"|", "__or__", nullptr},
                            {"^", "__xor__", nullptr},       {"<<", "__lshift__", nullptr},
                            {">>", "__rshift__", nullptr},   {"==", "__eq__", "__eq__"},
                            {"!=", "__ne__", "__ne__"},      {"<", "__lt__", "__gt__"},
                            {"<=", "__le__", "__ge__"},      {">", "__gt__", "__lt__"},
                            {">=", "__ge__", "__le__"}};

const Magic* magic_of(std::string_view op) {
  for (const Magic& m : kMagic) {
    if (m.op == op) return &m;
  }
  return nullptr;
}

bool is_object(const Value* v) { return v->type().is(TypeKind::Class); }

}  // namespace

std::vector<Argument> Emitter::arguments(const Expr& e, const Schema& schema, size_t skip) {
  std::vector<Argument> out;
  bool fine = true;
  for (size_t i = 1; i < e.kids.size(); ++i) {
    const Expr& kid = *e.kids[i];
    if (kid.is(ExprKind::Starred)) {
      Value* items = emit(*kid.kids[0]);
      if (!items->type().is(TypeKind::Tuple))
        wrong(kid, fmt::format("'*' takes apart a tuple, given {}", items->type()));
      for (Value* item : items_of(items, kid)) out.push_back({item, ""});
      continue;
    }
    const std::string& word = e.words[i - 1];
    const Type* hint = nullptr;
    for (size_t k = 0; k < schema.args.size(); ++k) {
      bool here = word.empty() ? k == out.size() + skip : schema.args[k].name == word;
      if (here) hint = &schema.args[k].type;
    }
    out.push_back({part(kid, hint, &fine), word});
  }
  if (!fine) throw Unknown();
  return out;
}

Value* Emitter::compiled_call(const Compiled& callee, const std::string& name,
                              std::vector<Argument> args, const Expr& e) {
  std::string why;
  std::optional<Fit> found = fit(callee.schema, args, Round::Implicit, &why);
  if (!found) wrong(e, fmt::format("the call does not fit {}: {}", callee.schema.text(), why));
  const std::vector<Value*> inputs = realise(callee.schema, *found, e);
  if (Value* v = site_ ? compute(callee, inputs, e) : nullptr) return v;
  weight_ += callee.weight;
  height_ = std::max(height_, callee.height + 1);
  Node* n = graph_->create(prim::call_function(), inputs, 1);
  n->output()->set_type(callee.result);
  n->set_attr("name", IValue::str(name));
  place(n, e);
  std::shared_ptr<Graph> copy = callee.graph->clone();
  copy_not_cast(*callee.graph, *copy, unit_->program().not_cast);
  n->set_attr("Subgraph", std::move(copy));
  return n->output();
}

Value* Emitter::user_call(const std::string& name, const Expr& e) {
  if (unit_->program().is_library(*unit_)) {
    const Function& f = *unit_->function(name);
    return library_call(*unit_, f, arguments(e, unit_->schema_of(f), 0), e);
  }
  const Compiled& callee = unit_->callee(name, function_.source, e);
  return compiled_call(callee, unit_->program().qualified_function(*unit_, name),
                       arguments(e, callee.schema, 0), e);
}

// An int, and the ints of a list as it is written, where floats are wanted; anything else as it is.
Value* Emitter::as_floats(Value* value, const Type& wanted, const Expr& at) {
  const Type& type = wanted.is(TypeKind::Optional) ? wanted.element() : wanted;
  bool list = type.is(TypeKind::List) && type.element().is(TypeKind::Float);
  if (!list && !type.is(TypeKind::Float)) return value;
  if (value->type().is(TypeKind::Int)) {
    if (!value->node()->is(prim::constant())) return apply(op::kFloat, {value}, at);
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

Value* Emitter::class_call(const Expr& e) {
  const Expr& callee = *e.kids[0];
  if (callee.is(ExprKind::Name) && scopes_.find(callee.text)) {
    Value* of = name(callee);
    if (of->type().is(TypeKind::Union)) return union_call(of, "", e);
    return is_object(of) ? object_call(of, "", e) : nullptr;
  }
  if (callee.is(ExprKind::Subscript) || callee.is(ExprKind::Call)) {
    Value* of = emit(callee);
    if (is_object(of)) return object_call(of, "", e);
    if (Value* v = of->type().is(TypeKind::Union) ? union_call(of, "", e) : nullptr) return v;
    wrong(callee, fmt::format("a {} cannot be called", of->type()));
  }
  if (ClassPlace place = unit_->program().find(*unit_, callee)) return make_object(place, e);
  if (!callee.is(ExprKind::Attribute)) return nullptr;
  const Expr& of = *callee.kids[0];
  if (of.is(ExprKind::Call) && of.kids[0]->is_name("super")) return super_call(e);
  if (of.is(ExprKind::Name) && scopes_.find(of.text)) return nullptr;
  ClassPlace place = unit_->program().find(*unit_, of);
  if (!place) return nullptr;
  MethodPlace m = unit_->program().find_method(place, callee.text);
  bool bound = m && !decorated_with(m.function->decorators, "staticmethod") && e.kids.size() > 1;
  if (Value* v = bound && e.kids[1]->is(ExprKind::Name) ? super_call(e, &place) : nullptr) return v;
  if (!m || !decorated_with(m.function->decorators, "staticmethod"))
    wrong(callee, fmt::format("'{}' has no static method '{}'", of.text, callee.text));
  ClassInfo& info = unit_->program().sort_of(place) == ClassSort::Module
                        ? unit_->program().info(*schema_.args.at(0).type.class_type())
                        : unit_->program().find_or_declare(place);
  const Compiled& c = unit_->program().compile_method(info, m, callee.text, function_.source, e);
  return compiled_call(c, info.type->name + "." + callee.text, arguments(e, c.schema, 0), e);
}

Value* Emitter::make_object(const ClassPlace& place, const Expr& e) {
  Program& program = unit_->program();
  if (program.sort_of(place) == ClassSort::Module)
    wrong(e, fmt::format("the module '{}' can only be made in __init__", place.syntax->name));
  ClassInfo& info = program.find_or_declare(place);
  if (info.type->kind == ClassType::Kind::Enum)
    wrong(e,
          "the members of an enum are not found by value: loop over the enum and compare '.value'");
  Type type = Type::of(info.type);
  bool init = static_cast<bool>(program.find_method(place, "__init__"));
  if (init && info.type->kind == ClassType::Kind::Object) {
    Value* object = node(prim::create_object(), {}, e)->output();
    object->set_type(type);
    const Compiled& c = program.method(info, "__init__", function_.source, e);
    std::vector<Argument> args = arguments(e, c.schema, 1);
    args.insert(args.begin(), {object, ""});
    compiled_call(c, info.type->name + ".__init__", std::move(args), e);
    return object;
  }
  return make_from_fields(info, type, e);
}

// A named tuple, or an object of a class without __init__: fields by position or name, the rest by
// default.
Value* Emitter::make_from_fields(ClassInfo& info, const Type& type, const Expr& e) {
  Schema schema;
  schema.name = info.type->name;
  for (size_t i = 0; i < info.given_fields(); ++i) {
    const Field& f = info.type->fields[i];
    if (!info.options(f.name).init) continue;
    SchemaArg a;
    a.name = f.name;
    a.type = f.type;
    auto value = info.constants.find(f.name);
    a.has_default = value != info.constants.end();
    if (a.has_default) a.default_value = value->second;
    schema.args.push_back(std::move(a));
  }
  std::vector<Argument> args = arguments(e, schema, 0);
  auto empty_value = [&](const Type& t) {
    return t.is(TypeKind::List) ? list_of({}, t.element(), e) : dict_of({}, t, e);
  };
  for (size_t i = 0; i < schema.args.size(); ++i) {
    const SchemaArg& a = schema.args[i];
    auto matches_name = [&](const Argument& given) { return given.keyword == a.name; };
    bool given = (i < args.size() && args[i].keyword.empty()) ||
                 std::any_of(args.begin(), args.end(), matches_name);
    if (given || !info.empty_defaults.count(a.name)) continue;
    args.push_back({empty_value(a.type), a.name});
  }
  std::string why;
  std::optional<Fit> found = fit(schema, args, Round::Implicit, &why);
  if (!found) wrong(e, fmt::format("the call does not fit {}: {}", schema.text(), why));
  std::vector<Value*> values = realise(schema, *found, e);
  if (info.type->kind == ClassType::Kind::NamedTuple) return named_tuple(values, type, e);
  Node* object = graph_->create(prim::create_object(), {}, 1);
  object->output()->set_type(type);
  place(object, e);
  for (size_t i = 0, next = 0; i < info.given_fields(); ++i) {
    const Field& f = info.type->fields[i];
    auto known = info.constants.find(f.name);
    Value* value = info.options(f.name).init ? values[next++]
                   : known != info.constants.end()
                       ? convert_to(object_constant(known->second, e), f.type, e)
                   : info.empty_defaults.count(f.name) ? empty_value(f.type)
                                                       : nullptr;
    if (!value) continue;  // left to __post_init__
    Node* n = graph_->create(prim::set_attr(), {object->output(), value}, 0);
    n->set_attr("name", IValue::str(f.name));
    place(n, e);
  }
  magic(kPostInit, {object->output()}, e);
  return object->output();
}

Value* Emitter::object_call(Value* of, const std::string& name, const Expr& e) {
  Program& program = unit_->program();
  const Type type = of->type();
  const ClassType& cls = *type.class_type();
  ClassInfo& info = program.info(cls);
  if (int slot = name.empty() ? -1 : cls.slot(name); slot >= 0) {
    const Type& field = cls.fields[static_cast<size_t>(slot)].type;
    if (!field.is(TypeKind::Class))
      wrong(e, fmt::format("attribute '{}' is {} and cannot be called", name, field));
    return object_call(get_field(of, name, field, *e.kids[0]), "", e);
  }
  auto function = info.functions.find(name);
  if (function != info.functions.end()) {
    const std::string path = function->second;
    return path.find('.') == std::string::npos ? user_call(path, e) : module_call(path, e);
  }
  std::string wanted = !name.empty()                         ? name
                       : cls.kind == ClassType::Kind::Module ? "forward"
                                                             : "__call__";
  MethodPlace m = program.find_method({info.unit, info.syntax}, wanted);
  bool is_static = m && decorated_with(m.function->decorators, "staticmethod");
  const Compiled* c = &program.method(info, wanted, function_.source, *e.kids[0]);
  std::vector<Argument> args = arguments(e, c->schema, is_static ? 0 : 1);
  bool packed = wanted == "forward" && !args.empty() && args[0].value->type().class_type();
  if (packed && program.find_method({info.unit, info.syntax},
                                    "forward__1")) {  // the recurrent layers, nn/rnn.py
    wanted = "forward__1";
    c = &program.method(info, wanted, function_.source, *e.kids[0]);
  }
  if (!is_static) args.insert(args.begin(), {of, ""});
  return compiled_call(*c, cls.name + "." + wanted, std::move(args), e);
}

// of.f(...) where `of` is of one of several classes: the method of its own class.
Value* Emitter::union_call(Value* of, const std::string& name, const Expr& e) {
  for (const Type& t : of->type().elements()) {
    if (!t.is(TypeKind::Class)) return nullptr;
    const ClassInfo& info = unit_->program().info(*t.class_type());
    std::string wanted = !name.empty()                                     ? name
                         : t.class_type()->kind == ClassType::Kind::Module ? "forward"
                                                                           : "__call__";
    if (!unit_->program().find_method({info.unit, info.syntax}, wanted)) return nullptr;
  }
  return by_option(of, 0, e, [&](Value* object) { return object_call(object, name, e); });
}

// What `use` gives for a value of a union, the first `at` of its options excluded, as the type that
// it is of.
Value* Emitter::by_option(Value* of, size_t at, const Expr& e,
                          const std::function<Value*(Value*)>& use) {
  const std::vector<Type> options = of->type().elements();
  auto here = [&] { return use(known_as(of, options[at], e)); };
  if (at + 1 == options.size()) return here();
  Node* is = node(operator_named(op::kIsInstance), {of}, e);
  is->set_attr("name", IValue::str(options[at].text()));
  return choose(is->output(), e, here, [&] { return by_option(of, at + 1, e, use); });
}

// super().f(...): the method of a base, on the same object. With `from`: Base.f(self, ...); null
// when it is no base.
Value* Emitter::super_call(const Expr& e, const ClassPlace* from) {
  Program& program = unit_->program();
  const std::string& name = e.kids[0]->text;
  Value* self = graph_->inputs().empty() ? nullptr : graph_->inputs()[0];
  bool own = self && is_object(self) && (!from || scopes_.value(e.kids[1]->text) == self);
  if (!own && from) return nullptr;
  if (!own) wrong(e, "super() stands in methods only");
  const ClassType& cls = *self->type().class_type();
  ClassInfo& info = program.info(cls);
  bool behind = false;
  size_t above = 0;  // how far the base is up; part of the method's name in the class of the object
  for (const ClassPlace& p : program.ancestry({info.unit, info.syntax})) {
    behind = behind || (from && p.syntax == from->syntax);
    for (const Function& f : p.syntax->methods) {
      if (behind && f.name == name) {
        std::string key = fmt::format("super{}_{}", above, name);
        const Compiled& c = program.compile_method(info, {p, &f}, key, function_.source, e);
        std::vector<Argument> args = arguments(e, c.schema, from ? 0 : 1);
        if (!from) args.insert(args.begin(), {self, ""});
        return compiled_call(c, cls.name + "." + key, std::move(args), e);
      }
    }
    for (const Function& f : p.syntax->methods) behind = behind || (!from && &f == &function_);
    ++above;
  }
  if (from) return nullptr;
  wrong(e, fmt::format("no base of '{}' has a method '{}'", plain_name(cls), name));
}

Value* Emitter::magic(const char* name, const std::vector<Value*>& values, const Expr& at) {
  const Type type = values[0]->type();
  if (!type.class_type()) return nullptr;
  ClassInfo& info = unit_->program().info(*type.class_type());
  if (!unit_->program().find_method({info.unit, info.syntax}, name)) return nullptr;
  const Compiled& c = unit_->program().method(info, name, function_.source, at);
  std::vector<Argument> args;
  for (Value* v : values) args.push_back({v, ""});
  return compiled_call(c, type.class_type()->name + "." + name, std::move(args), at);
}

// a += b: __iadd__ of an object, or nothing.
Value* Emitter::magic_in_place(const std::string& op, Value* left, Value* right, const Expr& at) {
  const Magic* m = is_object(left) ? magic_of(op) : nullptr;
  return m ? magic(fmt::format("__i{}", m->method + 2).c_str(), {left, right}, at) : nullptr;
}

// Two of one dataclass without an __eq__ of its own are equal as the tuples of their fields are,
// and with order=True ordered as these.
Value* Emitter::compare_fields(const std::string& op, Value* left, Value* right, const Expr& at) {
  if (!is_object(left) || !is_object(right)) return nullptr;
  const ClassPtr& cls = left->type().class_type();
  if (right->type().class_type().get() != cls.get()) return nullptr;
  const ClassInfo& info = unit_->program().info(*cls);
  const std::vector<ExprPtr>& decorators = info.syntax->decorators;
  bool equality = op == "==" || op == "!=", ordering = op[0] == '<' || op[0] == '>';
  bool compares = equality ? unit_->program().compares_fields(*cls)
                           : ordering && has_option(decorators, "dataclass", "order");
  if (!compares) return nullptr;
  Value* sides[2] = {left, right};
  for (Value*& side : sides) {
    std::vector<Value*> items;
    for (size_t i = 0; i < info.given_fields(); ++i)
      if (info.options(cls->fields[i].name).compare)
        items.push_back(get_field(side, cls->fields[i].name, cls->fields[i].type, at));
    side = node(prim::tuple_construct(), items, at)->output();
  }
  return compare_tuples(op, sides[0], sides[1], at);
}

Value* Emitter::magic_binary(const std::string& op, Value* left, Value* right, const Expr& at) {
  const Magic* m = is_object(left) || is_object(right) ? magic_of(op) : nullptr;
  if (!m) return nullptr;
  if (Value* v = magic(m->method, {left, right}, at)) return v;
  if (Value* v = m->turned ? magic(m->turned, {right, left}, at) : nullptr) return v;
  if (Value* v = compare_fields(op, left, right, at)) return v;
  wrong(at, fmt::format("'{}' of {} and {}: neither class has {}", op, left->type(), right->type(),
                        m->method));
}

Value* Emitter::magic_compare(const std::string& op, Value* left, Value* right, const Expr& at) {
  if (op == "in" || op == "not in") {
    Value* found = magic("__contains__", {right, left}, at);
    const ClassInfo* info =
        is_object(right) ? &unit_->program().info(*right->type().class_type()) : nullptr;
    if (!found && info && info->container == Container::Dict && left->type().is(TypeKind::Str)) {
      found = flag(false);
      for (const Field& f : info->type->fields) {
        if (!info->holds(f.kind)) continue;
        Value* here = apply(compare_op("=="), {left, constant(IValue::str(f.name), at)}, at);
        found = apply(front::binary_op("|", false), {found, here}, at);
      }
    }
    return !found || op == "in" ? found : apply(op::kNot, {found}, at);
  }
  bool enums = left->type().is(TypeKind::Enum) && right->type().is(TypeKind::Enum);
  if (enums && (op == "is" || op == "is not"))
    return apply(compare_op(op == "is" ? "==" : "!="), {left, right}, at);
  return op == "is" || op == "is not" ? nullptr : magic_binary(op, left, right, at);
}

}  // namespace fusillade::front
