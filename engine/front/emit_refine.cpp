// Conditions: truth of values, what types alone decide, and what a test shows of a variable's type.
//
// `x is None`, isinstance(x, T), their negations and combinations, and the truth of an Optional
// split the options of x's type; the side where the test holds sees x under the narrower type. A
// condition that the types decide compiles its one side only, so that the other may hold what this
// one could not compile.
#include <algorithm>

#include "engine/base/text.h"
#include "engine/front/form.h"
#include "engine/ops/class_type.h"

namespace fusillade::front {
namespace {

bool is_none_test(const Expr& e, const Expr** subject, bool* is) {
  if (!e.is(ExprKind::Compare) || e.words.size() != 1) return false;
  *is = e.words[0] == "is" || e.words[0] == "==";
  if (!*is && e.words[0] != "is not" && e.words[0] != "!=") return false;
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
std::optional<TypeTest> Emitter::type_test(const Expr& e) {
  if (!e.is(ExprKind::Call) || e.kids.size() != 3) return std::nullopt;
  bool plain = e.kids[0]->is_name("isinstance") && !scopes_.find("isinstance");
  if (!plain && module_path(*e.kids[0]) != "torch.jit.isinstance") return std::nullopt;
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
    else test.types.push_back(annotation_type(*t));
  }
  return test;
}

Value* Emitter::is_instance(const Expr& e) {
  std::optional<TypeTest> test = type_test(e);
  if (!test) wrong(e, "isinstance takes a value and a type, or a tuple of types");
  Value* of = emit(*test->subject);
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
  if (accepted.empty() || accepted.size() == options) return constant(IValue(!accepted.empty()), e);
  Node* n = node(operator_named(op::kIsInstance), {of}, e);
  n->set_attr("name", IValue::str(join(accepted, " | ")));
  return n->output();
}

std::optional<bool> Emitter::static_call(const Expr& e) {
  const Form* form = form_of_call(e);
  return form && form->decide ? form->decide(*this, e) : std::nullopt;
}

std::optional<bool> Emitter::static_type_test(const Expr& e) {
  std::optional<TypeTest> test = type_test(e);
  Value* of =
      test && test->subject->is(ExprKind::Name) ? scopes_.value(test->subject->text) : nullptr;
  if (!of || of->type().is(TypeKind::Any)) return std::nullopt;
  std::vector<Type> options = options_of(of->type().without_shapes());
  auto accepted = std::count_if(options.begin(), options.end(),
                                [&](const Type& t) { return test->accepts(t); });
  if (accepted == 0) return false;
  if (accepted == static_cast<long>(options.size())) return true;
  return std::nullopt;
}

// What the types alone decide: `x is None` for an x that is never, or always, None.
std::optional<bool> Emitter::static_condition(const Expr& e) {
  const Expr* subject = nullptr;
  bool is = false;
  if (e.is(ExprKind::True) || e.is(ExprKind::False)) return e.is(ExprKind::True);
  if (is_none_test(e, &subject, &is)) {
    if (subject->is(ExprKind::None)) return is;
    std::optional<Type> type = static_type(*subject);
    if (!type || type->is(TypeKind::Any)) return std::nullopt;
    std::vector<Type> options = options_of(type->without_shapes());
    auto none = std::count(options.begin(), options.end(), Type(TypeKind::None));
    if (none && options.size() > 1) return std::nullopt;
    return (none == 1) == is;
  }
  if (std::optional<bool> known = site_ ? known_condition(e) : std::nullopt) return known;
  if (std::optional<bool> known = class_condition(e)) return known;
  if (e.is(ExprKind::Call)) return static_call(e);
  if (e.is(ExprKind::Name) && !scopes_.find(e.text)) {
    auto it = unit_->module().constants.find(e.text);
    bool known = it != unit_->module().constants.end() && it->second->kind != ExprKind::Name;
    if (known) return static_condition(*it->second);
  }
  if (e.is(ExprKind::Unary) && e.text == "not") {
    std::optional<bool> inner = static_condition(*e.kids[0]);
    if (inner) return !*inner;
  }
  if (e.is(ExprKind::Boolean)) {
    bool decisive = e.text == "or";
    std::optional<bool> a = static_condition(*e.kids[0]);
    if (a && *a == decisive) return a;
    std::optional<bool> b = static_condition(*e.kids[1]);
    if (a && b) return b;
  }
  return std::nullopt;
}

// The truth of an expression, as a bool.
Value* Emitter::condition(const Expr& e) {
  if (std::optional<bool> known = static_condition(e)) return flag(*known);
  if (e.is(ExprKind::Unary) && e.text == "not") return apply(op::kNot, {condition(*e.kids[0])}, e);
  if (!e.is(ExprKind::Boolean)) return to_bool(emit(e), e);
  bool is_and = e.text == "and";
  auto right = [&] {
    refine(*e.kids[0], is_and);
    Value* value = condition(*e.kids[1]);
    keep_walrus(*e.kids[1]);
    return value;
  };
  auto short_circuit = [&] { return flag(!is_and); };
  if (std::optional<bool> known = static_condition(*e.kids[0]))
    return *known == is_and ? right() : short_circuit();
  Value* left = condition(*e.kids[0]);
  return is_and ? choose(left, e, right, short_circuit) : choose(left, e, short_circuit, right);
}

// `name` is of this narrower type from here on.
void Emitter::narrow(const std::string& name, const Type& type, const Expr& at) {
  const Binding* b = scopes_.find(name);
  if (!b || !b->value || b->value->type().without_shapes() == type) return;
  Binding refined = *b;
  refined.value = node(operator_named(op::kUncheckedCast), {b->value}, at)->output();
  refined.value->set_type(type);
  refined.refines = b->refines ? b->refines : b->value;
  scopes_.set(name, refined);
}

// What is known of names when `condition` is `truth`.
void Emitter::refine(const Expr& condition, bool truth) {
  if (condition.is(ExprKind::Unary) && condition.text == "not")
    return refine(*condition.kids[0], !truth);
  if (condition.is(ExprKind::Boolean) && (condition.text == "and") == truth) {
    std::set<std::string> names;
    collect_walrus(*condition.kids[1], names);
    for (const std::string& n : names)
      if (const Binding* b = scopes_.value(n) ? nullptr : scopes_.find("$" + n)) scopes_.set(n, *b);
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
  Value* of = subject && subject->is(ExprKind::Name) ? scopes_.value(subject->text) : nullptr;
  if (!of) return;
  bool accepted = is == truth;
  if (of->type().is(TypeKind::Any)) {
    bool one = accepted && !none && test.types.size() == 1 && test.kinds.empty();
    if (one) narrow(subject->text, test.types[0], *subject);
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
  narrow(subject->text, Type::union_of(left), *subject);
}

}  // namespace fusillade::front
