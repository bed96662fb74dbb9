// Strings and lists of generated scripts: operators, methods, slices, comprehensions.
#include <algorithm>

#include "fuzz/gen/source.h"

namespace fusillade::fuzz::source {
namespace {

constexpr const char* kBounds[] = {"", "", "0", "1", "2", "-1", "-2", "3", "-9", "9"};
constexpr const char* kSteps[] = {"1", "2", "-1", "-2", "3"};
constexpr const char* kParts[] = {"\"a\"", "\"\"", "\",\"", "\"b\"", "\"l\"", "' '"};

// A slice never raises, whatever its bounds.
Text slice(Writer& w, const Type& type, int depth) {
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
  std::string s = "[" + limit_growth(w, element, expression(w, element, depth + 1)).s + " for " +
                  name + " in " + items;
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
     {"str.slice", "a[1:]", 2, [](Writer& w, int depth) { return slice(w, kStr, depth); }},
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
  bool sums = d.type.value_type().is(TypeKind::Int) && w.choices.chance(0.5);
  return {sums ? "sum(" + d.name + ".values())" : "len(" + d.name + ")"};
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
     {"count.gcd", "math.gcd(a, b)", 1,
      [](Writer& w, int) {
        std::string a = leaf(w, kInt).s;
        return Text{"math.gcd(" + a + ", " + leaf(w, kInt).s + ")"};
      }},
     {"count.ord", "ord(a[0])", 1,
      [](Writer& w, int depth) {
        return Text{"ord(" + operand(w, kStr, depth, kAtom).s + "[0])"};
      }},
     {"count.divmod", "divmod(a, b)[0]", 1, [](Writer& w, int depth) {
        std::string a = expression(w, kInt, depth + 1).s;
        std::string b = divisor(w, kInt, depth).s;
        return Text{fmt::format("divmod({}, {})[{}]", a, b, w.choices.below(2))};
      }}});

// Whether a dict has a key.
Text has_key(Writer& w, int) {
  std::vector<const Var*> known = dicts(w);
  if (known.empty()) return {""};
  const Var d = *w.choices.pick(known);
  return {"(" + key(w, d.type) + (w.choices.chance(0.7) ? ") in " : ") not in ") + d.name,
          kCompare};
}

Text same_dicts(Writer& w, int) {
  std::vector<const Var*> known = dicts(w);
  if (known.empty() || is_named(known[0]->type.value_type())) return {""};
  const Type type = known[0]->type;
  if (may_hold_nan(type.value_type())) return {""};
  return {known[0]->name + (w.choices.chance(0.5) ? " == " : " != ") + leaf(w, type).s, kCompare};
}

Text same_members(Writer& w, int) {
  for (const Var& v : w.vars) {
    if (!v.type.is(TypeKind::Enum) || w.choices.chance(0.3)) continue;
    std::string name = v.name;
    return {name + (w.choices.chance(0.6) ? " == " : " != ") + leaf(w, Type(v.type)).s, kCompare};
  }
  return {""};
}

Text same_objects(Writer& w, int) {
  const std::vector<std::string> objects = comparable_objects(w);
  std::string one = w.choices.pick(objects);
  return {one + (w.choices.chance(0.6) ? " == " : " != ") + w.choices.pick(objects), kCompare};
}

Text ordered_tuples(Writer& w, int depth) {
  static constexpr const char* kOps[] = {" < ", " <= ", " > ", " >= ", " == ", " != "};
  static constexpr TypeKind kKinds[] = {TypeKind::Int, TypeKind::Int, TypeKind::Str};
  const Type type = Type::tuple({kKinds[w.choices.below(3)], kKinds[w.choices.below(3)]});
  Text a = operand(w, type, depth + 1, kBitOr);
  return {a.s + kOps[w.choices.below(6)] + operand(w, type, depth + 1, kBitOr).s, kCompare};
}

bool has_member(const Writer& w) {
  return std::ranges::any_of(w.vars, [](const Var& v) { return v.type.is(TypeKind::Enum); });
}

bool has_objects(const Writer& w) { return comparable_objects(w).size() > 1; }

bool has_things(const Writer& w) { return has_member(w) || has_objects(w) || !dicts(w).empty(); }

[[maybe_unused]] const bool kThings = add_productions(
    Grammar::Thing, 0,
    {{"thing.objects", "a == b of objects of a class", 0.8, same_objects, kAnyDepth, kAskedFirst,
      has_objects},
     {"thing.members", "a == b of an enum", 0.6, same_members, kAnyDepth, kAskedFirst, has_member},
     {"thing.key", "a in d", 2, has_key},
     {"thing.dicts", "d == e of dicts", 1, same_dicts}});

// A type of lists that are compared and searched.
Type word_or_number(Writer& w) { return w.choices.chance(0.7) ? TypeKind::Int : TypeKind::Str; }

Text in_list(Writer& w, int depth) {
  Type element = word_or_number(w);
  Text item = operand(w, element, depth, kBitOr);
  return {item.s + (w.choices.chance(0.7) ? " in " : " not in ") +
              operand(w, Type::list(element), depth, kBitOr).s,
          kCompare};
}

Text same_lists(Writer& w, int depth) {
  Type list = Type::list(word_or_number(w));
  Text a = operand(w, list, depth, kBitOr);
  return {a.s + (w.choices.chance(0.7) ? " == " : " != ") + operand(w, list, depth, kBitOr).s,
          kCompare};
}

[[maybe_unused]] const bool kAsked =
    add_productions(Grammar::Asked, 0,
                    {{"asked.in_list", "a in b of a list", 1, in_list},
                     {"asked.in_word", "a in b of strings", 1,
                      [](Writer& w, int depth) {
                        Text part = operand(w, kStr, depth, kBitOr);
                        return Text{part.s + " in " + operand(w, kStr, depth, kBitOr).s, kCompare};
                      }},
                     {"asked.ends", "a.startswith(b), a.endswith(b)", 1,
                      [](Writer& w, int depth) {
                        std::string s = operand(w, kStr, depth, kAtom).s;
                        s += w.choices.chance(0.5) ? ".startswith(" : ".endswith(";
                        return Text{s + literal(w, kStr).s + ")"};
                      }},
                     {"asked.class", "a.isdigit(), a.isalpha()", 1,
                      [](Writer& w, int depth) {
                        std::string s = operand(w, kStr, depth, kAtom).s;
                        return Text{s + (w.choices.chance(0.5) ? ".isdigit()" : ".isalpha()")};
                      }},
                     {"asked.lists", "a == b of lists", 1, same_lists}});

Text of_thing(Writer& w, int depth) {
  Text t = draw_expression(w, Grammar::Thing, depth);
  return t.s.empty() ? comparison(w, depth) : t;
}

[[maybe_unused]] const bool kBools = add_productions(
    Grammar::Bool, 13,
    {{"bool.tuples", "a < b of tuples", 1, ordered_tuples},
     {"bool.truths", "any(a), all(a)", 1,
      [](Writer& w, int) {
        std::string f = w.choices.chance(0.5) ? "any(" : "all(";
        return Text{f + leaf(w, Type::list(TypeKind::Bool)).s + ")"};
      }},
     {"bool.things", "a bool that comes from dicts, enums and objects: a == b, a in d", 0.3,
      of_thing, kAnyDepth, kAskedFirst, has_things},
     {"bool.asked", "a bool that comes from strings and lists: a in b, a.startswith(b)", 0.15,
      [](Writer& w, int depth) { return draw_expression(w, Grammar::Asked, depth); }, kAnyDepth,
      kAskedFirst}});

// Longer lists only outside of loops.
Text sum_of_lists(Writer& w, const Type& type, int depth) {
  return w.iterations == 1 ? infix(w, "+", kSum, type, type, depth) : Text{""};
}

Text list_comprehension(Writer& w, const Type& type, int depth) {
  constexpr int64_t kMostIterations = 40;
  bool scalars = !type.element().is(TypeKind::List) && !type.element().is(TypeKind::Tuple);
  if (w.iterations * 4 >= kMostIterations || !scalars) return {""};
  return comprehension(w, type.element(), depth);
}

Text split(Writer& w, const Type& type, int depth) {
  static constexpr const char* kSplits[] = {".split(\",\")", ".split()", ".rsplit(\",\", 1)",
                                            ".splitlines()"};
  if (!type.element().is(TypeKind::Str)) return {""};
  return {operand(w, kStr, depth, kAtom).s + kSplits[w.choices.below(4)]};
}

[[maybe_unused]] const bool kLists =
    add_productions(Grammar::List, 0,
                    {{"list.sum", "a + b, outside of loops", 1, sum_of_lists},
                     {"list.product", "[1] * 2", 1,
                      [](Writer& w, const Type& type, int) {
                        std::string s = literal(w, type).s;
                        return Text{s + " * " + std::to_string(w.choices.between(-1, 3)), kProduct};
                      }},
                     {"list.slice", "a[1:]", 2, slice},
                     {"list.comprehension", "[a for b in c if d]", 2, list_comprehension},
                     {"list.sorted", "sorted(a)", 1,
                      [](Writer& w, const Type& type, int depth) {
                        if (!is_int_or_str(type.element())) return Text{""};
                        return Text{"sorted(" + expression(w, type, depth + 1).s + ")"};
                      }},
                     {"list.split", "a.split()", 1, split}});

}  // namespace

std::string bound(Writer& w) { return kBounds[w.choices.below(std::size(kBounds))]; }

// A list computed from other values.
Text derived_list(Writer& w, const Type& type, int depth) {
  if (w.choices.chance(0.25)) {
    Text t = keys_or_values(w, type);
    if (!t.s.empty()) return t;
  }
  Text t = draw_expression(w, Grammar::List, type, depth);
  return t.s.empty() ? leaf(w, type) : t;
}

}  // namespace fusillade::fuzz::source
