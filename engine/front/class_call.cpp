// Calls of classes and objects; see class_emit.h.
#include <algorithm>

#include "engine/front/class_emit.h"
#include "engine/front/emit_call.h"
#include "engine/front/emit_operator.h"
#include "engine/front/special_names.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

// What a call of an object is a call of, where it names no method.
std::string called_method(const ClassType& cls, const std::string& name) {
  if (!name.empty()) return name;
  return cls.kind == ClassType::Kind::Module ? kForward : "__call__";
}

}  // namespace

Value* ClassEmitter::class_call(const Expr& e) {
  const Expr& callee = *e.kids[0];
  if (callee.is(ExprKind::Name) && to_.scopes().find(callee.text)) {
    Value* of = to_.name(callee);
    if (of->type().is(TypeKind::Union)) return union_call(of, "", e);
    return is_object(of) ? object_call(of, "", e) : nullptr;
  }
  if (callee.is(ExprKind::Subscript) || callee.is(ExprKind::Call)) {
    Value* of = to_.emit(callee);
    if (is_object(of)) return object_call(of, "", e);
    if (Value* v = of->type().is(TypeKind::Union) ? union_call(of, "", e) : nullptr) return v;
    to_.wrong(callee, fmt::format("a {} cannot be called", of->type()));
  }
  if (ClassPlace place = to_.program().find(to_.unit(), callee)) return make_object(place, e);
  if (!callee.is(ExprKind::Attribute)) return nullptr;
  const Expr& of = *callee.kids[0];
  if (of.is(ExprKind::Call) && of.kids[0]->is_name("super")) return super_call(e);
  if (of.is(ExprKind::Name) && to_.scopes().find(of.text)) return nullptr;
  ClassPlace place = to_.program().find(to_.unit(), of);
  if (!place) return nullptr;
  MethodPlace m = to_.program().find_method(place, callee.text);
  bool bound = m && !decorated_with(m.function->decorators, "staticmethod") && e.kids.size() > 1;
  if (Value* v = bound && e.kids[1]->is(ExprKind::Name) ? super_call(e, &place) : nullptr) return v;
  if (!m || !decorated_with(m.function->decorators, "staticmethod"))
    to_.wrong(callee, fmt::format("'{}' has no static method '{}'", of.text, callee.text));
  ClassInfo& info = to_.program().sort_of(place) == ClassSort::Module
                        ? to_.program().info(*to_.schema().args.at(0).type.class_type())
                        : to_.program().find_or_declare(place);
  const Compiled& c = to_.program().compile_method(info, m, callee.text, to_.source(), e);
  return to_.calls().compiled_call(c, info.type->name + "." + callee.text,
                                   to_.calls().arguments_for(c.schema, 0, e), e);
}

Value* ClassEmitter::make_object(const ClassPlace& place, const Expr& e) {
  Program& program = to_.program();
  if (program.sort_of(place) == ClassSort::Module)
    to_.wrong(e, fmt::format("the module '{}' can only be made in __init__", place.syntax->name));
  ClassInfo& info = program.find_or_declare(place);
  if (info.type->kind == ClassType::Kind::Enum)
    to_.wrong(
        e,
        "the members of an enum are not found by value: loop over the enum and compare '.value'");
  Type type = Type::of(info.type);
  bool init = static_cast<bool>(program.find_method(place, kInit));
  if (init && info.type->kind == ClassType::Kind::Object) {
    Value* object = to_.node(prim::create_object(), {}, type, e)->output();
    const Compiled& c = program.method(info, kInit, to_.source(), e);
    std::vector<Argument> args = to_.calls().arguments_for(c.schema, 1, e);
    args.insert(args.begin(), {object, ""});
    to_.calls().compiled_call(c, info.type->name + ".__init__", std::move(args), e);
    return object;
  }
  return make_from_fields(info, type, e);
}

// A named tuple, or an object of a class without __init__: fields by position or name, the rest by
// default.
Value* ClassEmitter::make_from_fields(ClassInfo& info, const Type& type, const Expr& e) {
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
  std::vector<Argument> args = to_.calls().arguments_for(schema, 0, e);
  auto empty_value = [&](const Type& t) {
    return t.is(TypeKind::List) ? to_.list_of({}, t.element(), e) : to_.dict_of({}, t, e);
  };
  for (size_t i = 0; i < schema.args.size(); ++i) {
    const SchemaArg& a = schema.args[i];
    auto matches_name = [&](const Argument& given) { return given.keyword == a.name; };
    bool given = (i < args.size() && args[i].keyword.empty()) ||
                 std::any_of(args.begin(), args.end(), matches_name);
    if (given || !info.empty_defaults.count(a.name)) continue;
    args.push_back({empty_value(a.type), a.name});
  }
  const std::vector<Value*> values = to_.fit_arguments(schema, args, e);
  if (info.type->kind == ClassType::Kind::NamedTuple) return to_.named_tuple(values, type, e);
  Value* object = to_.node(prim::create_object(), {}, type, e)->output();
  for (size_t i = 0, next = 0; i < info.given_fields(); ++i) {
    const Field& f = info.type->fields[i];
    auto known = info.constants.find(f.name);
    Value* value = info.options(f.name).init ? values[next++]
                   : known != info.constants.end()
                       ? to_.convert_to(to_.object_constant(known->second, e), f.type, e)
                   : info.empty_defaults.count(f.name) ? empty_value(f.type)
                                                       : nullptr;
    if (value) write_field(object, f.name, value, e);  // else left to __post_init__
  }
  to_.operators().magic(kPostInit, {object}, e);
  return object;
}

Value* ClassEmitter::object_call(Value* of, const std::string& name, const Expr& e) {
  Program& program = to_.program();
  const Type type = of->type();
  const ClassType& cls = *type.class_type();
  ClassInfo& info = program.info(cls);
  if (int slot = name.empty() ? -1 : cls.slot(name); slot >= 0) {
    const Type& field = cls.fields[static_cast<size_t>(slot)].type;
    if (!field.is(TypeKind::Class))
      to_.wrong(e, fmt::format("attribute '{}' is {} and cannot be called", name, field));
    return object_call(get_field(of, name, field, *e.kids[0]), "", e);
  }
  auto function = info.functions.find(name);
  if (function != info.functions.end()) {
    const std::string path = function->second;
    return to_.calls().named_call(path, e);
  }
  std::string wanted = called_method(cls, name);
  MethodPlace m = program.find_method({info.unit, info.syntax}, wanted);
  bool is_static = m && decorated_with(m.function->decorators, "staticmethod");
  const Compiled* c = &program.method(info, wanted, to_.source(), *e.kids[0]);
  std::vector<Argument> args = to_.calls().arguments_for(c->schema, is_static ? 0 : 1, e);
  bool packed = wanted == kForward && !args.empty() && args[0].value->type().class_type();
  if (packed && program.find_method({info.unit, info.syntax},
                                    "forward__1")) {  // the recurrent layers, nn/rnn.py
    wanted = "forward__1";
    c = &program.method(info, wanted, to_.source(), *e.kids[0]);
  }
  if (!is_static) args.insert(args.begin(), {of, ""});
  return to_.calls().compiled_call(*c, cls.name + "." + wanted, std::move(args), e);
}

// of.f(...) where `of` is of one of several classes: the method of its own class.
Value* ClassEmitter::union_call(Value* of, const std::string& name, const Expr& e) {
  for (const Type& t : of->type().elements()) {
    if (!t.is(TypeKind::Class)) return nullptr;
    const ClassInfo& info = info_of(t);
    const std::string wanted = called_method(*t.class_type(), name);
    if (!to_.program().find_method({info.unit, info.syntax}, wanted)) return nullptr;
  }
  return to_.by_option(of, 0, e, [&](Value* object) { return object_call(object, name, e); });
}

// super().f(...): the method of a base, on the same object. With `from`: Base.f(self, ...); null
// when it is no base.
Value* ClassEmitter::super_call(const Expr& e, const ClassPlace* from) {
  Program& program = to_.program();
  const std::string& name = e.kids[0]->text;
  Value* self = to_.graph().inputs().empty() ? nullptr : to_.graph().inputs()[0];
  bool own = self && is_object(self) && (!from || to_.scopes().value(e.kids[1]->text) == self);
  if (!own && from) return nullptr;
  if (!own) to_.wrong(e, "super() stands in methods only");
  const ClassType& cls = *self->type().class_type();
  ClassInfo& info = program.info(cls);
  bool behind = false;
  size_t above = 0;  // how far the base is up; part of the method's name in the class of the object
  for (const ClassPlace& p : program.ancestry({info.unit, info.syntax})) {
    behind = behind || (from && p.syntax == from->syntax);
    for (const Function& f : p.syntax->methods) {
      if (behind && f.name == name) {
        std::string key = fmt::format("super{}_{}", above, name);
        const Compiled& c = program.compile_method(info, {p, &f}, key, to_.source(), e);
        std::vector<Argument> args = to_.calls().arguments_for(c.schema, from ? 0 : 1, e);
        if (!from) args.insert(args.begin(), {self, ""});
        return to_.calls().compiled_call(c, cls.name + "." + key, std::move(args), e);
      }
    }
    for (const Function& f : p.syntax->methods) behind = behind || (!from && &f == &to_.function());
    ++above;
  }
  if (from) return nullptr;
  to_.wrong(e, fmt::format("no base of '{}' has a method '{}'", plain_name(cls), name));
}

}  // namespace fusillade::front
