// Unions and Optionals of generated scripts, and the tests for which of its options a variable is.
//
// A test splits a variable's options as Python does: a bool is an int, a named tuple is a tuple.
// Where the answer is known the variable has the narrower type, and is given no value of another,
// but in the very block that learned it: there it may become again what it was before, so that
// whatever holds at a block's beginning holds in every iteration of a loop. No variable has two
// options of one kind, for `isinstance(x, list)` does not distinguish two list types.
#include <algorithm>

#include "engine/ops/class_type.h"
#include "fuzz/gen/source.h"
#include "fuzz/gen/way.h"

namespace fusillade::fuzz::source {
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

Type draw_option(Writer& w) {
  static constexpr Way<Type (*)(Writer&)> kWays[] = {
      {6, &draw_scalar},
      {2, [](Writer&) { return Type(TypeKind::None); }},
      {1, [](Writer& w) { return Type::list(draw_scalar(w)); }},
      {1,
       [](Writer& w) {
         const Type first = draw_scalar(w);
         return Type::tuple({first, draw_scalar(w)});
       }},
      {1, [](Writer& w) { return w.records.empty() ? draw_item(w) : w.choices.pick(w.records); }},
      {1, [](Writer& w) { return Type::dict(TypeKind::Str, draw_scalar(w)); }}};
  return draw_way(w.choices, kWays)(w);
}

void know(Writer& w, const std::string& name, const Type& type) {
  for (Var& v : w.vars) {
    if (v.name != name || v.type == type) continue;
    v.type = type;
    v.fixed = true;
    v.least = 0;
  }
}

// In a branch, a variable for which a test left several options gets another value of these, and
// what follows distinguishes them. `tested`: as it was before the test.
void reassign(Writer& w, const Var& tested) {
  const std::vector<const Var*> wide = wide_vars(w);
  auto found = std::find_if(wide.begin(), wide.end(),
                            [&](const Var* known) { return known->name == tested.name; });
  if (tested.fixed || found == wide.end() || w.choices.chance(0.5)) return;
  const Var v = **found;
  Test t = test_of(w, v);
  const std::vector<Var> before = w.vars;
  line(w, "if " + t.text + ":");
  know(w, v.name, t.holds);
  Text value = limit_growth(w, v.type, expression(w, v.type, 1));
  w.vars = before;
  ++w.indent;
  line(w, v.name + " = " + value.s);
  --w.indent;
  const Type scalar = draw_scalar(w);
  bind_name(w, fresh(w, "v"), scalar, limit_growth(w, scalar, are_distinguished(w, v, scalar, 1)),
            false);
}

void refine(Writer& w);

// A variable of several types, or a list or dict of such. A method of a list takes a list for one
// like its own.
void define_wide(Writer& w) {
  Type type = draw_wide(w);
  const std::vector<Type> options = options_of(type);
  bool nested = std::any_of(options.begin(), options.end(), [](const Type& t) {
    return t.is(TypeKind::List) || t.is(TypeKind::Dict);
  });
  if (!nested && w.choices.chance(0.15)) type = Type::list(type);
  else if (!nested && w.choices.chance(0.1)) type = Type::dict(TypeKind::Str, type);
  else if (w.choices.chance(0.1)) type = Type::tuple({Type::optional(draw_item(w)), draw_item(w)});
  std::string name = fresh(w, "v");
  bind_name(w, name, type, limit_growth(w, type, expression(w, type, 0)), true);
  // Another list is of that type only where it is annotated.
  w.vars.push_back({name, type, !type.is(TypeKind::Optional) && !type.is(TypeKind::Union)});
  if (!wide_vars(w).empty() && w.choices.chance(0.5)) refine(w);
}

// Otherwise control leaves, or the variable gets a value.
void refine(Writer& w) {
  std::vector<const Var*> known = wide_vars(w);
  if (known.empty()) return define_wide(w);
  const Var v = *w.choices.pick(known);
  Test t = test_of(w, v);
  // A loop carries a parameter as what was last known of it.
  bool came = std::any_of(w.parameters.begin(), w.parameters.end(),
                          [&](const auto& p) { return p.first == v.name && p.second == v.type; });
  if (w.choices.chance(0.25)) {
    line(w, fmt::format("assert {}, \"other {}\"", t.text, w.names++));
    learn(w, v.name, t.holds);
    return reassign(w, v);
  }
  line(w, "if " + t.text + ":");
  ++w.indent;
  const std::vector<Var> before = w.vars;
  learn(w, v.name, t.holds);
  const bool may_be_set = !v.fixed || (came && w.loops == 0);
  if (!may_be_set || w.choices.chance(0.33)) exit_statement(w);
  else line(w, v.name + " = " + limit_growth(w, t.fails, plain(w, t.fails)).s);
  --w.indent;
  forget(w, before);
  learn(w, v.name, t.fails);
  reassign(w, v);
}

// What this block learned of a variable ends with another value; what was learned outside of it
// holds on.
void widen(Writer& w) {
  std::vector<Narrowed> candidates;
  for (const Var& v : w.vars) {
    auto of = [&](const Narrowed& n) { return n.name == v.name; };
    auto first = std::find_if(w.narrowed.begin(), w.narrowed.end(), of);
    if (first == w.narrowed.end() || first->fixed) continue;
    auto here = std::find_if(first, w.narrowed.end(),
                             [&](const Narrowed& n) { return of(n) && n.indent == w.indent; });
    candidates.push_back(here != w.narrowed.end() ? *here
                                                  : Narrowed{v.name, v.type, true, w.indent});
  }
  if (candidates.empty()) return refine(w);
  const Narrowed n = w.choices.pick(candidates);
  line(w, n.name + " = " + limit_growth(w, n.before, expression(w, n.before, 1)).s);
  for (Var& v : w.vars) {
    if (v.name != n.name) continue;
    v.type = n.before;
    v.fixed = n.fixed;
  }
  std::erase_if(w.narrowed, [&](const Narrowed& other) {
    return other.name == n.name && other.indent == w.indent;
  });
}

End define_or_refine(Writer& w, int) {
  if (wide_vars(w).empty()) define_wide(w);
  else if (w.choices.chance(0.3)) widen(w);
  else refine(w);
  return End::Falls;
}

[[maybe_unused]] const bool kStatement =
    add_productions(Grammar::Statement, 20,
                    {{"script.union", "a name of several types, or a test of which type it has", 1,
                      define_or_refine}});

// isinstance(v, int) and v > 2, v is None or v > 2
Text asked_of_wide(Writer& w, int depth) {
  std::vector<const Var*> known = wide_vars(w);
  if (known.empty()) return comparison(w, depth);
  Test t = test_of(w, *w.choices.pick(known));
  bool both = w.choices.chance(0.5);
  const std::vector<Var> before = w.vars;
  know(w, t.name, both ? t.holds : t.fails);
  Text rest = operand(w, TypeKind::Bool, depth, both ? kNot : kAnd);
  w.vars = before;
  return {t.text + (both ? " and " : " or ") + rest.s, both ? kAnd : kOr};
}

[[maybe_unused]] const bool kBool = add_productions(
    Grammar::Bool, 12, {{"bool.narrowed", "isinstance(a, int) and a > 2", 1, asked_of_wide}});

}  // namespace

Type draw_wide(Writer& w) {
  if (w.choices.chance(0.25)) return Type::optional(draw_item(w));
  std::vector<Type> options{draw_scalar(w)};
  for (uint64_t n = 1 + w.choices.below(3); n > 0; --n) {
    Type option = draw_option(w);
    bool known = std::any_of(options.begin(), options.end(),
                             [&](const Type& t) { return t.kind() == option.kind(); });
    if (!known) options.push_back(option);
  }
  return options.size() > 1 ? Type::union_of(options) : Type::optional(options[0]);
}

// By a plain name: what an object holds is not known to stay.
std::vector<const Var*> wide_vars(const Writer& w) {
  std::vector<const Var*> out;
  for (const Var& v : w.vars) {
    bool wide = v.type.is(TypeKind::Optional) || v.type.is(TypeKind::Union);
    if (wide && v.name.find('.') == std::string::npos) out.push_back(&v);
  }
  return out;
}

// A variable of some of the options, or any expression of one.
Text wide_expression(Writer& w, const Type& type, int depth) {
  const std::vector<Type> options = options_of(type);
  std::vector<const Var*> fitting;
  for (const Var* v : wide_vars(w)) {
    const std::vector<Type> own = options_of(v->type);
    if (std::all_of(own.begin(), own.end(), [&](const Type& t) { return has(options, t); }))
      fitting.push_back(v);
  }
  if (!fitting.empty() && w.choices.chance(0.2)) return {w.choices.pick(fitting)->name};
  if (type.is(TypeKind::Optional)) {
    if (w.choices.chance(0.3)) return {"None"};
    const Type element = type.element();
    std::vector<const Var*> known = dicts(w, &element);
    if (!known.empty() && w.choices.chance(0.3)) {
      const Var d = *w.choices.pick(known);
      return {d.name + ".get(" + key(w, d.type) + ")"};
    }
    return expression(w, element, depth + 1);
  }
  return expression(w, w.choices.pick(options), depth + 1);
}

// A list of such is written down, or it is (a piece of) one that has a name.
Text wide_items(Writer& w, const Type& list, int depth) {
  std::vector<const Var*> known = of_type(w, list);
  if (!known.empty() && w.choices.chance(0.6)) {
    std::string name = w.choices.pick(known)->name;
    return {w.choices.chance(0.5) ? name : name + "[" + bound(w) + ":" + bound(w) + "]"};
  }
  std::string s;
  for (uint64_t n = 1 + w.choices.below(3); n > 0; --n) {
    s += (s.empty() ? "" : ", ") +
         (depth > 1 ? literal(w, list.element()) : expression(w, list.element(), depth + 1)).s;
  }
  return {"[" + s + "]"};
}

// `wanted`: one of the options, which one of the two answers means.
Test test_of(Writer& w, const Var& v, const Type* wanted) {
  const std::vector<Type> options = options_of(v.type);
  const Type none = TypeKind::None;
  bool may_be_none = has(options, none);
  bool decides = !wanted || options.size() == 2;
  std::vector<Type> asked{wanted ? *wanted : w.choices.pick(options)};
  if (may_be_none && decides && w.choices.chance(v.type.is(TypeKind::Optional) ? 0.7 : 0.3))
    asked[0] = none;
  if (!wanted && !asked[0].is(TypeKind::None) && w.choices.chance(0.3)) {
    Type other = w.choices.pick(options);
    if (!other.is(TypeKind::None) && !(other == asked[0])) asked.push_back(other);
  }
  std::vector<Type> yes, no;
  for (const Type& option : options) {
    bool holds = std::any_of(asked.begin(), asked.end(),
                             [&](const Type& t) { return is_instance(option, t); });
    (holds ? yes : no).push_back(option);
  }
  bool inverted = w.choices.chance(0.4);
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
Text narrowed_var(Writer& w, const Type& type) {
  for (const Var* found : wide_vars(w)) {
    const Var v = *found;
    if (!has(options_of(v.type), type) || w.choices.chance(0.4)) continue;
    Test t = test_of(w, v, &type);
    if (t.holds == t.fails || !(t.holds == type || t.fails == type)) continue;
    std::string other = leaf(w, type).s;
    bool holds = t.holds == type;
    return {"(" + (holds ? v.name : other) + " if " + t.text + " else " + (holds ? other : v.name) +
            ")"};
  }
  return {""};
}

// An expression for either answer; empty: there is nothing to ask.
Text are_distinguished(Writer& w, const Type& type, int depth) {
  std::vector<const Var*> known = wide_vars(w);
  return known.empty() ? Text{""} : are_distinguished(w, *w.choices.pick(known), type, depth);
}

Text are_distinguished(Writer& w, const Var& v, const Type& type, int depth) {
  Test t = test_of(w, v);
  const std::vector<Var> before = w.vars;
  know(w, t.name, t.holds);
  Text yes = operand(w, type, depth, kOr);
  w.vars = before;
  know(w, t.name, t.fails);
  Text no = operand(w, type, depth, kTernary);
  w.vars = before;
  return {yes.s + " if " + t.text + " else " + no.s, kTernary};
}

// To the end of this block.
void learn(Writer& w, const std::string& name, const Type& type) {
  for (const Var& v : w.vars) {
    if (v.name == name && !(v.type == type))
      w.narrowed.push_back({name, v.type, v.fixed, w.indent});
  }
  know(w, name, type);
}

// At the end of a block: what was learned in it holds no more.
void forget(Writer& w, const std::vector<Var>& before) {
  for (size_t i = 0; i < before.size(); ++i) {
    w.vars[i].type = before[i].type;
    w.vars[i].fixed = before[i].fixed;
  }
  std::erase_if(w.narrowed, [&](const Narrowed& n) { return n.indent > w.indent; });
}

}  // namespace fusillade::fuzz::source
