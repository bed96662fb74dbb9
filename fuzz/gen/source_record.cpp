// Named tuples, enums and context managers of generated scripts, and Optionals that are known to be more than None.
//
// A record is a type as any other: it is handed on, kept in lists, given back. Python knows them by name only, so that
// the program's own parameters and results hold none.
#include "engine/ir/literal.h"
#include "engine/ops/class_type.h"
#include "fuzz/gen/source.h"

namespace fusillade::fuzz {

// class T0(NamedTuple):
void Source::named_tuple(const std::string& name) {
  auto cls = std::make_shared<ClassType>();
  cls->name = name;
  cls->kind = ClassType::Kind::NamedTuple;
  line("class " + name + "(NamedTuple):");
  ++indent_;
  Callee make{name, {}, {}, 0};
  bool defaults = false;
  for (int64_t n = choices_.between(1, 3); n > 0; --n) {
    Type type = choices_.chance(0.3) ? Type::list(draw_scalar()) : draw_scalar();
    defaults = !type.is(TypeKind::List) && (defaults || choices_.chance(0.2));
    if (type.is(TypeKind::List) && !make.arguments.empty() && make.arguments.back().has_default) type = draw_scalar();
    defaults = defaults || (!make.arguments.empty() && make.arguments.back().has_default);
    make.arguments.push_back({fresh("a"), type, defaults});
    cls->fields.push_back({make.arguments.back().name, type});
    line(make.arguments.back().name + ": " + annotation(type) + (defaults ? " = " + default_text(type) : ""));
  }
  --indent_;
  make.result = Type::of(std::move(cls));
  records_.push_back(make.result);
  callees_.push_back(std::move(make));
}

// class E0(Enum):
void Source::enumeration(const std::string& name) {
  static constexpr TypeKind kKinds[] = {TypeKind::Int, TypeKind::Int, TypeKind::Str, TypeKind::Float};
  static constexpr const char* kMembers[] = {"RED", "GREEN", "BLUE"};
  auto cls = std::make_shared<ClassType>();
  cls->name = name;
  cls->kind = ClassType::Kind::Enum;
  TypeKind kind = kKinds[choices_.below(4)];
  cls->value_type = kind;
  line("class " + name + "(Enum):");
  ++indent_;
  for (int64_t i = 0, n = choices_.between(1, 3); i < n; ++i) {
    IValue value = kind == TypeKind::Int   ? IValue(choices_.between(0, 2) + 3 * i)
                   : kind == TypeKind::Str ? IValue::str(std::string(1, static_cast<char>('a' + i)))
                                           : IValue(static_cast<double>(i) + 0.5);
    cls->members.push_back({kMembers[i], value});
    line(fmt::format("{} = {}", kMembers[i], print_literal(value)));
  }
  --indent_;
  records_.push_back(Type::of(std::move(cls)));
}

// class W0: counts how often it was entered and left.
void Source::manager_class(const std::string& name) {
  line("class " + name + ":");
  ++indent_;
  auto method = [&](const std::string& head, const std::string& first, const std::string& second) {
    line("def " + head + ":");
    ++indent_;
    line(first);
    if (!second.empty()) line(second);
    --indent_;
  };
  method("__init__(self, n: int)", "self.n = n", "");
  method("__enter__(self) -> int", choices_.chance(0.5) ? "self.n += 1" : "self.n = self.n * 2 % 1009", "return self.n");
  method("__exit__(self, type: Any, value: Any, tb: Any)", choices_.chance(0.5) ? "self.n -= 7" : "self.n = self.n * 3 % 101", "");
  --indent_;
  managers_.push_back(name);
}

// A member of an enum, or a named tuple made of literals.
Text Source::record_literal(const Type& type) {
  const ClassType& cls = *type.class_type();
  if (cls.kind == ClassType::Kind::Enum) return {cls.name + "." + choices_.pick(cls.members).name};
  std::string s;
  for (const Field& field : cls.fields) s += (s.empty() ? "" : ", ") + literal(field.type).s;
  return {cls.name + "(" + s + ")"};
}

// o.a of a named tuple, e.value and e.name of an enum.
Text Source::part_of_record(const Type& type) {
  std::vector<std::string> found;
  for (const Var& v : vars_) {
    const ClassPtr& cls = v.type.class_type();
    if (!cls) continue;
    for (const Field& field : cls->fields) {
      if (field.type == type) found.push_back(v.name + "." + field.name);
    }
    bool is_enum = cls->kind == ClassType::Kind::Enum;
    if (is_enum && cls->value_type == type) found.push_back(v.name + ".value");
    if (is_enum && type.is(TypeKind::Str)) found.push_back(v.name + ".name");
  }
  return {found.empty() ? "" : choices_.pick(found)};
}

// with W0(3) as v1:
Source::End Source::with_statement(int depth) {
  std::vector<Var> named;  // from the body on
  auto enter = [&] {
    std::string object = fresh("o");
    line(fmt::format("{} = {}({})", object, choices_.pick(managers_), bounded(TypeKind::Int, expression(TypeKind::Int, 1)).s));
    vars_.push_back({object + ".n", TypeKind::Int, true});
    if (choices_.chance(0.3)) return object;
    std::string name = fresh("v");
    named.push_back({name, TypeKind::Int});
    return object + " as " + name;
  };
  bool grad = tensors_ && (managers_.empty() || choices_.chance(0.4));
  std::string heads = grad ? "torch.no_grad()" : enter();
  if (!managers_.empty() && choices_.chance(0.2)) heads += ", " + enter();
  line("with " + heads + ":");
  vars_.insert(vars_.end(), named.begin(), named.end());
  ++indent_;
  const std::vector<Var> before = vars_;
  End end = block(static_cast<int>(choices_.between(1, 3)), depth + 1);
  forget(before);
  --indent_;
  return end;
}

// Optionals by a plain name: what an object holds is not known to stay.
std::vector<const Source::Var*> Source::optionals() const {
  std::vector<const Var*> out;
  for (const Var& v : vars_) {
    if (v.type.is(TypeKind::Optional) && v.name.find('.') == std::string::npos) out.push_back(&v);
  }
  return out;
}

// What an Optional holds, or something else.
Text Source::narrowed(const Type& type) {
  for (const Var* v : optionals()) {
    if (!(v->type.element() == type) || choices_.chance(0.4)) continue;
    const std::string name = v->name;
    bool inverted = choices_.chance(0.3);
    std::string other = leaf(type).s;
    return {inverted ? fmt::format("({1} if {0} is None else {0})", name, other)
                     : fmt::format("({0} if {0} is not None else {1})", name, other)};
  }
  return {""};
}

// v is not None and v > 2, v is None or v > 2
Text Source::asked_of_optional(int depth) {
  std::vector<const Var*> known = optionals();
  if (known.empty()) return comparison(depth);
  const Var v = *choices_.pick(known);
  bool both = choices_.chance(0.5);
  const std::vector<Var> before = vars_;
  refined(v.name);
  Text rest = operand(TypeKind::Bool, depth, both ? kNot : kAnd);
  vars_ = before;
  if (both) return {v.name + " is not None and " + rest.s, kAnd};
  return {v.name + " is None or " + rest.s, kOr};
}

// From here on the Optional of that name is known to be more.
void Source::refined(const std::string& name) {
  for (Var& v : vars_) {
    if (v.name != name || !v.type.is(TypeKind::Optional)) continue;
    Type inner = v.type.element();
    v.type = inner;
    v.fixed = true;
    v.least = 0;
  }
}

// What was found out of Optionals since then holds no more.
void Source::forget(const std::vector<Var>& before) {
  for (size_t i = 0; i < before.size(); ++i) {
    vars_[i].type = before[i].type;
    vars_[i].fixed = before[i].fixed;
  }
}

// To the end of the block an Optional is known to be more: otherwise control leaves, or it gets a value.
void Source::refine() {
  std::vector<const Var*> known = optionals();
  if (known.empty()) return define();
  const Var v = *choices_.pick(known);
  uint64_t kind = choices_.below(4);
  if (kind == 0) {
    line(fmt::format("assert {} is not None, \"none {}\"", v.name, names_++));
  } else if (kind == 1 || v.fixed) {
    line("if " + v.name + " is None:");
    ++indent_;
    exit_statement();
    --indent_;
  } else {
    line(fmt::format("if {0} is None: {0} = {1}", v.name, literal(v.type.element()).s));
  }
  refined(v.name);
}

}  // namespace fusillade::fuzz
