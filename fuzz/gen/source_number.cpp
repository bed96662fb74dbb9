// Numbers of generated scripts: operators and functions of ints and floats.
#include "fuzz/gen/source.h"

namespace fusillade::fuzz::source {
namespace {

const Type kInt = TypeKind::Int;
const Type kFloat = TypeKind::Float;

std::string argument(Writer& w, const Type& type, int depth) {
  return expression(w, type, depth + 1).s;
}

const char* one_of_two(Writer& w, const char* first, const char* second) {
  return w.choices.chance(0.5) ? first : second;
}

Text bits(Writer& w, int depth) {
  static constexpr const char* kOps[] = {"&", "^", "|"};
  static constexpr Level kLevels[] = {kBitAnd, kBitXor, kBitOr};
  uint64_t i = w.choices.below(3);
  return infix(w, kOps[i], kLevels[i], kInt, kInt, depth);
}

Text whole_power(Writer& w, int depth) {
  if (w.choices.chance(0.15)) return {"2 ** " + std::to_string(w.choices.between(60, 66)), kPower};
  Text a = operand(w, kInt, depth, kAtom);
  return {a.s + " ** " + std::to_string(w.choices.between(0, 4)), kPower};
}

Text length_of_list(Writer& w, int) {
  std::vector<const Var*> lists;
  for (const Var& v : w.vars) {
    if (v.type.is(TypeKind::List)) lists.push_back(&v);
  }
  return lists.empty() ? leaf(w, kInt) : Text{"len(" + w.choices.pick(lists)->name + ")"};
}

Text less_or_more(Writer& w, const Type& type, int depth) {
  std::string f = one_of_two(w, "min(", "max(");
  std::string a = argument(w, type, depth);
  return {f + a + ", " + argument(w, type, depth) + ")"};
}

[[maybe_unused]] const bool kInts = add_productions(
    Grammar::Int, 0,
    {{"int.sum", "a + b", 3,
      [](Writer& w, int depth) { return infix(w, "+", kSum, kInt, kInt, depth); }},
     {"int.difference", "a - b", 2,
      [](Writer& w, int depth) { return infix(w, "-", kSum, kInt, kInt, depth); }},
     {"int.product", "a * b", 2,
      [](Writer& w, int depth) { return infix(w, "*", kProduct, kInt, kInt, depth); }},
     {"int.quotient", "a // b", 2,
      [](Writer& w, int depth) {
        Text a = operand(w, kInt, depth, kProduct);
        return Text{a.s + " // " + divisor(w, kInt, depth).s, kProduct};
      }},
     {"int.remainder", "a % b", 2,
      [](Writer& w, int depth) {
        Text a = operand(w, kInt, depth, kProduct);
        return Text{a.s + " % " + divisor(w, kInt, depth).s, kProduct};
      }},
     {"int.negation", "-a", 1,
      [](Writer& w, int depth) { return Text{"-" + operand(w, kInt, depth, kUnary).s, kUnary}; }},
     {"int.bits", "a & b, a ^ b, a | b", 1, bits},
     {"int.power", "a ** 3", 1, whole_power},
     {"int.inversion", "~a", 1,
      [](Writer& w, int depth) { return Text{"~" + operand(w, kInt, depth, kUnary).s, kUnary}; }},
     {"int.abs", "abs(a)", 1,
      [](Writer& w, int depth) { return Text{"abs(" + argument(w, kInt, depth) + ")"}; }},
     {"int.min_max", "min(a, b), max(a, b)", 1,
      [](Writer& w, int depth) { return less_or_more(w, kInt, depth); }},
     {"int.cast", "int(a)", 1,
      [](Writer& w, int depth) {
        const Type from = w.choices.chance(0.7) ? TypeKind::Float : TypeKind::Bool;
        return Text{"int(" + argument(w, from, depth) + ")"};
      }},
     {"int.len", "len(a) of a list with a name", 1, length_of_list},
     {"int.leaf", "a name, an item, a literal", 1, [](Writer& w, int) { return leaf(w, kInt); }}});

[[maybe_unused]] const bool kCounts = add_productions(
    Grammar::Int, 20,
    {{"int.count",
      "an int that comes from a string, a container or a function: len, find, sum, round", 0.2,
      [](Writer& w, int depth) { return draw_expression(w, Grammar::Count, depth); }, kAnyDepth,
      kAskedFirst}});

// Of two operands at least one is a float.
struct Mixed {
  explicit Mixed(Writer& w) {
    uint64_t mix = w.choices.below(4);
    if (mix == 0) left = kInt;
    if (mix == 1) right = kInt;
  }
  Type left = kFloat, right = kFloat;
};

template <const char* op, Level level>
Text mixed_operator(Writer& w, int depth) {
  const Mixed of(w);
  return infix(w, op, level, of.left, of.right, depth);
}
constexpr char kPlus[] = "+", kMinus[] = "-", kTimes[] = "*";

Text real_quotient(Writer& w, int depth) {
  const Mixed of(w);
  const Type over = w.choices.chance(0.4) ? kInt : of.left;
  Text a = operand(w, over, depth, kProduct);
  return {a.s + " / " + divisor(w, w.choices.chance(0.5) ? kInt : of.right, depth).s, kProduct};
}

Text real_remainder(Writer& w, int depth) {
  const Mixed of(w);
  Text a = operand(w, of.left, depth, kProduct);
  std::string op = one_of_two(w, " // ", " % ");
  return {a.s + op + divisor(w, of.right, depth).s, kProduct};
}

Text of_math(Writer& w, int depth) {
  static constexpr const char* kFunctions[] = {"sin",  "cos",  "tanh", "floor",
                                               "ceil", "fabs", "exp"};
  const char* f = kFunctions[w.choices.below(std::size(kFunctions))];
  return {fmt::format("math.{}({}) * 1.0", f, argument(w, kFloat, depth)), kProduct};
}

// Of no items Python's is an int.
Text sum_of_list(Writer& w, int) {
  std::vector<const Var*> lists = lists_of(w, kFloat);
  if (lists.empty()) return leaf(w, kFloat);
  return {"sum(" + w.choices.pick(lists)->name + ") * 1.0", kProduct};
}

[[maybe_unused]] const bool kFloats = add_productions(
    Grammar::Float, 0,
    {{"float.sum", "a + b", 3, mixed_operator<kPlus, kSum>},
     {"float.difference", "a - b", 2, mixed_operator<kMinus, kSum>},
     {"float.product", "a * b", 2, mixed_operator<kTimes, kProduct>},
     {"float.quotient", "a / b", 2, real_quotient},
     {"float.remainder", "a // b, a % b", 1, real_remainder},
     {"float.negation", "-a", 1,
      [](Writer& w, int depth) { return Text{"-" + operand(w, kFloat, depth, kUnary).s, kUnary}; }},
     {"float.power", "a ** 2, a ** -1", 1,
      [](Writer& w, int depth) {
        Text a = operand(w, kFloat, depth, kAtom);
        return Text{a.s + " ** " + (w.choices.chance(0.7) ? "2" : "-1"), kPower};
      }},
     {"float.abs", "abs(a)", 1,
      [](Writer& w, int depth) { return Text{"abs(" + argument(w, kFloat, depth) + ")"}; }},
     {"float.min_max", "min(a, b), max(a, b)", 1,
      [](Writer& w, int depth) { return less_or_more(w, kFloat, depth); }},
     {"float.cast", "float(a)", 1,
      [](Writer& w, int depth) {
        const Type from = w.choices.chance(0.7) ? TypeKind::Int : TypeKind::Bool;
        return Text{"float(" + argument(w, from, depth) + ")"};
      }},
     {"float.math", "a function of math", 1, of_math},
     {"float.sum_of_list", "sum(a)", 1, sum_of_list},
     {"float.sqrt", "math.sqrt(abs(a))", 1, [](Writer& w, int depth) {
        return Text{"math.sqrt(abs(" + argument(w, kFloat, depth) + "))"};
      }}});

}  // namespace
}  // namespace fusillade::fuzz::source
