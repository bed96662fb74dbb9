// Named tuples, enums and context managers of generated scripts.
//
// A record is a type as any other: it is handed on, kept in lists, given back. Python knows them by
// name only, so that the program's own parameters and results hold none.
#include "engine/ir/literal.h"
#include "engine/ops/class_type.h"
#include "fuzz/gen/source.h"

namespace fusillade::fuzz::source {
namespace {

// A variable of a named tuple or an enum.
End define_record(Writer& w, int) {
  if (w.records.empty()) return End::None;
  const Type type = w.choices.pick(w.records);
  std::string name = fresh(w, "v");
  line(w, name + " = " + limit_growth(w, type, expression(w, type, 0)).s);
  w.vars.push_back({name, type});
  return End::Falls;
}

// with W0(3) as v1:
End with_statement(Writer& w, int depth) {
  if (!w.tensors && w.managers.empty()) return End::None;
  std::vector<Var> named;  // from the body on
  auto enter = [&] {
    std::string object = fresh(w, "o");
    line(w, fmt::format("{} = {}({})", object, w.choices.pick(w.managers),
                        limit_growth(w, TypeKind::Int, expression(w, TypeKind::Int, 1)).s));
    w.vars.push_back({object + ".n", TypeKind::Int, true});
    if (w.choices.chance(0.3)) return object;
    std::string name = fresh(w, "v");
    named.push_back({name, TypeKind::Int});
    return object + " as " + name;
  };
  bool grad = w.tensors && (w.managers.empty() || w.choices.chance(0.4));
  std::string heads = grad ? "torch.no_grad()" : enter();
  if (!w.managers.empty() && w.choices.chance(0.2)) heads += ", " + enter();
  line(w, "with " + heads + ":");
  w.vars.insert(w.vars.end(), named.begin(), named.end());
  ++w.indent;
  const std::vector<Var> before = w.vars;
  End end = block(w, static_cast<int>(w.choices.between(1, 3)), depth + 1);
  --w.indent;
  forget(w, before);
  return end;
}

[[maybe_unused]] const bool kRecords =
    add_productions(Grammar::Statement, 19,
                    {{"script.record", "a name for a named tuple or an enum", 1, define_record}});
[[maybe_unused]] const bool kManagers = add_productions(
    Grammar::Statement, 27,
    {{"script.with", "statements under context managers", 2, with_statement, kMostNesting}});

}  // namespace

// class T0(NamedTuple):
void named_tuple(Writer& w, const std::string& name) {
  auto cls = std::make_shared<ClassType>();
  cls->name = name;
  cls->kind = ClassType::Kind::NamedTuple;
  line(w, "class " + name + "(NamedTuple):");
  ++w.indent;
  Callee make{name, {}, {}, 0};
  bool defaults = false;
  for (int64_t n = w.choices.between(1, 3); n > 0; --n) {
    Type type = draw_state(w);
    if (defaults && !has_plain_literal(type)) type = draw_scalar(w);
    defaults = defaults || (has_plain_literal(type) && w.choices.chance(0.2));
    make.arguments.push_back({fresh(w, "a"), type, defaults});
    cls->fields.push_back({make.arguments.back().name, type});
    line(w, make.arguments.back().name + ": " + annotation(type) +
                (defaults ? " = " + default_text(w, type) : ""));
  }
  --w.indent;
  make.result = Type::of(std::move(cls));
  w.records.push_back(make.result);
  w.callees.push_back(std::move(make));
}

// class E0(Enum):
void enumeration(Writer& w, const std::string& name) {
  static constexpr TypeKind kKinds[] = {TypeKind::Int, TypeKind::Int, TypeKind::Str,
                                        TypeKind::Float};
  static constexpr const char* kMembers[] = {"RED", "GREEN", "BLUE"};
  auto cls = std::make_shared<ClassType>();
  cls->name = name;
  cls->kind = ClassType::Kind::Enum;
  TypeKind kind = kKinds[w.choices.below(4)];
  cls->value_type = kind;
  line(w, "class " + name + "(Enum):");
  ++w.indent;
  for (int64_t i = 0, n = w.choices.between(1, 3); i < n; ++i) {
    IValue value = kind == TypeKind::Int   ? IValue(w.choices.between(0, 2) + 3 * i)
                   : kind == TypeKind::Str ? IValue::str(std::string(1, static_cast<char>('a' + i)))
                                           : IValue(static_cast<double>(i) + 0.5);
    cls->members.push_back({kMembers[i], value});
    line(w, fmt::format("{} = {}", kMembers[i], print_literal(value)));
  }
  --w.indent;
  w.records.push_back(Type::of(std::move(cls)));
}

// class W0: counts how often it was entered and left.
void manager_class(Writer& w, const std::string& name) {
  line(w, "class " + name + ":");
  ++w.indent;
  auto method = [&](const std::string& head, const std::string& first, const std::string& second) {
    line(w, "def " + head + ":");
    ++w.indent;
    line(w, first);
    if (!second.empty()) line(w, second);
    --w.indent;
  };
  method("__init__(self, n: int)", "self.n = n", "");
  method("__enter__(self) -> int",
         w.choices.chance(0.5) ? "self.n += 1" : "self.n = self.n * 2 % 1009", "return self.n");
  method("__exit__(self, type: Any, value: Any, tb: Any)",
         w.choices.chance(0.5) ? "self.n -= 7" : "self.n = self.n * 3 % 101", "");
  --w.indent;
  w.managers.push_back(name);
}

// A member of an enum, or a named tuple of literals.
Text record_literal(Writer& w, const Type& type) {
  const ClassType& cls = *type.class_type();
  if (cls.kind == ClassType::Kind::Enum) return {cls.name + "." + w.choices.pick(cls.members).name};
  std::string s;
  for (const Field& field : cls.fields) s += (s.empty() ? "" : ", ") + literal(w, field.type).s;
  return {cls.name + "(" + s + ")"};
}

// o.a of a named tuple, e.value and e.name of an enum.
Text part_of_record(Writer& w, const Type& type) {
  std::vector<std::string> found;
  for (const Var& v : w.vars) {
    const ClassPtr& cls = v.type.class_type();
    if (!cls) continue;
    for (const Field& field : cls->fields) {
      if (field.type == type) found.push_back(v.name + "." + field.name);
    }
    bool is_enum = cls->kind == ClassType::Kind::Enum;
    if (is_enum && cls->value_type == type) found.push_back(v.name + ".value");
    if (is_enum && type.is(TypeKind::Str)) found.push_back(v.name + ".name");
  }
  return {found.empty() ? "" : w.choices.pick(found)};
}

}  // namespace fusillade::fuzz::source
