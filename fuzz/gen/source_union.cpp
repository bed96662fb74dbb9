// Unions and Optionals of generated scripts, and the tests that tell which of their options a
// variable is.
//
// A test splits a variable's options as Python does: a bool is an int, a named tuple is a tuple.
// Where the answer is known the variable has the narrower type, and is given no value of another,
// but in the very block that learned it: there it may become again what it was before, so that
// whatever holds at a block's beginning holds in every turn of a loop. No variable has two options
// of one kind, for `isinstance(x, list)` tells no two lists apart.
#include <algorithm>

#include "engine/ops/class_type.h"
#include "fuzz/gen/source.h"

namespace fusillade::fuzz {
namespace {

bool has(const std::vector<Type>& types, const Type& type) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

// What isinstance calls it.
std::string class_of(const Type& type) {
  if (type.class_type()) return type.class_type()->name;
  if (type.is(TypeKind::List)) return "list";
  if (type.is(TypeKind::Dict)) return "dict";
  return type.is(TypeKind::Tuple) ? "tuple" : annotation(type);
}

bool is_instance(const Type& option, const Type& asked) {
  if (asked.class_type()) return option == asked;
  return option.kind() == asked.kind() || (asked.is(TypeKind::Int) && option.is(TypeKind::Bool));
}

Type either(const std::vector<Type>& options, const Type& otherwise) {
  return options.empty() ? otherwise : Type::union_of(options);
}

}  // namespace

Type Source::draw_option() {
  uint64_t kind = choices_.below(12);
  if (kind < 6) return draw_scalar();
  if (kind < 8) return TypeKind::None;
  if (kind == 8) return Type::list(draw_scalar());
  if (kind == 9) return Type::tuple({draw_scalar(), draw_scalar()});
  if (kind == 10 && !records_.empty()) return choices_.pick(records_);
  return kind == 11 ? Type::dict(TypeKind::Str, draw_scalar()) : draw_item();
}

Type Source::draw_wide() {
  if (choices_.chance(0.25)) return Type::optional(draw_item());
  std::vector<Type> options{draw_scalar()};
  for (uint64_t n = 1 + choices_.below(3); n > 0; --n) {
    Type option = draw_option();
    bool known = std::any_of(options.begin(), options.end(),
                             [&](const Type& t) { return t.kind() == option.kind(); });
    if (!known) options.push_back(option);
  }
  return options.size() > 1 ? Type::union_of(options) : Type::optional(options[0]);
}

// A variable of several types, or a list or dict of such. A method of a list takes a list for one
// like its own.
void Source::define_wide() {
  Type type = draw_wide();
  const std::vector<Type> options = options_of(type);
  bool nested = std::any_of(options.begin(), options.end(), [](const Type& t) {
    return t.is(TypeKind::List) || t.is(TypeKind::Dict);
  });
  if (!nested && choices_.chance(0.15)) type = Type::list(type);
  else if (!nested && choices_.chance(0.1)) type = Type::dict(TypeKind::Str, type);
  else if (choices_.chance(0.1)) type = Type::tuple({Type::optional(draw_item()), draw_item()});
  std::string name = fresh("v");
  bind(name, type, bounded(type, expression(type, 0)), true);
  // Another list is of that type only where it is annotated.
  vars_.push_back({name, type, !type.is(TypeKind::Optional) && !type.is(TypeKind::Union)});
  if (!wide_vars().empty() && choices_.chance(0.5)) refine();
}

// By a plain name: what an object holds is not known to stay.
std::vector<const Source::Var*> Source::wide_vars() const {
  std::vector<const Var*> out;
  for (const Var& v : vars_) {
    bool wide = v.type.is(TypeKind::Optional) || v.type.is(TypeKind::Union);
    if (wide && v.name.find('.') == std::string::npos) out.push_back(&v);
  }
  return out;
}

// A variable of some of the options, or any expression of one.
Text Source::wide_expression(const Type& type, int depth) {
  const std::vector<Type> options = options_of(type);
  std::vector<const Var*> fitting;
  for (const Var* v : wide_vars()) {
    const std::vector<Type> own = options_of(v->type);
    if (std::all_of(own.begin(), own.end(), [&](const Type& t) { return has(options, t); }))
      fitting.push_back(v);
  }
  if (!fitting.empty() && choices_.chance(0.2)) return {choices_.pick(fitting)->name};
  if (type.is(TypeKind::Optional)) {
    if (choices_.chance(0.3)) return {"None"};
    const Type held = type.element();
    std::vector<const Var*> known = dicts(&held);
    if (!known.empty() && choices_.chance(0.3)) {
      const Var d = *choices_.pick(known);
      return {d.name + ".get(" + key(d.type) + ")"};
    }
    return expression(held, depth + 1);
  }
  return expression(choices_.pick(options), depth + 1);
}

// A list of such is written down, or it is (a piece of) one that has a name.
Text Source::wide_items(const Type& list, int depth) {
  std::vector<const Var*> known = of_type(list);
  if (!known.empty() && choices_.chance(0.6)) {
    std::string name = choices_.pick(known)->name;
    return {choices_.chance(0.5) ? name : name + "[" + bound() + ":" + bound() + "]"};
  }
  std::string s;
  for (uint64_t n = 1 + choices_.below(3); n > 0; --n) {
    s += (s.empty() ? "" : ", ") +
         (depth > 1 ? literal(list.element()) : expression(list.element(), depth + 1)).s;
  }
  return {"[" + s + "]"};
}

// `wanted`: one of the options, which one of the two answers means.
Source::Test Source::test_of(const Var& v, const Type* wanted) {
  const std::vector<Type> options = options_of(v.type);
  const Type none = TypeKind::None;
  bool may_be_none = has(options, none);
  bool decides = !wanted || options.size() == 2;
  std::vector<Type> asked{wanted ? *wanted : choices_.pick(options)};
  if (may_be_none && decides && choices_.chance(v.type.is(TypeKind::Optional) ? 0.7 : 0.3))
    asked[0] = none;
  if (!wanted && !asked[0].is(TypeKind::None) && choices_.chance(0.3)) {
    Type other = choices_.pick(options);
    if (!other.is(TypeKind::None) && !(other == asked[0])) asked.push_back(other);
  }
  std::vector<Type> yes, no;
  for (const Type& option : options) {
    bool holds = std::any_of(asked.begin(), asked.end(),
                             [&](const Type& t) { return is_instance(option, t); });
    (holds ? yes : no).push_back(option);
  }
  bool inverted = choices_.chance(0.4);
  Test out{v.name + (inverted ? " is not None" : " is None"), kCompare, v.name, either(yes, v.type),
           either(no, v.type)};
  if (!asked[0].is(TypeKind::None)) {
    std::string classes = class_of(asked[0]);
    if (asked.size() > 1) classes = "(" + classes + ", " + class_of(asked[1]) + ")";
    out.text = (inverted ? "not isinstance(" : "isinstance(") + v.name + ", " + classes + ")";
    out.level = inverted ? kNot : kAtom;
  }
  if (inverted) std::swap(out.holds, out.fails);
  return out;
}

// The variable where it is of that type, something else where it is not.
Text Source::narrowed(const Type& type) {
  for (const Var* found : wide_vars()) {
    const Var v = *found;
    if (!has(options_of(v.type), type) || choices_.chance(0.4)) continue;
    Test t = test_of(v, &type);
    if (t.holds == t.fails || !(t.holds == type || t.fails == type)) continue;
    std::string other = leaf(type).s;
    bool holds = t.holds == type;
    return {"(" + (holds ? v.name : other) + " if " + t.text + " else " + (holds ? other : v.name) +
            ")"};
  }
  return {""};
}

// isinstance(v, int) and v > 2, v is None or v > 2
Text Source::asked_of_wide(int depth) {
  std::vector<const Var*> known = wide_vars();
  if (known.empty()) return comparison(depth);
  Test t = test_of(*choices_.pick(known));
  bool both = choices_.chance(0.5);
  const std::vector<Var> before = vars_;
  know(t.name, both ? t.holds : t.fails);
  Text rest = operand(TypeKind::Bool, depth, both ? kNot : kAnd);
  vars_ = before;
  return {t.text + (both ? " and " : " or ") + rest.s, both ? kAnd : kOr};
}

// An expression for either answer; empty: there is nothing to ask.
Text Source::told_apart(const Type& type, int depth) {
  std::vector<const Var*> known = wide_vars();
  return known.empty() ? Text{""} : told_apart(*choices_.pick(known), type, depth);
}

Text Source::told_apart(const Var& v, const Type& type, int depth) {
  Test t = test_of(v);
  const std::vector<Var> before = vars_;
  know(t.name, t.holds);
  Text yes = operand(type, depth, kOr);
  vars_ = before;
  know(t.name, t.fails);
  Text no = operand(type, depth, kTernary);
  vars_ = before;
  return {yes.s + " if " + t.text + " else " + no.s, kTernary};
}

void Source::know(const std::string& name, const Type& type) {
  for (Var& v : vars_) {
    if (v.name != name || v.type == type) continue;
    v.type = type;
    v.fixed = true;
    v.least = 0;
  }
}

// To the end of this block.
void Source::learn(const std::string& name, const Type& type) {
  for (const Var& v : vars_) {
    if (v.name == name && !(v.type == type)) narrowed_.push_back({name, v.type, v.fixed, indent_});
  }
  know(name, type);
}

// At the end of a block: what was learned in it holds no more.
void Source::forget(const std::vector<Var>& before) {
  for (size_t i = 0; i < before.size(); ++i) {
    vars_[i].type = before[i].type;
    vars_[i].fixed = before[i].fixed;
  }
  std::erase_if(narrowed_, [&](const Narrowed& n) { return n.indent > indent_; });
}

// Otherwise control leaves, or the variable gets a value.
void Source::refine() {
  std::vector<const Var*> known = wide_vars();
  if (known.empty()) return define_wide();
  const Var v = *choices_.pick(known);
  Test t = test_of(v);
  // A loop carries a parameter as what was last known of it.
  bool came = std::any_of(parameters_.begin(), parameters_.end(),
                          [&](const auto& p) { return p.first == v.name && p.second == v.type; });
  uint64_t kind = choices_.below(4);
  if (kind == 0) {
    line(fmt::format("assert {}, \"other {}\"", t.text, names_++));
    learn(v.name, t.holds);
    return settle(v);
  }
  line("if " + t.text + ":");
  ++indent_;
  const std::vector<Var> before = vars_;
  learn(v.name, t.holds);
  if (kind == 1 || (v.fixed && !(came && loops_ == 0))) exit_statement();
  else line(v.name + " = " + bounded(t.fails, plain(t.fails)).s);
  --indent_;
  forget(before);
  learn(v.name, t.fails);
  settle(v);
}

// In a branch a variable of which a test left several options gets another value of these, and what
// follows tells them apart. `tested`: as it was before the test.
void Source::settle(const Var& tested) {
  const std::vector<const Var*> wide = wide_vars();
  auto found = std::find_if(wide.begin(), wide.end(),
                            [&](const Var* known) { return known->name == tested.name; });
  if (tested.fixed || found == wide.end() || choices_.chance(0.5)) return;
  const Var v = **found;
  Test t = test_of(v);
  const std::vector<Var> before = vars_;
  line("if " + t.text + ":");
  know(v.name, t.holds);
  Text value = bounded(v.type, expression(v.type, 1));
  vars_ = before;
  ++indent_;
  line(v.name + " = " + value.s);
  --indent_;
  const Type made = draw_scalar();
  bind(fresh("v"), made, bounded(made, told_apart(v, made, 1)), false);
}

// What this block learned of a variable ends with another value; what was learned outside of it
// holds on.
void Source::widen() {
  std::vector<Narrowed> open;
  for (const Var& v : vars_) {
    auto of = [&](const Narrowed& n) { return n.name == v.name; };
    auto first = std::find_if(narrowed_.begin(), narrowed_.end(), of);
    if (first == narrowed_.end() || first->fixed) continue;
    auto here = std::find_if(first, narrowed_.end(),
                             [&](const Narrowed& n) { return of(n) && n.indent == indent_; });
    open.push_back(here != narrowed_.end() ? *here : Narrowed{v.name, v.type, true, indent_});
  }
  if (open.empty()) return refine();
  const Narrowed n = choices_.pick(open);
  line(n.name + " = " + bounded(n.before, expression(n.before, 1)).s);
  for (Var& v : vars_) {
    if (v.name != n.name) continue;
    v.type = n.before;
    v.fixed = n.fixed;
  }
  std::erase_if(narrowed_, [&](const Narrowed& other) {
    return other.name == n.name && other.indent == indent_;
  });
}

}  // namespace fusillade::fuzz
