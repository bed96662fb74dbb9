// See emit_condition.h.
#include "engine/front/emit_condition.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/front/class_emit.h"
#include "engine/front/emit_operator.h"
#include "engine/front/form.h"
#include "engine/ops/class_type.h"
#include "engine/ops/text.h"

namespace fusillade::front {
namespace {

bool is_none_test(const Expr& e, const Expr** subject, bool* is) {
  if (!e.is(ExprKind::Compare) || e.signs.size() != 1) return false;
  if (!is_identity(e.signs[0]) && !is_equality(e.signs[0])) return false;
  *is = e.signs[0] == Sign::Is || e.signs[0] == Sign::Equal;
  bool right = e.kids[1]->is(ExprKind::None);
  if (!right && !e.kids[0]->is(ExprKind::None)) return false;
  *subject = e.kids[right ? 0 : 1].get();
  return true;
}

std::vector<Type> options_of(const Type& type) {
  if (type.is(TypeKind::Union)) return type.elements();
  if (type.is(TypeKind::Optional)) return {TypeKind::None, type.element()};
  if (type.is(TypeKind::Number)) return {TypeKind::Bool, TypeKind::Int, TypeKind::Float};
  return {type};
}

}  // namespace

bool TypeTest::accepts(const Type& option) const {
  for (const Type& t : types) {
    bool counts = option.is(TypeKind::Bool) && t.is(TypeKind::Int);  // as in Python
    if (counts || option.subtype_of(t)) return true;
  }
  return std::find(kinds.begin(), kinds.end(), option.kind()) != kinds.end();
}

// isinstance(x, T), isinstance(x, (T, T)), torch.jit.isinstance(x, T).
std::optional<TypeTest> Conditions::type_test(const Expr& e) {
  if (!e.is(ExprKind::Call) || e.kids.size() != 3) return std::nullopt;
  bool plain = e.kids[0]->is_name("isinstance") && !to_.scopes().find("isinstance");
  if (!plain && to_.module_path(*e.kids[0]) != "torch.jit.isinstance") return std::nullopt;
  TypeTest test;
  test.subject = e.kids[1].get();
  const Expr& given = *e.kids[2];
  std::vector<const Expr*> types{&given};
  if (given.is(ExprKind::Tuple) || given.is(ExprKind::List)) {
    types.clear();
    for (const ExprPtr& kid : given.kids) types.push_back(kid.get());
  }
  for (const Expr* t : types) {
    bool list = t->is_name("list") || t->is_name("List");
    bool dict = t->is_name("dict") || t->is_name("Dict");
    if (list || dict) test.kinds.push_back(list ? TypeKind::List : TypeKind::Dict);
    else if (t->is_name("tuple") || t->is_name("Tuple")) test.kinds.push_back(TypeKind::Tuple);
    else test.types.push_back(to_.annotation_type(*t));
  }
  return test;
}

Value* Conditions::is_instance(const Expr& e) {
  std::optional<TypeTest> test = type_test(e);
  if (!test) to_.wrong(e, "isinstance takes a value and a type, or a tuple of types");
  Value* of = to_.emit(*test->subject);
  std::vector<std::string> accepted;
  size_t options = 0;
  if (of->type().is(TypeKind::Any)) {
    options = SIZE_MAX;
    for (const Type& t : test->types)
      for (const Type& option : options_of(t)) accepted.push_back(option.text());
    for (TypeKind k : test->kinds)
      accepted.push_back(k == TypeKind::List ? "list" : k == TypeKind::Dict ? "dict" : "tuple");
  } else {
    for (const Type& option : options_of(of->type().without_shapes())) {
      ++options;
      if (test->accepts(option)) accepted.push_back(option.text());
    }
  }
  if (accepted.empty() || accepted.size() == options)
    return to_.constant(IValue(!accepted.empty()), e);
  return to_.is_option(of, join(accepted, " | "), e);
}

std::optional<bool> Conditions::static_type_test(const Expr& e) {
  std::optional<TypeTest> test = type_test(e);
  Value* of =
      test && test->subject->is(ExprKind::Name) ? to_.scopes().value(test->subject->text) : nullptr;
  if (!of || of->type().is(TypeKind::Any)) return std::nullopt;
  std::vector<Type> options = options_of(of->type().without_shapes());
  auto accepted = std::count_if(options.begin(), options.end(),
                                [&](const Type& t) { return test->accepts(t); });
  if (accepted == 0) return false;
  if (accepted == static_cast<long>(options.size())) return true;
  return std::nullopt;
}

std::optional<bool> Conditions::static_condition(const Expr& e) {
  const Expr* subject = nullptr;
  bool is = false;
  if (e.is(ExprKind::True) || e.is(ExprKind::False)) return e.is(ExprKind::True);
  if (is_none_test(e, &subject, &is)) {
    if (subject->is(ExprKind::None)) return is;
    std::optional<Type> type = to_.classes().static_type(*subject);
    if (!type || type->is(TypeKind::Any)) return std::nullopt;
    std::vector<Type> options = options_of(type->without_shapes());
    auto none = std::count(options.begin(), options.end(), Type(TypeKind::None));
    if (none && options.size() > 1) return std::nullopt;
    return (none == 1) == is;
  }
  if (std::optional<bool> known = to_.site() ? known_condition(e) : std::nullopt) return known;
  if (std::optional<bool> known = class_condition(e)) return known;
  if (e.is(ExprKind::Call)) {
    const Form* form = to_.form_of_call(e);
    return form && form->decide ? form->decide(to_, e) : std::nullopt;
  }
  if (e.is(ExprKind::Name) && !to_.scopes().find(e.text)) {
    auto it = to_.unit().module().constants.find(e.text);
    bool known = it != to_.unit().module().constants.end() && it->second->kind != ExprKind::Name;
    if (known) return static_condition(*it->second);
  }
  if (e.is(ExprKind::Unary, Sign::Not)) {
    std::optional<bool> inner = static_condition(*e.kids[0]);
    if (inner) return !*inner;
  }
  if (e.is(ExprKind::Boolean)) {
    bool decisive = e.sign == Sign::Or;
    std::optional<bool> a = static_condition(*e.kids[0]);
    if (a && *a == decisive) return a;
    std::optional<bool> b = static_condition(*e.kids[1]);
    if (a && b) return b;
  }
  return std::nullopt;
}

// A bool constant of a module, and hasattr of an object, decide what is compiled.
std::optional<bool> Conditions::class_condition(const Expr& e) {
  bool asks = e.is(ExprKind::Call) && e.kids[0]->is_name("hasattr") && e.kids.size() == 3 &&
              e.kids[2]->is(ExprKind::Str);
  std::optional<Type> of;
  if (asks || e.is(ExprKind::Attribute)) of = to_.classes().static_type(*e.kids[asks ? 1 : 0]);
  if (!of || !of->class_type() || of->is(TypeKind::Enum)) return std::nullopt;
  const std::string& name = asks ? e.kids[2]->text : e.text;
  ClassInfo& info = to_.program().info(*of->class_type());
  auto it = info.constants.find(name);
  bool method = static_cast<bool>(to_.program().find_method({info.unit, info.syntax}, name));
  bool has_field = of->class_type()->slot(name) >= 0;
  if (asks) return has_field || it != info.constants.end() || method;
  // The default of a field is no constant: the object may hold another value.
  if (has_field || it == info.constants.end() || !it->second.is_bool()) return std::nullopt;
  return it->second.as_bool();
}

// Of a literal, or of a parameter that was given a constant.
std::optional<IValue> Conditions::known_value(const Expr& e) {
  if (!e.is(ExprKind::Name)) return literal_value(e);
  const Value* v = to_.scopes().value(e.text);
  return v && is_constant(v) ? std::optional<IValue>(v->node()->constant()) : std::nullopt;
}

// A flag that is constant, or == of two constants.
std::optional<bool> Conditions::known_condition(const Expr& e) {
  if (e.is(ExprKind::Name)) {
    const std::optional<IValue> flag = known_value(e);
    return flag && flag->is_bool() ? std::optional<bool>(flag->as_bool()) : std::nullopt;
  }
  if (!e.is(ExprKind::Compare) || e.signs != std::vector{Sign::Equal}) return std::nullopt;
  const std::optional<IValue> a = known_value(*e.kids[0]), b = known_value(*e.kids[1]);
  return a && b ? std::optional<bool>(equal_values(*a, *b)) : std::nullopt;
}

Value* Conditions::condition(const Expr& e) {
  if (std::optional<bool> known = static_condition(e)) return to_.flag(*known);
  if (e.is(ExprKind::Unary, Sign::Not)) return to_.negation(condition(*e.kids[0]), e);
  if (!e.is(ExprKind::Boolean)) return to_.operators().to_bool(to_.emit(e), e);
  bool is_and = e.sign == Sign::And;
  auto right = [&] {
    refine(*e.kids[0], is_and);
    Value* value = condition(*e.kids[1]);
    keep_walrus(*e.kids[1]);
    return value;
  };
  auto short_circuit = [&] { return to_.flag(!is_and); };
  if (std::optional<bool> known = static_condition(*e.kids[0]))
    return *known == is_and ? right() : short_circuit();
  Value* left = condition(*e.kids[0]);
  return is_and ? to_.choose(left, e, right, short_circuit)
                : to_.choose(left, e, short_circuit, right);
}

// In the right side of `and` and `or`: what := assigns there has a value only where that side was
// evaluated. It is kept under "$name", from which refine() takes it.
void Conditions::keep_walrus(const Expr& e) {
  std::set<std::string> names;
  collect_walrus(e, names);
  for (const std::string& n : names)
    if (const Binding* b = to_.scopes().find(n)) to_.scopes().set("$" + n, *b);
}

void Conditions::refine(const Expr& condition, bool truth) {
  if (condition.is(ExprKind::Unary, Sign::Not)) return refine(*condition.kids[0], !truth);
  if (condition.is(ExprKind::Boolean) && (condition.sign == Sign::And) == truth) {
    std::set<std::string> names;
    collect_walrus(*condition.kids[1], names);
    for (const std::string& n : names)
      if (const Binding* b = to_.scopes().value(n) ? nullptr : to_.scopes().find("$" + n))
        to_.scopes().set(n, *b);
    for (const ExprPtr& kid : condition.kids) refine(*kid, truth);
  }
  const Expr* subject = nullptr;
  bool none = false;
  TypeTest test;
  bool is = true;
  if (is_none_test(condition, &subject, &is)) {
    test.types.emplace_back(TypeKind::None);
    none = true;
  } else if (std::optional<TypeTest> given = type_test(condition)) {
    test = *given;
    subject = given->subject;
  } else if ((condition.is(ExprKind::Name) || condition.is(ExprKind::Walrus)) && truth) {
    subject = &condition;
    test.types.emplace_back(TypeKind::None);
    is = false;
  }
  if (subject && subject->is(ExprKind::Walrus)) subject = subject->kids[0].get();
  Value* of = subject && subject->is(ExprKind::Name) ? to_.scopes().value(subject->text) : nullptr;
  if (!of) return;
  bool accepted = is == truth;
  if (of->type().is(TypeKind::Any)) {
    bool one = accepted && !none && test.types.size() == 1 && test.kinds.empty();
    if (one) to_.narrow(subject->text, test.types[0], *subject);
    return;
  }
  std::vector<Type> left;
  std::vector<Type> options = options_of(of->type().without_shapes());
  for (const Type& option : options)
    if (test.accepts(option) == accepted) left.push_back(option);
  if (left.empty() || left.size() == options.size()) return;
  if (of->type().is(TypeKind::Number)) {  // a bool that counts as an int is one then
    if (left.size() > 1) std::erase(left, Type(TypeKind::Bool));
    if (left.size() > 1) return;
  }
  to_.narrow(subject->text, Type::union_of(left), *subject);
}

}  // namespace fusillade::front
