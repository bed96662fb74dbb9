// Strings and lists of generated scripts: operators, methods, slices, comprehensions.
#include <algorithm>

#include "fuzz/gen/source.h"

namespace fusillade::fuzz {
namespace {

constexpr const char* kBounds[] = {"", "", "0", "1", "2", "-1", "-2", "3", "-9", "9"};
constexpr const char* kSteps[] = {"1", "2", "-1", "-2", "3"};
constexpr const char* kParts[] = {"\"a\"", "\"\"", "\",\"", "\"b\"", "\"l\"", "' '"};

}  // namespace

std::string Source::bound() { return kBounds[choices_.below(std::size(kBounds))]; }

// A slice never raises, whatever its bounds.
Text Source::sliced(const Type& type, int depth) {
  std::string s = operand(type, depth, kAtom).s + "[" + bound() + ":" + bound();
  if (choices_.chance(0.4)) s += std::string(":") + kSteps[choices_.below(std::size(kSteps))];
  return {s + "]"};
}

Text Source::str_expression(int depth) {
  const Type word = TypeKind::Str;
  auto part = [&] { return std::string(kParts[choices_.below(std::size(kParts))]); };
  switch (choices_.below(14)) {
    case 12:
      return formatted(depth);
    case 13:
      return padded(depth);
    case 0:
      return turns_ == 1 ? infix("+", kSum, word, word, depth) : leaf(word);
    case 1:
      return {leaf(word).s + " * " + std::to_string(choices_.between(-1, 3)), kProduct};
    case 2:
    case 3:
      return sliced(word, depth);
    case 4: {
      static constexpr const char* kMethods[] = {"upper",    "lower",  "strip",  "capitalize",
                                                 "swapcase", "lstrip", "rstrip", "title"};
      return {operand(word, depth, kAtom).s + "." + kMethods[choices_.below(std::size(kMethods))] +
              "()"};
    }
    case 5:
      return {operand(word, depth, kAtom).s + ".replace(" + part() + ", " + part() + ")"};
    case 6:
      return {"str(" +
              expression(choices_.chance(0.7) ? TypeKind::Int : TypeKind::Bool, depth + 1).s + ")"};
    case 7: {
      std::string name = leaf(TypeKind::Int).s;
      if (name.find_first_of("\"'{}") != std::string::npos) return leaf(word);
      return {"f\"<{" + name + "}>\""};
    }
    case 8: {
      Text list = operand(Type::list(word), depth, kTernary);
      return {part() + ".join(" + list.s + ")"};
    }
    case 9: {
      Text s = operand(word, depth, kAtom);
      return {s.s + "[" + std::to_string(choices_.between(-1, 1)) + "]"};
    }
    default:
      return leaf(word);
  }
}

Text Source::comprehension(const Type& element, int depth) {
  std::string name = fresh("c");
  Type over = draw_item();
  std::string items = literal(Type::list(over)).s;
  if (choices_.chance(0.4)) {
    over = TypeKind::Int;
    items = fmt::format("range({})", choices_.between(-1, 4));
  }
  int64_t before = turns_;
  turns_ *= 4;
  vars_.push_back({name, over, true});
  std::string s =
      "[" + bounded(element, expression(element, depth + 1)).s + " for " + name + " in " + items;
  if (choices_.chance(0.4)) {
    Text decides = condition(depth + 1);
    s += " if " + (decides.level < kOr ? "(" + decides.s + ")" : decides.s);
  }
  std::erase_if(vars_, [&](const Var& v) { return v.name == name; });
  turns_ = before;
  return {s + "]"};
}

// A list made of others: longer ones only outside of loops.
Text Source::derived_list(const Type& type, int depth) {
  bool scalars = !type.element().is(TypeKind::List) && !type.element().is(TypeKind::Tuple);
  if (choices_.chance(0.25)) {
    Text t = keys_or_values(type);
    if (!t.s.empty()) return t;
  }
  switch (choices_.below(8)) {
    case 0:
      if (turns_ == 1) return infix("+", kSum, type, type, depth);
      break;
    case 1:
      return {literal(type).s + " * " + std::to_string(choices_.between(-1, 3)), kProduct};
    case 2:
    case 3:
      return sliced(type, depth);
    case 4:
    case 5:
      if (turns_ * 4 < 40 && scalars) return comprehension(type.element(), depth);
      break;
    case 6:
      if (type.element().is(TypeKind::Int) || type.element().is(TypeKind::Str)) {
        return {"sorted(" + expression(type, depth + 1).s + ")"};
      }
      break;
    default:
      if (type.element().is(TypeKind::Str)) {
        static constexpr const char* kSplits[] = {".split(\",\")", ".split()", ".rsplit(\",\", 1)",
                                                  ".splitlines()"};
        return {operand(TypeKind::Str, depth, kAtom).s + kSplits[choices_.below(4)]};
      }
  }
  return leaf(type);
}

Text Source::counted(int depth) {
  const Type whole = TypeKind::Int;
  const Type word = TypeKind::Str;
  auto part = [&] { return std::string(kParts[choices_.below(std::size(kParts))]); };
  switch (choices_.below(11)) {
    case 8: {
      std::vector<const Var*> known = dicts();
      if (known.empty()) return leaf(whole);
      const Var d = *choices_.pick(known);
      bool sums = d.type.mapped().is(TypeKind::Int) && choices_.chance(0.5);
      return {sums ? "sum(" + d.name + ".values())" : "len(" + d.name + ")"};
    }
    case 9: {
      std::vector<const Var*> lists = lists_of(whole);
      if (lists.empty()) return leaf(whole);
      static constexpr const char* kFunctions[] = {"min(", "max("};
      return {kFunctions[choices_.below(2)] + choices_.pick(lists)->name + ")"};
    }
    case 10: {
      uint64_t kind = choices_.below(3);
      if (kind == 0) return {"math.gcd(" + leaf(whole).s + ", " + leaf(whole).s + ")"};
      if (kind == 1) return {"ord(" + operand(word, depth, kAtom).s + "[0])"};
      return {fmt::format("divmod({}, {})[{}]", expression(whole, depth + 1).s,
                          divisor(whole, depth).s, choices_.below(2))};
    }
    case 0:
      return {"len(" + expression(word, depth + 1).s + ")"};
    case 1:
      return {operand(word, depth, kAtom).s + (choices_.chance(0.5) ? ".find(" : ".count(") +
              part() + ")"};
    case 2: {
      std::vector<const Var*> lists = lists_of(whole);
      if (lists.empty()) return leaf(whole);
      return {"sum(" + choices_.pick(lists)->name + ")"};
    }
    case 3: {
      std::vector<const Var*> lists = lists_of(whole);
      if (lists.empty()) return leaf(whole);
      return {choices_.pick(lists)->name + ".count(" + expression(whole, depth + 1).s + ")"};
    }
    case 4:
      return {operand(whole, depth, kShift).s + (choices_.chance(0.5) ? " << " : " >> ") +
                  std::to_string(choices_.between(0, 9)),
              kShift};
    case 5:
      return {"round(" + expression(TypeKind::Float, depth + 1).s + ")"};
    case 6:
      return {(choices_.chance(0.5) ? "math.floor(" : "math.ceil(") +
              expression(TypeKind::Float, depth + 1).s + ")"};
    default:
      return {"len(" + expression(Type::list(draw_scalar()), depth + 1).s + ")"};
  }
}

// Of a dict whether it has a key, of an enum what it is, of lists of truths whether all or any
// hold; of two tuples or objects which is less, or the same.
Text Source::asked_of_things(int depth) {
  switch (choices_.below(6)) {
    case 4: {
      Text t = asked_of_objects();
      if (!t.s.empty()) return t;
      break;
    }
    case 5: {
      static constexpr const char* kOps[] = {" < ", " <= ", " > ", " >= ", " == ", " != "};
      static constexpr TypeKind kKinds[] = {TypeKind::Int, TypeKind::Int, TypeKind::Str};
      const Type type = Type::tuple({kKinds[choices_.below(3)], kKinds[choices_.below(3)]});
      Text a = operand(type, depth + 1, kBitOr);
      return {a.s + kOps[choices_.below(6)] + operand(type, depth + 1, kBitOr).s, kCompare};
    }
    case 0: {
      std::vector<const Var*> known = dicts();
      if (known.empty()) break;
      const Var d = *choices_.pick(known);
      return {"(" + key(d.type) + (choices_.chance(0.7) ? ") in " : ") not in ") + d.name,
              kCompare};
    }
    case 1: {
      std::vector<const Var*> known = dicts();
      if (known.empty() || is_named(known[0]->type.mapped())) break;
      const Type type = known[0]->type;
      if (may_hold_nan(type.mapped())) break;
      return {known[0]->name + (choices_.chance(0.5) ? " == " : " != ") + leaf(type).s, kCompare};
    }
    case 2:
      for (const Var& v : vars_) {
        if (!v.type.is(TypeKind::Enum) || choices_.chance(0.3)) continue;
        std::string name = v.name;
        return {name + (choices_.chance(0.6) ? " == " : " != ") + leaf(Type(v.type)).s, kCompare};
      }
      break;
    default:
      return {(choices_.chance(0.5) ? "any(" : "all(") + leaf(Type::list(TypeKind::Bool)).s + ")"};
  }
  return comparison(depth);
}

Text Source::asked(int depth) {
  const Type word = TypeKind::Str;
  switch (choices_.below(5)) {
    case 0: {
      Type element = choices_.chance(0.7) ? Type(TypeKind::Int) : word;
      Text item = operand(element, depth, kBitOr);
      return {item.s + (choices_.chance(0.7) ? " in " : " not in ") +
                  operand(Type::list(element), depth, kBitOr).s,
              kCompare};
    }
    case 1: {
      Text part = operand(word, depth, kBitOr);
      return {part.s + " in " + operand(word, depth, kBitOr).s, kCompare};
    }
    case 2:
      return {operand(word, depth, kAtom).s +
              (choices_.chance(0.5) ? ".startswith(" : ".endswith(") + literal(word).s + ")"};
    case 3:
      return {operand(word, depth, kAtom).s + (choices_.chance(0.5) ? ".isdigit()" : ".isalpha()")};
    default: {
      Type list = Type::list(choices_.chance(0.7) ? Type(TypeKind::Int) : word);
      Text a = operand(list, depth, kBitOr);
      return {a.s + (choices_.chance(0.7) ? " == " : " != ") + operand(list, depth, kBitOr).s,
              kCompare};
    }
  }
}

void Source::change_list() {
  std::vector<const Var*> lists;
  for (const Var& v : vars_) {
    if (v.type.is(TypeKind::List)) lists.push_back(&v);
  }
  const Var v = *choices_.pick(lists);
  const Type element = v.type.element();
  auto item = [&] { return bounded(element, expression(element, 1)).s; };
  switch (choices_.below(8)) {
    case 6:
      if (element.is(TypeKind::Int) || element.is(TypeKind::Str)) {
        return line(v.name + ".sort(" + (choices_.chance(0.4) ? "reverse=True" : "") + ")");
      }
      return line(v.name + ".reverse()");
    case 7: {
      bool known =
          element.is(TypeKind::Int) || element.is(TypeKind::Str) || element.is(TypeKind::Bool);
      std::string i = item();
      line(known ? fmt::format("if ({0}) in {1}: {1}.remove({0})", i, v.name)
                 : v.name + ".clear()");
      for (Var& own : vars_) {
        if (own.type == v.type) own.least = 0;
      }
      return;
    }
    case 0:
      return line(v.name + " += " + literal(v.type).s);
    case 1:
      return line(v.name + ".extend(" + literal(v.type).s + ")");
    case 2:
      return line(fmt::format("{}.insert({}, {})", v.name, choices_.between(-3, 3), item()));
    case 3:
      return line(v.name + ".reverse()");
    case 4:
      if (element.is(TypeKind::Int))
        return line(item_of(v).s + " += " + std::to_string(choices_.between(-9, 9)));
      return line(v.name + ".append(" + item() + ")");
    default: {
      line(v.name + (choices_.chance(0.5) ? ".pop()" : ".pop(0)"));
      for (Var& own : vars_) {
        if (own.type == v.type) own.least = 0;  // it may be known by another name
      }
    }
  }
}

}  // namespace fusillade::fuzz
