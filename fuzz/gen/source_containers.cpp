// Strings and lists of generated scripts: operators, methods, slices, comprehensions.
#include <algorithm>

#include "fuzz/gen/source.h"

namespace fusillade::fuzz::source {
namespace {

constexpr const char* kBounds[] = {"", "", "0", "1", "2", "-1", "-2", "3", "-9", "9"};
constexpr const char* kSteps[] = {"1", "2", "-1", "-2", "3"};
constexpr const char* kParts[] = {"\"a\"", "\"\"", "\",\"", "\"b\"", "\"l\"", "' '"};

// A slice never raises, whatever its bounds.
Text sliced(Writer& w, const Type& type, int depth) {
  std::string s = operand(w, type, depth, kAtom).s + "[" + bound(w) + ":" + bound(w);
  if (w.choices.chance(0.4)) s += std::string(":") + kSteps[w.choices.below(std::size(kSteps))];
  return {s + "]"};
}

Text comprehension(Writer& w, const Type& element, int depth) {
  std::string name = fresh(w, "c");
  Type over = draw_item(w);
  std::string items = literal(w, Type::list(over)).s;
  if (w.choices.chance(0.4)) {
    over = TypeKind::Int;
    items = fmt::format("range({})", w.choices.between(-1, 4));
  }
  int64_t before = w.turns;
  w.turns *= 4;
  w.vars.push_back({name, over, true});
  std::string s = "[" + bounded(w, element, expression(w, element, depth + 1)).s + " for " + name +
                  " in " + items;
  if (w.choices.chance(0.4)) {
    Text decides = condition(w, depth + 1);
    s += " if " + (decides.level < kOr ? "(" + decides.s + ")" : decides.s);
  }
  std::erase_if(w.vars, [&](const Var& v) { return v.name == name; });
  w.turns = before;
  return {s + "]"};
}

}  // namespace

std::string bound(Writer& w) { return kBounds[w.choices.below(std::size(kBounds))]; }

Text str_expression(Writer& w, int depth) {
  const Type word = TypeKind::Str;
  auto part = [&] { return std::string(kParts[w.choices.below(std::size(kParts))]); };
  switch (w.choices.below(14)) {
    case 12:
      return formatted(w, depth);
    case 13:
      return padded(w, depth);
    case 0:
      return w.turns == 1 ? infix(w, "+", kSum, word, word, depth) : leaf(w, word);
    case 1:
      return {leaf(w, word).s + " * " + std::to_string(w.choices.between(-1, 3)), kProduct};
    case 2:
    case 3:
      return sliced(w, word, depth);
    case 4: {
      static constexpr const char* kMethods[] = {"upper",    "lower",  "strip",  "capitalize",
                                                 "swapcase", "lstrip", "rstrip", "title"};
      return {operand(w, word, depth, kAtom).s + "." +
              kMethods[w.choices.below(std::size(kMethods))] + "()"};
    }
    case 5:
      return {operand(w, word, depth, kAtom).s + ".replace(" + part() + ", " + part() + ")"};
    case 6:
      return {"str(" +
              expression(w, w.choices.chance(0.7) ? TypeKind::Int : TypeKind::Bool, depth + 1).s +
              ")"};
    case 7: {
      std::string name = leaf(w, TypeKind::Int).s;
      if (name.find_first_of("\"'{}") != std::string::npos) return leaf(w, word);
      return {"f\"<{" + name + "}>\""};
    }
    case 8: {
      Text list = operand(w, Type::list(word), depth, kTernary);
      return {part() + ".join(" + list.s + ")"};
    }
    case 9: {
      Text s = operand(w, word, depth, kAtom);
      return {s.s + "[" + std::to_string(w.choices.between(-1, 1)) + "]"};
    }
    default:
      return leaf(w, word);
  }
}

// A list made of others: longer ones only outside of loops.
Text derived_list(Writer& w, const Type& type, int depth) {
  bool scalars = !type.element().is(TypeKind::List) && !type.element().is(TypeKind::Tuple);
  if (w.choices.chance(0.25)) {
    Text t = keys_or_values(w, type);
    if (!t.s.empty()) return t;
  }
  switch (w.choices.below(8)) {
    case 0:
      if (w.turns == 1) return infix(w, "+", kSum, type, type, depth);
      break;
    case 1:
      return {literal(w, type).s + " * " + std::to_string(w.choices.between(-1, 3)), kProduct};
    case 2:
    case 3:
      return sliced(w, type, depth);
    case 4:
    case 5:
      if (w.turns * 4 < 40 && scalars) return comprehension(w, type.element(), depth);
      break;
    case 6:
      if (type.element().is(TypeKind::Int) || type.element().is(TypeKind::Str)) {
        return {"sorted(" + expression(w, type, depth + 1).s + ")"};
      }
      break;
    default:
      if (type.element().is(TypeKind::Str)) {
        static constexpr const char* kSplits[] = {".split(\",\")", ".split()", ".rsplit(\",\", 1)",
                                                  ".splitlines()"};
        return {operand(w, TypeKind::Str, depth, kAtom).s + kSplits[w.choices.below(4)]};
      }
  }
  return leaf(w, type);
}

Text counted(Writer& w, int depth) {
  const Type whole = TypeKind::Int;
  const Type word = TypeKind::Str;
  auto part = [&] { return std::string(kParts[w.choices.below(std::size(kParts))]); };
  switch (w.choices.below(11)) {
    case 8: {
      std::vector<const Var*> known = dicts(w);
      if (known.empty()) return leaf(w, whole);
      const Var d = *w.choices.pick(known);
      bool sums = d.type.mapped().is(TypeKind::Int) && w.choices.chance(0.5);
      return {sums ? "sum(" + d.name + ".values())" : "len(" + d.name + ")"};
    }
    case 9: {
      std::vector<const Var*> lists = lists_of(w, whole);
      if (lists.empty()) return leaf(w, whole);
      static constexpr const char* kFunctions[] = {"min(", "max("};
      return {kFunctions[w.choices.below(2)] + w.choices.pick(lists)->name + ")"};
    }
    case 10: {
      uint64_t kind = w.choices.below(3);
      if (kind == 0) return {"math.gcd(" + leaf(w, whole).s + ", " + leaf(w, whole).s + ")"};
      if (kind == 1) return {"ord(" + operand(w, word, depth, kAtom).s + "[0])"};
      return {fmt::format("divmod({}, {})[{}]", expression(w, whole, depth + 1).s,
                          divisor(w, whole, depth).s, w.choices.below(2))};
    }
    case 0:
      return {"len(" + expression(w, word, depth + 1).s + ")"};
    case 1:
      return {operand(w, word, depth, kAtom).s + (w.choices.chance(0.5) ? ".find(" : ".count(") +
              part() + ")"};
    case 2: {
      std::vector<const Var*> lists = lists_of(w, whole);
      if (lists.empty()) return leaf(w, whole);
      return {"sum(" + w.choices.pick(lists)->name + ")"};
    }
    case 3: {
      std::vector<const Var*> lists = lists_of(w, whole);
      if (lists.empty()) return leaf(w, whole);
      return {w.choices.pick(lists)->name + ".count(" + expression(w, whole, depth + 1).s + ")"};
    }
    case 4:
      return {operand(w, whole, depth, kShift).s + (w.choices.chance(0.5) ? " << " : " >> ") +
                  std::to_string(w.choices.between(0, 9)),
              kShift};
    case 5:
      return {"round(" + expression(w, TypeKind::Float, depth + 1).s + ")"};
    case 6:
      return {(w.choices.chance(0.5) ? "math.floor(" : "math.ceil(") +
              expression(w, TypeKind::Float, depth + 1).s + ")"};
    default:
      return {"len(" + expression(w, Type::list(draw_scalar(w)), depth + 1).s + ")"};
  }
}

// Of a dict whether it has a key, of an enum what it is, of lists of truths whether all or any
// hold; of two tuples or objects which is less, or the same.
Text asked_of_things(Writer& w, int depth) {
  switch (w.choices.below(6)) {
    case 4: {
      Text t = asked_of_objects(w);
      if (!t.s.empty()) return t;
      break;
    }
    case 5: {
      static constexpr const char* kOps[] = {" < ", " <= ", " > ", " >= ", " == ", " != "};
      static constexpr TypeKind kKinds[] = {TypeKind::Int, TypeKind::Int, TypeKind::Str};
      const Type type = Type::tuple({kKinds[w.choices.below(3)], kKinds[w.choices.below(3)]});
      Text a = operand(w, type, depth + 1, kBitOr);
      return {a.s + kOps[w.choices.below(6)] + operand(w, type, depth + 1, kBitOr).s, kCompare};
    }
    case 0: {
      std::vector<const Var*> known = dicts(w);
      if (known.empty()) break;
      const Var d = *w.choices.pick(known);
      return {"(" + key(w, d.type) + (w.choices.chance(0.7) ? ") in " : ") not in ") + d.name,
              kCompare};
    }
    case 1: {
      std::vector<const Var*> known = dicts(w);
      if (known.empty() || is_named(known[0]->type.mapped())) break;
      const Type type = known[0]->type;
      if (may_hold_nan(type.mapped())) break;
      return {known[0]->name + (w.choices.chance(0.5) ? " == " : " != ") + leaf(w, type).s,
              kCompare};
    }
    case 2:
      for (const Var& v : w.vars) {
        if (!v.type.is(TypeKind::Enum) || w.choices.chance(0.3)) continue;
        std::string name = v.name;
        return {name + (w.choices.chance(0.6) ? " == " : " != ") + leaf(w, Type(v.type)).s,
                kCompare};
      }
      break;
    default:
      return {(w.choices.chance(0.5) ? "any(" : "all(") + leaf(w, Type::list(TypeKind::Bool)).s +
              ")"};
  }
  return comparison(w, depth);
}

Text asked(Writer& w, int depth) {
  const Type word = TypeKind::Str;
  switch (w.choices.below(5)) {
    case 0: {
      Type element = w.choices.chance(0.7) ? Type(TypeKind::Int) : word;
      Text item = operand(w, element, depth, kBitOr);
      return {item.s + (w.choices.chance(0.7) ? " in " : " not in ") +
                  operand(w, Type::list(element), depth, kBitOr).s,
              kCompare};
    }
    case 1: {
      Text part = operand(w, word, depth, kBitOr);
      return {part.s + " in " + operand(w, word, depth, kBitOr).s, kCompare};
    }
    case 2:
      return {operand(w, word, depth, kAtom).s +
              (w.choices.chance(0.5) ? ".startswith(" : ".endswith(") + literal(w, word).s + ")"};
    case 3:
      return {operand(w, word, depth, kAtom).s +
              (w.choices.chance(0.5) ? ".isdigit()" : ".isalpha()")};
    default: {
      Type list = Type::list(w.choices.chance(0.7) ? Type(TypeKind::Int) : word);
      Text a = operand(w, list, depth, kBitOr);
      return {a.s + (w.choices.chance(0.7) ? " == " : " != ") + operand(w, list, depth, kBitOr).s,
              kCompare};
    }
  }
}

void change_list(Writer& w) {
  std::vector<const Var*> lists;
  for (const Var& v : w.vars) {
    if (v.type.is(TypeKind::List)) lists.push_back(&v);
  }
  const Var v = *w.choices.pick(lists);
  const Type element = v.type.element();
  auto item = [&] { return bounded(w, element, expression(w, element, 1)).s; };
  switch (w.choices.below(8)) {
    case 6:
      if (element.is(TypeKind::Int) || element.is(TypeKind::Str)) {
        return line(w, v.name + ".sort(" + (w.choices.chance(0.4) ? "reverse=True" : "") + ")");
      }
      return line(w, v.name + ".reverse()");
    case 7: {
      bool known =
          element.is(TypeKind::Int) || element.is(TypeKind::Str) || element.is(TypeKind::Bool);
      std::string i = item();
      line(w, known ? fmt::format("if ({0}) in {1}: {1}.remove({0})", i, v.name)
                    : v.name + ".clear()");
      for (Var& own : w.vars) {
        if (own.type == v.type) own.least = 0;
      }
      return;
    }
    case 0:
      return line(w, v.name + " += " + literal(w, v.type).s);
    case 1:
      return line(w, v.name + ".extend(" + literal(w, v.type).s + ")");
    case 2:
      return line(w, fmt::format("{}.insert({}, {})", v.name, w.choices.between(-3, 3), item()));
    case 3:
      return line(w, v.name + ".reverse()");
    case 4:
      if (element.is(TypeKind::Int))
        return line(w, item_of(w, v).s + " += " + std::to_string(w.choices.between(-9, 9)));
      return line(w, v.name + ".append(" + item() + ")");
    default: {
      line(w, v.name + (w.choices.chance(0.5) ? ".pop()" : ".pop(0)"));
      for (Var& own : w.vars) {
        if (own.type == v.type) own.least = 0;  // it may be known by another name
      }
    }
  }
}

}  // namespace fusillade::fuzz::source
