// Named tuples, enums and context managers of generated scripts.
//
// A record is a type as any other: it is handed on, kept in lists, given back. Python knows them by
// name only, so that the program's own parameters and results hold none.
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
    Type type = draw_state();
    if (defaults && !has_plain_literal(type)) type = draw_scalar();
    defaults = defaults || (has_plain_literal(type) && choices_.chance(0.2));
    make.arguments.push_back({fresh("a"), type, defaults});
    cls->fields.push_back({make.arguments.back().name, type});
    line(make.arguments.back().name + ": " + annotation(type) +
         (defaults ? " = " + default_text(type) : ""));
  }
  --indent_;
  make.result = Type::of(std::move(cls));
  records_.push_back(make.result);
  callees_.push_back(std::move(make));
}

// class E0(Enum):
void Source::enumeration(const std::string& name) {
  static constexpr TypeKind kKinds[] = {TypeKind::Int, TypeKind::Int, TypeKind::Str,
                                        TypeKind::Float};
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
  method("__enter__(self) -> int",
         choices_.chance(0.5) ? "self.n += 1" : "self.n = self.n * 2 % 1009", "return self.n");
  method("__exit__(self, type: Any, value: Any, tb: Any)",
         choices_.chance(0.5) ? "self.n -= 7" : "self.n = self.n * 3 % 101", "");
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
    line(fmt::format("{} = {}({})", object, choices_.pick(managers_),
                     bounded(TypeKind::Int, expression(TypeKind::Int, 1)).s));
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
  --indent_;
  forget(before);
  return end;
}

}  // namespace fusillade::fuzz
