// A node of the graph generator as Python: an operator, a subscript, a method or a function of
// torch.
//
// Which is which is read from the front end's tables of spellings (engine/front/spelling.h) and
// from the operator's kind; arguments at their defaults may be left out, others given by keyword.
#include <cmath>

#include "engine/front/sign.h"
#include "engine/front/spelling.h"
#include "engine/ir/literal.h"
#include "fuzz/case/input_range.h"
#include "fuzz/gen/source.h"

namespace fusillade::fuzz::source {
namespace {

struct Infix {
  const char* text;
  Level level;
};
constexpr Infix kInfix[] = {{"+", kSum},      {"-", kSum},      {"*", kProduct},  {"/", kProduct},
                            {"//", kProduct}, {"%", kProduct},  {"@", kProduct},  {"**", kPower},
                            {"&", kBitAnd},   {"|", kBitOr},    {"^", kBitXor},   {"<<", kShift},
                            {">>", kShift},   {"<", kCompare},  {"<=", kCompare}, {">", kCompare},
                            {">=", kCompare}, {"==", kCompare}, {"!=", kCompare}};

const IValue* constant_of(const Value* v) {
  return v->node()->is(prim::constant()) ? &v->node()->constant() : nullptr;
}

std::string enclose(const Text& t, Level least) { return t.level >= least ? t.s : "(" + t.s + ")"; }

DType dtype_of_code(int64_t code) {
  for (int i = 0; i < kNumDTypes; ++i) {
    DType dtype = static_cast<DType>(i);
    if (row_of(dtype).aten_code == code) return dtype;
  }
  FUS_BUG("{} is no dtype's code", code);
}

Text number_text(const IValue& v) {
  std::string s = print_literal(v);
  if (v.is_float() && v.as_double() != v.as_double()) s = "float('nan')";
  else if (v.is_float() && std::isinf(v.as_double()))
    s = v.as_double() < 0 ? "-float('inf')" : "float('inf')";
  return {s, s[0] == '-' ? kUnary : kAtom};
}

Text constant_text(const IValue& v, const SchemaArg& formal, Role role) {
  bool code = v.is_int() && (role == Role::DTypeCode || formal.name == "dtype");
  if (code) return {front::dtype_constant(dtype_of_code(v.as_int()))};
  if (v.is_bool()) return {v.as_bool() ? "True" : "False"};
  if (v.is_number()) return number_text(v);
  bool empty = v.tag() == IValue::Tag::List && v.items().empty();
  if (empty)
    return {"torch.jit.annotate(" +
            annotation(v.seq()->element.is(TypeKind::Tensor) ? Type::list(TypeKind::Tensor)
                                                             : v.type()) +
            ", [])"};
  if (v.tag() != IValue::Tag::List) return {print_literal(v)};
  std::string s;
  for (const IValue& item : v.items())
    s += (s.empty() ? "" : ", ") + constant_text(item, formal, Role::Default).s;
  return {"[" + s + "]"};
}

// The items of a subscript up to that of dimension `dim`, which is `inner`.
std::string subscript(Writer& w, int rank, int64_t dim, const std::string& inner) {
  if (dim < 0) dim += rank;
  if (dim == rank - 1 && rank > 1 && w.choices.chance(0.3)) return "..., " + inner;
  std::string s;
  for (int64_t d = 0; d < dim; ++d) s += ":, ";
  return s + inner;
}

bool subscript_text(Writer& w, const Node* n, const std::vector<Text>& args, Text* out) {
  const std::string& op = n->op().schema.name;
  int rank = n->input(0)->type().info().sizes.rank();
  std::string inner;
  if (op == front::op::kIndex) {
    for (const Value* item : n->input(1)->node()->inputs()) {
      inner += (inner.empty() ? "" : ", ") +
               (constant_of(item) ? std::string(":") : w.value_names.at(item));
    }
  } else if (op == front::op::kSelect) {
    inner = subscript(w, rank, constant_of(n->input(1))->as_int(), args[2].s);
  } else if (op == front::op::kUnsqueeze) {
    inner = subscript(w, rank + 1, constant_of(n->input(1))->as_int(), "None");
  } else if (op == front::op::kSlice) {
    const IValue* step = constant_of(n->input(4));
    const IValue* end = constant_of(n->input(3));
    bool to_end = end->is_none() || end->as_int() == INT64_MAX;
    std::string bounds = (args[2].s == "None" || args[2].s == "0" ? "" : args[2].s) + ":" +
                         (to_end ? "" : args[3].s);
    if (step->as_int() != 1) bounds += ":" + args[4].s;
    inner = subscript(w, rank, constant_of(n->input(1))->as_int(), bounds);
  } else {
    return false;
  }
  *out = {enclose(args[0], kAtom) + "[" + inner + "]"};
  return true;
}

bool operator_text(Writer& w, const Node* n, const std::vector<Text>& args, Text* out) {
  const std::string& op = n->op().schema.name;
  if (args.size() == 1) {
    const char* sign = op == front::op::kNeg ? "-" : op == front::op::kInvert ? "~" : nullptr;
    if (sign) *out = {sign + enclose(args[0], kUnary), kUnary};
    const char* cast = op == front::op::kBool    ? "bool"
                       : op == front::op::kInt   ? "int"
                       : op == front::op::kFloat ? "float"
                                                 : nullptr;
    if (!cast && op == front::op::kLen) cast = "len";
    if (cast) *out = {std::string(cast) + "(" + args[0].s + ")"};
    const char* transposed = front::tensor_attribute("T");
    if (op == transposed) *out = {enclose(args[0], kAtom) + ".T"};
    return sign || cast || op == transposed;
  }
  if (args.size() < 2 || !defaults_from(n, 2)) return false;
  for (const Infix& infix : kInfix) {
    if (op != op_of(front::sign_of(infix.text), true)) continue;
    // What the number is on the left of has the same type, but for whole numbers and bools.
    bool may_swap = constant_of(n->input(1)) && is_float(n->input(0)->type().info().dtype) &&
                    (infix.level == kSum || infix.level == kCompare ||
                     op == op_of(front::Sign::Mul) || op == op_of(front::Sign::Div));
    bool swap = may_swap && w.choices.chance(0.3);
    Level left = infix.level == kPower ? kAtom : infix.level == kCompare ? kBitOr : infix.level;
    Level right = infix.level == kPower     ? kUnary
                  : infix.level == kCompare ? kBitOr
                                            : static_cast<Level>(infix.level + 1);
    *out = {enclose(args[swap ? 1 : 0], left) + " " + infix.text + " " +
                enclose(args[swap ? 0 : 1], right),
            infix.level};
    return true;
  }
  return false;
}

// x.f(y, dim=1), torch.f(x, y, dim=1), torch.ops.aten.f(x, y, dim=1)
Text call_text(Writer& w, const Node* n, const std::vector<Text>& args) {
  const Operator& op = n->op();
  const size_t behind = op.schema.name.find("::") + 2;
  const std::string name = op.schema.name.substr(behind);
  const bool of_torch = op.schema.name.starts_with("aten::");
  size_t self = 0;  // what a method is called on
  for (size_t i = 0; i < args.size() && i < op.schema.args.size(); ++i)
    if (op.schema.args[i].name == "self") self = i;
  bool tensor = !args.empty() && n->input(static_cast<int>(self))->type().is_tensor();
  bool own = op.in_place || op.kind == OpKind::View || op.kind == OpKind::Scalar;
  bool method = tensor && of_torch && name[0] != '_' && (own || w.choices.chance(0.3));
  std::string given;
  bool by_keyword = false;
  for (size_t i = 0; i < args.size(); ++i) {
    if (method && i == self) continue;
    const SchemaArg& formal = op.schema.args[i];
    const IValue* c = constant_of(n->input(static_cast<int>(i)));
    bool left_out =
        c && formal.has_default && c->identical(formal.default_value) && w.choices.chance(0.7);
    by_keyword = by_keyword || left_out || formal.keyword_only || (i > 0 && w.choices.chance(0.05));
    if (left_out) continue;
    given += (given.empty() ? "" : ", ") + (by_keyword ? formal.name + "=" : "") + args[i].s;
  }
  if (method) return {enclose(args[self], kAtom) + "." + name + "(" + given + ")"};
  const bool in_full = !of_torch || name[0] == '_' || w.choices.chance(0.05);
  const std::string space = op.schema.name.substr(0, behind - 2);
  return {(in_full ? "torch.ops." + space + "." : "torch.") + name + "(" + given + ")"};
}

}  // namespace

// Are the arguments from `first` on at their defaults?
bool defaults_from(const Node* n, size_t first) {
  for (size_t i = first; i < n->inputs().size(); ++i) {
    const IValue* given = constant_of(n->input(static_cast<int>(i)));
    const SchemaArg& formal = n->op().schema.args[i];
    if (!given || !formal.has_default || !given->identical(formal.default_value)) return false;
  }
  return true;
}

Text argument_text(Writer& w, const Node* n, size_t i, int depth) {
  const Value* v = n->input(static_cast<int>(i));
  const SchemaArg& formal = n->op().schema.args[i];
  auto named = w.value_names.find(v);
  if (named != w.value_names.end()) {
    bool is_range = is_range_name(named->second);
    bool nest =
        v->type().is_tensor() && !formal.written && !is_range && depth < 2 && w.choices.chance(0.2);
    return nest ? expression(w, v->type(), depth + 1) : Text{named->second};
  }
  if (const IValue* c = constant_of(v)) return constant_text(*c, formal, n->op().roles[i]);
  std::string s;
  for (const Value* item : v->node()->inputs()) {
    s += (s.empty() ? "" : ", ") +
         (constant_of(item) ? std::string("None") : w.value_names.at(item));
  }
  return {"[" + s + "]"};
}

Text node_text(Writer& w, const Node* n, int depth) {
  std::vector<Text> args;
  for (size_t i = 0; i < n->inputs().size(); ++i) args.push_back(argument_text(w, n, i, depth));
  bool tensor = !args.empty() && n->input(0)->type().is_tensor();
  Text out;
  if (tensor && subscript_text(w, n, args, &out)) return out;
  if (tensor && !n->op().in_place && w.choices.chance(0.8) && operator_text(w, n, args, &out))
    return out;
  return call_text(w, n, args);
}

}  // namespace fusillade::fuzz::source
