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
  int64_t before = w.iterations;
  w.iterations *= 4;
  w.vars.push_back({name, over, true});
  std::string s = "[" + bounded(w, element, expression(w, element, depth + 1)).s + " for " + name +
                  " in " + items;
  if (w.choices.chance(0.4)) {
    Text decides = condition(w, depth + 1);
    s += " if " + (decides.level < kOr ? "(" + decides.s + ")" : decides.s);
  }
  std::erase_if(w.vars, [&](const Var& v) { return v.name == name; });
  w.iterations = before;
  return {s + "]"};
}

std::string word(Writer& w) { return kParts[w.choices.below(std::size(kParts))]; }

const Type kStr = TypeKind::Str;
const Type kInt = TypeKind::Int;

Text method_call(Writer& w, int depth) {
  static constexpr const char* kMethods[] = {"upper",    "lower",  "strip",  "capitalize",
                                             "swapcase", "lstrip", "rstrip", "title"};
  std::string s = operand(w, kStr, depth, kAtom).s;
  return {s + "." + kMethods[w.choices.below(std::size(kMethods))] + "()"};
}

Text replacement(Writer& w, int depth) {
  std::string s = operand(w, kStr, depth, kAtom).s + ".replace(" + word(w);
  return {s + ", " + word(w) + ")"};
}

Text in_braces(Writer& w, int) {
  std::string name = leaf(w, kInt).s;
  if (name.find_first_of("\"'{}") != std::string::npos) return leaf(w, kStr);
  return {"f\"<{" + name + "}>\""};
}

Text text_of(Writer& w, int depth) {
  const Type from = w.choices.chance(0.7) ? TypeKind::Int : TypeKind::Bool;
  return {"str(" + expression(w, from, depth + 1).s + ")"};
}

[[maybe_unused]] const bool kStrings = add_productions(
    Grammar::Str, 0,
    {{"str.sum", "a + b, outside of loops", 1,
      [](Writer& w, int depth) {
        return w.iterations == 1 ? infix(w, "+", kSum, kStr, kStr, depth) : leaf(w, kStr);
      }},
     {"str.product", "a * 2", 1,
      [](Writer& w, int) {
        std::string s = leaf(w, kStr).s;
        return Text{s + " * " + std::to_string(w.choices.between(-1, 3)), kProduct};
      }},
     {"str.slice", "a[1:]", 2, [](Writer& w, int depth) { return sliced(w, kStr, depth); }},
     {"str.method", "a.upper()", 1, method_call},
     {"str.replace", "a.replace(b, c)", 1, replacement},
     {"str.cast", "str(a)", 1, text_of},
     {"str.braces", "f\"<{a}>\"", 1, in_braces},
     {"str.join", "a.join(b)", 1,
      [](Writer& w, int depth) {
        Text list = operand(w, Type::list(kStr), depth, kTernary);
        return Text{word(w) + ".join(" + list.s + ")"};
      }},
     {"str.item", "a[0]", 1,
      [](Writer& w, int depth) {
        Text s = operand(w, kStr, depth, kAtom);
        return Text{s.s + "[" + std::to_string(w.choices.between(-1, 1)) + "]"};
      }},
     {"str.leaf", "a name, an item, a literal", 2, [](Writer& w, int) { return leaf(w, kStr); }}});

// What one of the lists of ints with a name is asked.
template <class Asked>
Text of_ints(Writer& w, const Asked& asked) {
  std::vector<const Var*> lists = lists_of(w, kInt);
  return lists.empty() ? leaf(w, kInt) : Text{asked(w.choices.pick(lists)->name)};
}

Text extreme(Writer& w, int) {
  std::vector<const Var*> lists = lists_of(w, kInt);
  if (lists.empty()) return leaf(w, kInt);
  std::string f = w.choices.below(2) ? "max(" : "min(";
  return {f + w.choices.pick(lists)->name + ")"};
}

Text search_in(Writer& w, int depth) {
  std::string s = operand(w, kStr, depth, kAtom).s;
  std::string method = w.choices.chance(0.5) ? ".find(" : ".count(";
  return {s + method + word(w) + ")"};
}

Text shift(Writer& w, int depth) {
  std::string s = operand(w, kInt, depth, kShift).s;
  std::string op = w.choices.chance(0.5) ? " << " : " >> ";
  return {s + op + std::to_string(w.choices.between(0, 9)), kShift};
}

Text rounding(Writer& w, int depth) {
  std::string f = w.choices.chance(0.5) ? "math.floor(" : "math.ceil(";
  return {f + expression(w, TypeKind::Float, depth + 1).s + ")"};
}

Text of_dict(Writer& w, int) {
  std::vector<const Var*> known = dicts(w);
  if (known.empty()) return leaf(w, kInt);
  const Var d = *w.choices.pick(known);
  bool sums = d.type.mapped().is(TypeKind::Int) && w.choices.chance(0.5);
  return {sums ? "sum(" + d.name + ".values())" : "len(" + d.name + ")"};
}

Text of_whole_numbers(Writer& w, int depth) {
  uint64_t kind = w.choices.below(3);
  if (kind == 0) return {"math.gcd(" + leaf(w, kInt).s + ", " + leaf(w, kInt).s + ")"};
  if (kind == 1) return {"ord(" + operand(w, kStr, depth, kAtom).s + "[0])"};
  return {fmt::format("divmod({}, {})[{}]", expression(w, kInt, depth + 1).s,
                      divisor(w, kInt, depth).s, w.choices.below(2))};
}

[[maybe_unused]] const bool kCounts = add_productions(
    Grammar::Count, 0,
    {{"count.len", "len(a) of a string", 1,
      [](Writer& w, int depth) { return Text{"len(" + expression(w, kStr, depth + 1).s + ")"}; }},
     {"count.find", "a.find(b), a.count(b)", 1, search_in},
     {"count.sum", "sum(a)", 1,
      [](Writer& w, int) {
        return of_ints(w, [](const std::string& list) { return "sum(" + list + ")"; });
      }},
     {"count.items", "a.count(b) of a list", 1,
      [](Writer& w, int depth) {
        return of_ints(w, [&](const std::string& list) {
          return list + ".count(" + expression(w, kInt, depth + 1).s + ")";
        });
      }},
     {"count.shift", "a << 3, a >> 3", 1, shift},
     {"count.round", "round(a)", 1,
      [](Writer& w, int depth) {
        return Text{"round(" + expression(w, TypeKind::Float, depth + 1).s + ")"};
      }},
     {"count.floor", "math.floor(a), math.ceil(a)", 1, rounding},
     {"count.len_of_list", "len(a) of a list", 1,
      [](Writer& w, int depth) {
        return Text{"len(" + expression(w, Type::list(draw_scalar(w)), depth + 1).s + ")"};
      }},
     {"count.dict", "len(a), sum(a.values()) of a dict", 1, of_dict},
     {"count.min_max", "min(a), max(a)", 1, extreme},
     {"count.numbers", "math.gcd(a, b), ord(a[0]), divmod(a, b)[0]", 1, of_whole_numbers}});

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

[[maybe_unused]] const bool kThings = add_productions(
    Grammar::Bool, 13,
    {{"bool.things", "what is asked of dicts, enums, tuples and objects", 1, asked_of_things},
     {"bool.asked", "what is asked of strings and lists", 0.15, asked, kAnyDepth, kAskedFirst}});

}  // namespace

std::string bound(Writer& w) { return kBounds[w.choices.below(std::size(kBounds))]; }

// A list made of others: longer ones only outside of loops.
Text derived_list(Writer& w, const Type& type, int depth) {
  bool scalars = !type.element().is(TypeKind::List) && !type.element().is(TypeKind::Tuple);
  if (w.choices.chance(0.25)) {
    Text t = keys_or_values(w, type);
    if (!t.s.empty()) return t;
  }
  switch (w.choices.below(8)) {
    case 0:
      if (w.iterations == 1) return infix(w, "+", kSum, type, type, depth);
      break;
    case 1:
      return {literal(w, type).s + " * " + std::to_string(w.choices.between(-1, 3)), kProduct};
    case 2:
    case 3:
      return sliced(w, type, depth);
    case 4:
    case 5:
      if (w.iterations * 4 < 40 && scalars) return comprehension(w, type.element(), depth);
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
