// Expressions of generated scripts.
#include <algorithm>

#include "fuzz/gen/source.h"

namespace fusillade::fuzz {
namespace {

constexpr int kDeep = 3;
constexpr int64_t kMostCost = 400;  // of one function, in statements

Level above(Level level) { return static_cast<Level>(level + 1); }

}  // namespace

std::vector<const Source::Var*> Source::of_type(const Type& type, bool assignable) const {
  std::vector<const Var*> out;
  for (const Var& v : vars_) {
    if (v.type == type && !(assignable && v.fixed)) out.push_back(&v);
  }
  return out;
}

std::vector<const Source::Var*> Source::lists_of(const Type& element) const {
  return of_type(Type::list(element));
}

Text Source::operand(const Type& type, int depth, Level least) {
  Text t = expression(type, depth + 1);
  if (t.level >= least && !choices_.chance(0.04)) return t;
  return {"(" + t.s + ")"};
}

Text Source::infix(const char* op, Level level, const Type& left, const Type& right, int depth) {
  Text a = operand(left, depth, level);
  Text b = operand(right, depth, above(level));
  return {a.s + " " + op + " " + b.s, level};
}

Text Source::leaf(const Type& type) {
  if (type.is_tensor()) return tensor_leaf(type);
  std::vector<const Var*> known = of_type(type);
  if (!known.empty() && choices_.chance(0.8)) return {choices_.pick(known)->name};
  std::vector<const Var*> lists = lists_of(type);
  if (!lists.empty() && choices_.chance(0.3)) return item_of(*choices_.pick(lists));
  for (Text (Source::*way)(const Type&) :
       {&Source::dict_item, &Source::part_of_record, &Source::narrowed}) {
    if (!choices_.chance(0.3)) continue;
    Text t = (this->*way)(type);
    if (!t.s.empty()) return t;
  }
  std::vector<std::string> elements;
  for (const Var& v : vars_) {
    if (!v.type.is(TypeKind::Tuple)) continue;
    int64_t n = static_cast<int64_t>(v.type.elements().size());
    for (int64_t i = 0; i < n; ++i) {
      if (!(v.type.elements()[static_cast<size_t>(i)] == type)) continue;
      elements.push_back(fmt::format("{}[{}]", v.name, choices_.chance(0.2) ? i - n : i));
    }
  }
  if (!elements.empty() && choices_.chance(0.5)) return {choices_.pick(elements)};
  return literal(type);
}

// Mostly inside the list.
Text Source::item_of(const Var& list) {
  if (list.least > 0 && choices_.chance(0.9)) {
    return {fmt::format("{}[{}]", list.name, choices_.between(-list.least, list.least - 1))};
  }
  if (choices_.chance(0.7)) {
    return {fmt::format("{}[{} % len({})]", list.name, operand(TypeKind::Int, kDeep, kProduct).s,
                        list.name)};
  }
  return {list.name + "[" + operand(TypeKind::Int, kDeep, kTernary).s + "]"};
}

Text Source::expression(const Type& type, int depth) {
  if (depth >= kDeep || choices_.chance(0.25)) return leaf(type);
  if (choices_.chance(0.07)) return ternary(type, depth);
  if (choices_.chance(0.12)) {
    if (const Callee* f = callable(type)) return call(*f, depth);
  }
  switch (type.kind()) {
    case TypeKind::Int:
      return int_expression(depth);
    case TypeKind::Float:
      return float_expression(depth);
    case TypeKind::Bool:
      return bool_expression(depth);
    case TypeKind::Str:
      return str_expression(depth);
    case TypeKind::List:
      return list_expression(type, depth);
    case TypeKind::Dict:
      return dict_expression(type, depth);
    case TypeKind::Enum:
      return leaf(type);
    case TypeKind::Tuple:
      return type.class_type() ? leaf(type) : tuple_expression(type, depth);
    case TypeKind::Tensor:
      return tensor_expression(type, depth);
    default:
      return wide_expression(type, depth);
  }
}

Text Source::ternary(const Type& type, int depth) {
  if (type.is(TypeKind::Union))
    return wide_expression(type, depth);  // two options have no type in common
  if (choices_.chance(0.25)) {
    Text t = told_apart(type, depth);
    if (!t.s.empty()) return t;
  }
  Text yes = operand(type, depth, kOr);
  Text decides = condition(depth + 1);
  if (decides.level < kOr) decides = {"(" + decides.s + ")"};
  Text no = operand(type, depth, kTernary);
  return {yes.s + " if " + decides.s + " else " + no.s, kTernary};
}

Text Source::condition(int depth) {
  if (choices_.chance(0.06))
    return expression(choices_.chance(0.7) ? TypeKind::Int : TypeKind::Float, depth + 1);
  return expression(TypeKind::Bool, depth);
}

// A literal, something that is never zero, or now and then anything.
Text Source::divisor(const Type& type, int depth) {
  if (choices_.chance(0.1)) return operand(type, depth, kUnary);
  bool whole = type.is(TypeKind::Int);
  if (choices_.chance(0.25)) {
    Text t = expression(type, depth + 1);
    return {fmt::format("(abs({}) + {})", t.s, whole ? "1" : "0.5")};
  }
  static constexpr const char* kInts[] = {"2", "3", "7", "-1", "-2", "-5", "10", "1", "64", "-7"};
  static constexpr const char* kReals[] = {"2.0", "0.5", "-3.0", "0.3", "1e10", "-0.7"};
  std::string s =
      whole ? kInts[choices_.below(std::size(kInts))] : kReals[choices_.below(std::size(kReals))];
  return {s, s[0] == '-' ? kUnary : kAtom};
}

Text Source::int_expression(int depth) {
  const Type whole = TypeKind::Int;
  if (choices_.chance(0.2)) return counted(depth);
  switch (choices_.below(20)) {
    case 0:
    case 1:
    case 2:
      return infix("+", kSum, whole, whole, depth);
    case 3:
    case 4:
      return infix("-", kSum, whole, whole, depth);
    case 5:
    case 6:
      return infix("*", kProduct, whole, whole, depth);
    case 7:
    case 8: {
      Text a = operand(whole, depth, kProduct);
      return {a.s + " // " + divisor(whole, depth).s, kProduct};
    }
    case 9:
    case 10: {
      Text a = operand(whole, depth, kProduct);
      return {a.s + " % " + divisor(whole, depth).s, kProduct};
    }
    case 11: {
      Text a = operand(whole, depth, kUnary);
      return {"-" + a.s, kUnary};
    }
    case 12: {
      static constexpr const char* kOps[] = {"&", "^", "|"};
      static constexpr Level kLevels[] = {kBitAnd, kBitXor, kBitOr};
      uint64_t i = choices_.below(3);
      return infix(kOps[i], kLevels[i], whole, whole, depth);
    }
    case 13: {
      if (choices_.chance(0.15))
        return {"2 ** " + std::to_string(choices_.between(60, 66)), kPower};
      Text a = operand(whole, depth, kAtom);
      return {a.s + " ** " + std::to_string(choices_.between(0, 4)), kPower};
    }
    case 14:
      return {"~" + operand(whole, depth, kUnary).s, kUnary};
    case 15:
      return {"abs(" + expression(whole, depth + 1).s + ")"};
    case 16:
      return {(choices_.chance(0.5) ? "min(" : "max(") + expression(whole, depth + 1).s + ", " +
              expression(whole, depth + 1).s + ")"};
    case 17:
      return {"int(" +
              expression(choices_.chance(0.7) ? TypeKind::Float : TypeKind::Bool, depth + 1).s +
              ")"};
    case 18: {
      std::vector<const Var*> lists;
      for (const Var& v : vars_) {
        if (v.type.is(TypeKind::List)) lists.push_back(&v);
      }
      if (!lists.empty()) return {"len(" + choices_.pick(lists)->name + ")"};
      return leaf(whole);
    }
    default:
      return leaf(whole);
  }
}

Text Source::float_expression(int depth) {
  const Type real = TypeKind::Float;
  // At least one of the two is a float.
  uint64_t mix = choices_.below(4);
  const Type left = mix == 0 ? Type(TypeKind::Int) : real;
  const Type right = mix == 1 ? Type(TypeKind::Int) : real;
  switch (choices_.below(18)) {
    case 0:
    case 1:
    case 2:
      return infix("+", kSum, left, right, depth);
    case 3:
    case 4:
      return infix("-", kSum, left, right, depth);
    case 5:
    case 6:
      return infix("*", kProduct, left, right, depth);
    case 7:
    case 8: {
      const Type over = choices_.chance(0.4) ? Type(TypeKind::Int) : left;
      Text a = operand(over, depth, kProduct);
      return {a.s + " / " + divisor(choices_.chance(0.5) ? Type(TypeKind::Int) : right, depth).s,
              kProduct};
    }
    case 9: {
      Text a = operand(left, depth, kProduct);
      return {a.s + (choices_.chance(0.5) ? " // " : " % ") + divisor(right, depth).s, kProduct};
    }
    case 10:
      return {"-" + operand(real, depth, kUnary).s, kUnary};
    case 11: {
      Text a = operand(real, depth, kAtom);
      return {a.s + " ** " + (choices_.chance(0.7) ? "2" : "-1"), kPower};
    }
    case 12:
      return {"abs(" + expression(real, depth + 1).s + ")"};
    case 13:
      return {(choices_.chance(0.5) ? "min(" : "max(") + expression(real, depth + 1).s + ", " +
              expression(real, depth + 1).s + ")"};
    case 14:
      return {"float(" +
              expression(choices_.chance(0.7) ? TypeKind::Int : TypeKind::Bool, depth + 1).s + ")"};
    case 15: {
      static constexpr const char* kFunctions[] = {"sin",  "cos",  "tanh", "floor",
                                                   "ceil", "fabs", "exp"};
      const char* f = kFunctions[choices_.below(std::size(kFunctions))];
      return {fmt::format("math.{}({}) * 1.0", f, expression(real, depth + 1).s), kProduct};
    }
    case 16: {
      std::vector<const Var*> lists = lists_of(real);
      if (lists.empty()) return leaf(real);
      return {"sum(" + choices_.pick(lists)->name + ") * 1.0",
              kProduct};  // of no items Python's is an int
    }
    default:
      return {"math.sqrt(abs(" + expression(real, depth + 1).s + "))"};
  }
}

Text Source::number(int depth) {
  return operand(choices_.chance(0.7) ? TypeKind::Int : TypeKind::Float, depth, kBitOr);
}

// One comparison, or a chain whose later links count only when the earlier hold.
Text Source::comparison(int depth) {
  static constexpr const char* kOps[] = {" < ", " <= ", " > ", " >= ", " == ", " != "};
  std::string s = number(depth).s;
  for (uint64_t n = choices_.chance(0.25) ? 2 : 1; n > 0; --n)
    s += kOps[choices_.below(6)] + number(depth).s;
  return {s, kCompare};
}

Text Source::bool_expression(int depth) {
  const Type truth = TypeKind::Bool;
  if (choices_.chance(0.15)) return asked(depth);
  switch (choices_.below(14)) {
    case 12:
      return asked_of_wide(depth);
    case 13:
      return asked_of_things(depth);
    case 0:
    case 1:
      return infix("and", kAnd, truth, truth, depth);
    case 2:
    case 3:
      return infix("or", kOr, truth, truth, depth);
    case 4:
      return {"not " + operand(truth, depth, kNot).s, kNot};
    case 5: {
      Text a = operand(TypeKind::Str, depth, kBitOr);
      return {
          a.s + (choices_.chance(0.5) ? " == " : " != ") + operand(TypeKind::Str, depth, kBitOr).s,
          kCompare};
    }
    case 6: {
      std::vector<const Var*> known = wide_vars();
      if (known.empty()) return comparison(depth);
      Test t = test_of(*choices_.pick(known));
      return {t.text, t.level};
    }
    case 7:
      return {"bool(" +
              expression(choices_.chance(0.5) ? TypeKind::Int : TypeKind::Float, depth + 1).s +
              ")"};
    default:
      return comparison(depth);
  }
}

Text Source::list_expression(const Type& type, int depth) {
  if (is_wide(type)) return wide_items(type, depth);
  if (choices_.chance(0.45)) return derived_list(type, depth);
  std::string s;
  for (uint64_t n = 1 + choices_.below(3); n > 0; --n) {
    s += (s.empty() ? "" : ", ") + expression(type.element(), depth + 1).s;
  }
  return {"[" + s + "]"};
}

Text Source::tuple_expression(const Type& type, int depth) {
  std::string s;
  for (const Type& t : type.elements()) s += expression(t, depth + 1).s + ", ";
  if (type.elements().size() > 1) s.resize(s.size() - 2);
  return {"(" + s + ")"};
}

const Source::Callee* Source::callable(const Type& result) {
  std::vector<const Callee*> fitting;
  for (const Callee& f : callees_) {
    bool may_write = std::any_of(f.arguments.begin(), f.arguments.end(), [](const Argument& a) {
      return a.type.is(TypeKind::List) || a.type.is(TypeKind::Dict);
    });
    may_write = may_write || f.name.find('.') != std::string::npos;  // what its object holds
    if (frozen_ > 0 && may_write) continue;
    if (f.result == result && cost_ + turns_ * f.cost <= kMostCost) fitting.push_back(&f);
  }
  return fitting.empty() ? nullptr : choices_.pick(fitting);
}

// Some arguments by position, the others by keyword in any order; defaults may be left out.
std::string Source::arguments(const Callee& f, int depth) {
  cost_ += turns_ * f.cost;
  size_t by_position =
      choices_.chance(0.6) ? f.arguments.size() : choices_.below(f.arguments.size() + 1);
  std::vector<std::string> given;
  for (size_t i = 0; i < by_position; ++i) {
    bool rest_has_defaults =
        std::all_of(f.arguments.begin() + static_cast<long>(i), f.arguments.end(),
                    [](const Argument& a) { return a.has_default; });
    if (rest_has_defaults && choices_.chance(0.3)) {
      by_position = i;
      break;
    }
    const Argument& a = f.arguments[i];
    std::string text = a.behind.empty() ? expression(a.type, depth + 1).s
                                        : operand(a.type, depth, kAtom).s + a.behind;
    given.push_back(std::move(text));
  }
  if (given.size() > 1 && choices_.chance(0.06)) {  // the last ones as a tuple
    size_t first = choices_.below(given.size());
    std::string items;
    for (size_t i = first; i < given.size(); ++i) items += given[i] + ", ";
    given.resize(first);
    given.push_back("*(" + items + ")");
  }
  std::vector<const Argument*> rest;
  for (size_t i = by_position; i < f.arguments.size(); ++i) {
    size_t at = choices_.below(rest.size() + 1);
    rest.insert(rest.begin() + static_cast<long>(at), &f.arguments[i]);
  }
  for (const Argument* a : rest) {
    if (a->has_default && choices_.chance(0.5)) continue;
    std::string text = a->behind.empty() ? expression(a->type, depth + 1).s
                                         : operand(a->type, depth, kAtom).s + a->behind;
    given.push_back(a->name + "=" + text);
  }
  std::string s;
  for (const std::string& g : given) s += (s.empty() ? "" : ", ") + g;
  return s;
}

bool Source::forkable(const Callee& f) const {
  return tensors_ && f.name.find('.') == std::string::npos && !f.result.class_type();
}

Text Source::call(const Callee& f, int depth) {
  const std::string s = arguments(f, depth);
  if (forkable(f) && choices_.chance(0.05))
    return {"torch.jit.wait(torch.jit.fork(" + f.name + (s.empty() ? "" : ", ") + s + "))"};
  return {f.name + "(" + s + ")"};
}

}  // namespace fusillade::fuzz
