// Expressions of generated scripts.
#include <algorithm>

#include "fuzz/gen/source.h"

namespace fusillade::fuzz::source {
namespace {

constexpr int kDeep = 3;
constexpr int64_t kMostCost = 400;  // of one function, in statements

Level above(Level level) { return static_cast<Level>(level + 1); }

Text ternary(Writer& w, const Type& type, int depth) {
  if (type.is(TypeKind::Union))
    return wide_expression(w, type, depth);  // two options have no type in common
  if (w.choices.chance(0.25)) {
    Text t = are_distinguished(w, type, depth);
    if (!t.s.empty()) return t;
  }
  Text yes = operand(w, type, depth, kOr);
  Text decides = condition(w, depth + 1);
  if (decides.level < kOr) decides = {"(" + decides.s + ")"};
  Text no = operand(w, type, depth, kTernary);
  return {yes.s + " if " + decides.s + " else " + no.s, kTernary};
}

Text number(Writer& w, int depth) {
  return operand(w, w.choices.chance(0.7) ? TypeKind::Int : TypeKind::Float, depth, kBitOr);
}

Text list_expression(Writer& w, const Type& type, int depth) {
  if (is_wide(type)) return wide_items(w, type, depth);
  if (w.choices.chance(0.45)) return derived_list(w, type, depth);
  std::string s;
  for (uint64_t n = 1 + w.choices.below(3); n > 0; --n) {
    s += (s.empty() ? "" : ", ") + expression(w, type.element(), depth + 1).s;
  }
  return {"[" + s + "]"};
}

Text tuple_expression(Writer& w, const Type& type, int depth) {
  std::string s;
  for (const Type& t : type.elements()) s += expression(w, t, depth + 1).s + ", ";
  if (type.elements().size() > 1) s.resize(s.size() - 2);
  return {"(" + s + ")"};
}

// The two sides of one operator on truths.
Text both(Writer& w, const char* op, Level level, int depth) {
  const Type truth = TypeKind::Bool;
  return infix(w, op, level, truth, truth, depth);
}

Text same_words(Writer& w, int depth) {
  Text a = operand(w, TypeKind::Str, depth, kBitOr);
  std::string op = w.choices.chance(0.5) ? " == " : " != ";
  return {a.s + op + operand(w, TypeKind::Str, depth, kBitOr).s, kCompare};
}

Text type_test(Writer& w, int depth) {
  std::vector<const Var*> known = wide_vars(w);
  if (known.empty()) return comparison(w, depth);
  Test t = test_of(w, *w.choices.pick(known));
  return {t.text, t.level};
}

Text truth_of_number(Writer& w, int depth) {
  const Type from = w.choices.chance(0.5) ? TypeKind::Int : TypeKind::Float;
  return {"bool(" + expression(w, from, depth + 1).s + ")"};
}

[[maybe_unused]] const bool kBools = add_productions(
    Grammar::Bool, 0,
    {{"bool.and", "a and b", 2, [](Writer& w, int depth) { return both(w, "and", kAnd, depth); }},
     {"bool.or", "a or b", 2, [](Writer& w, int depth) { return both(w, "or", kOr, depth); }},
     {"bool.not", "not a", 1,
      [](Writer& w, int depth) {
        return Text{"not " + operand(w, TypeKind::Bool, depth, kNot).s, kNot};
      }},
     {"bool.same_words", "a == b of strings", 1, same_words},
     {"bool.test", "which of several types a variable has", 1, type_test},
     {"bool.cast", "bool(a)", 1, truth_of_number},
     {"bool.comparison", "a < b, a < b < c", 4, comparison}});

}  // namespace

std::vector<const Var*> of_type(const Writer& w, const Type& type, bool assignable) {
  std::vector<const Var*> out;
  for (const Var& v : w.vars) {
    if (v.type == type && !(assignable && v.fixed)) out.push_back(&v);
  }
  return out;
}

std::vector<const Var*> lists_of(const Writer& w, const Type& element) {
  return of_type(w, Type::list(element));
}

Text operand(Writer& w, const Type& type, int depth, Level least) {
  Text t = expression(w, type, depth + 1);
  if (t.level >= least && !w.choices.chance(0.04)) return t;
  return {"(" + t.s + ")"};
}

Text infix(Writer& w, const char* op, Level level, const Type& left, const Type& right, int depth) {
  Text a = operand(w, left, depth, level);
  Text b = operand(w, right, depth, above(level));
  return {a.s + " " + op + " " + b.s, level};
}

Text leaf(Writer& w, const Type& type) {
  if (type.is_tensor()) return tensor_leaf(w, type);
  std::vector<const Var*> known = of_type(w, type);
  if (!known.empty() && w.choices.chance(0.8)) return {w.choices.pick(known)->name};
  std::vector<const Var*> lists = lists_of(w, type);
  if (!lists.empty() && w.choices.chance(0.3)) return item_of(w, *w.choices.pick(lists));
  for (Text (*way)(Writer&, const Type&) : {&dict_item, &part_of_record, &narrowed_var}) {
    if (!w.choices.chance(0.3)) continue;
    Text t = way(w, type);
    if (!t.s.empty()) return t;
  }
  std::vector<std::string> elements;
  for (const Var& v : w.vars) {
    if (!v.type.is(TypeKind::Tuple)) continue;
    int64_t n = static_cast<int64_t>(v.type.elements().size());
    for (int64_t i = 0; i < n; ++i) {
      if (!(v.type.elements()[static_cast<size_t>(i)] == type)) continue;
      elements.push_back(fmt::format("{}[{}]", v.name, w.choices.chance(0.2) ? i - n : i));
    }
  }
  if (!elements.empty() && w.choices.chance(0.5)) return {w.choices.pick(elements)};
  return literal(w, type);
}

// Mostly inside the list.
Text item_of(Writer& w, const Var& list) {
  if (list.least > 0 && w.choices.chance(0.9)) {
    return {fmt::format("{}[{}]", list.name, w.choices.between(-list.least, list.least - 1))};
  }
  if (w.choices.chance(0.7)) {
    return {fmt::format("{}[{} % len({})]", list.name, operand(w, TypeKind::Int, kDeep, kProduct).s,
                        list.name)};
  }
  return {list.name + "[" + operand(w, TypeKind::Int, kDeep, kTernary).s + "]"};
}

namespace {

const Production& draw(Writer& w, Grammar grammar) {
  const Shares& shares = w.policy.shares(grammar);
  for (const Share& s : shares.asked_first)
    if ((!s.production->may || s.production->may(w)) && w.choices.chance(s.chance))
      return *s.production;
  return draw_by_weight(w.choices, shares.weighted, 0);
}

}  // namespace

Text draw_expression(Writer& w, Grammar grammar, int depth) {
  const Production& drawn = draw(w, grammar);
  Text t = drawn.make.expression(w, depth);
  if (!t.s.empty()) w.choices.count(drawn.number);
  return t;
}

Text draw_expression(Writer& w, Grammar grammar, const Type& type, int depth) {
  const Production& drawn = draw(w, grammar);
  Text t = drawn.make.typed(w, type, depth);
  if (!t.s.empty()) w.choices.count(drawn.number);
  return t;
}

Text expression(Writer& w, const Type& type, int depth) {
  if (depth >= kDeep || w.choices.chance(0.25)) return leaf(w, type);
  if (w.choices.chance(0.07)) return ternary(w, type, depth);
  if (w.choices.chance(0.12)) {
    if (const Callee* f = callable(w, type)) return call(w, *f, depth);
  }
  switch (type.kind()) {
    case TypeKind::Int:
      return draw_expression(w, Grammar::Int, depth);
    case TypeKind::Float:
      return draw_expression(w, Grammar::Float, depth);
    case TypeKind::Bool:
      return draw_expression(w, Grammar::Bool, depth);
    case TypeKind::Str:
      return draw_expression(w, Grammar::Str, depth);
    case TypeKind::List:
      return list_expression(w, type, depth);
    case TypeKind::Dict:
      return dict_expression(w, type, depth);
    case TypeKind::Enum:
      return leaf(w, type);
    case TypeKind::Tuple:
      return type.class_type() ? leaf(w, type) : tuple_expression(w, type, depth);
    case TypeKind::Tensor:
      return tensor_expression(w, type, depth);
    default:
      return wide_expression(w, type, depth);
  }
}

Text condition(Writer& w, int depth) {
  if (w.choices.chance(0.06))
    return expression(w, w.choices.chance(0.7) ? TypeKind::Int : TypeKind::Float, depth + 1);
  return expression(w, TypeKind::Bool, depth);
}

// A literal, something that is never zero, or now and then anything.
Text divisor(Writer& w, const Type& type, int depth) {
  if (w.choices.chance(0.1)) return operand(w, type, depth, kUnary);
  bool whole = type.is(TypeKind::Int);
  if (w.choices.chance(0.25)) {
    Text t = expression(w, type, depth + 1);
    return {fmt::format("(abs({}) + {})", t.s, whole ? "1" : "0.5")};
  }
  static constexpr const char* kInts[] = {"2", "3", "7", "-1", "-2", "-5", "10", "1", "64", "-7"};
  static constexpr const char* kReals[] = {"2.0", "0.5", "-3.0", "0.3", "1e10", "-0.7"};
  std::string s =
      whole ? kInts[w.choices.below(std::size(kInts))] : kReals[w.choices.below(std::size(kReals))];
  return {s, s[0] == '-' ? kUnary : kAtom};
}

// One comparison, or a chain whose later links count only when the earlier hold.
Text comparison(Writer& w, int depth) {
  static constexpr const char* kOps[] = {" < ", " <= ", " > ", " >= ", " == ", " != "};
  std::string s = number(w, depth).s;
  for (uint64_t n = w.choices.chance(0.25) ? 2 : 1; n > 0; --n)
    s += kOps[w.choices.below(6)] + number(w, depth).s;
  return {s, kCompare};
}

const Callee* callable(Writer& w, const Type& result) {
  std::vector<const Callee*> fitting;
  for (const Callee& f : w.callees) {
    bool may_write = std::any_of(f.arguments.begin(), f.arguments.end(), [](const Argument& a) {
      return a.type.is(TypeKind::List) || a.type.is(TypeKind::Dict);
    });
    may_write = may_write || f.name.find('.') != std::string::npos;  // what its object holds
    if (w.frozen > 0 && may_write) continue;
    if (f.result == result && w.cost + w.iterations * f.cost <= kMostCost) fitting.push_back(&f);
  }
  return fitting.empty() ? nullptr : w.choices.pick(fitting);
}

// Some arguments by position, the others by keyword in any order; defaults may be left out.
std::string arguments(Writer& w, const Callee& f, int depth) {
  w.cost += w.iterations * f.cost;
  size_t by_position =
      w.choices.chance(0.6) ? f.arguments.size() : w.choices.below(f.arguments.size() + 1);
  std::vector<std::string> given;
  for (size_t i = 0; i < by_position; ++i) {
    bool rest_has_defaults =
        std::all_of(f.arguments.begin() + static_cast<long>(i), f.arguments.end(),
                    [](const Argument& a) { return a.has_default; });
    if (rest_has_defaults && w.choices.chance(0.3)) {
      by_position = i;
      break;
    }
    const Argument& a = f.arguments[i];
    std::string text = a.behind.empty() ? expression(w, a.type, depth + 1).s
                                        : operand(w, a.type, depth, kAtom).s + a.behind;
    given.push_back(std::move(text));
  }
  if (given.size() > 1 && w.choices.chance(0.06)) {  // the last ones as a tuple
    size_t first = w.choices.below(given.size());
    std::string items;
    for (size_t i = first; i < given.size(); ++i) items += given[i] + ", ";
    given.resize(first);
    given.push_back("*(" + items + ")");
  }
  std::vector<const Argument*> rest;
  for (size_t i = by_position; i < f.arguments.size(); ++i) {
    size_t at = w.choices.below(rest.size() + 1);
    rest.insert(rest.begin() + static_cast<long>(at), &f.arguments[i]);
  }
  for (const Argument* a : rest) {
    if (a->has_default && w.choices.chance(0.5)) continue;
    std::string text = a->behind.empty() ? expression(w, a->type, depth + 1).s
                                         : operand(w, a->type, depth, kAtom).s + a->behind;
    given.push_back(a->name + "=" + text);
  }
  std::string s;
  for (const std::string& g : given) s += (s.empty() ? "" : ", ") + g;
  return s;
}

bool forkable(const Writer& w, const Callee& f) {
  return w.tensors && f.name.find('.') == std::string::npos && !f.result.class_type();
}

Text call(Writer& w, const Callee& f, int depth) {
  const std::string s = arguments(w, f, depth);
  if (forkable(w, f) && w.choices.chance(0.05))
    return {"torch.jit.wait(torch.jit.fork(" + f.name + (s.empty() ? "" : ", ") + s + "))"};
  return {f.name + "(" + s + ")"};
}

}  // namespace fusillade::fuzz::source
