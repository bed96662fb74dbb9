// Parsing, matching and building of rewrite rules; see rule.h.
#include "engine/passes/rule.h"

#include <cctype>
#include <cmath>

#include "engine/base/text.h"
#include "engine/passes/constants.h"
#include "engine/passes/insert.h"

namespace fusillade {
namespace {

bool literal_of(const std::string& text, IValue* out) {
  int64_t i;
  double d;
  if (text == "None") *out = IValue();
  else if (text == "True" || text == "False") *out = IValue(text == "True");
  else if (parse_int(text, &i)) *out = IValue(i);
  else if (parse_double(text, &d)) *out = IValue(d);
  else return false;
  return true;
}

bool matches_literal(const IValue& literal, const IValue& v) {
  if (!literal.is_int() || !v.is_float()) return same_constant(literal, v);
  double d = v.as_double();
  return d == literal.as_double() && !(d == 0 && std::signbit(d));
}

bool operator_is(const Operator& op, const std::string& name) {
  return name.find('.') == std::string::npos ? op.schema.name == name : op.name == name;
}

bool same_value(const Value* a, const Value* b) {
  if (a == b) return true;
  const IValue* x = constant_of(a);
  const IValue* y = constant_of(b);
  return x && y && same_constant(*x, *y);
}

bool match_variable(const std::string& name, Value* value, Match& match) {
  if (Value* before = match[name.c_str()]) return same_value(before, value);
  match.bound.emplace_back(name, value);
  return true;
}

bool match_op(const Pattern& pattern, Value* value, Match& match) {
  Node* node = value->node();
  if (node->outputs().size() != 1 || !node->blocks().empty() || !node->attrs().empty())
    return false;
  const Operator& op = node->op();
  if (!operator_is(op, pattern.name) || op.in_place || op.schema.writes()) return false;
  if (node->inputs().size() < pattern.args.size()) return false;
  for (size_t i = pattern.args.size(); i < node->inputs().size(); ++i) {
    const IValue* given = constant_of(node->inputs()[i]);
    bool has_default = i < op.schema.args.size() && op.schema.args[i].has_default;
    if (!given || !has_default || !same_constant(*given, op.schema.args[i].default_value))
      return false;
  }
  for (size_t i = 0; i < pattern.args.size(); ++i)
    if (!fusillade::match(pattern.args[i], node->inputs()[i], match)) return false;
  if (node != match.root) match.inner.push_back(value);
  return true;
}

// The overload for these arguments with its defaults filled in; null when there is none.
Value* build_op(const Pattern& pattern, const Match& match) {
  std::vector<Value*> args;
  std::vector<Type> types;
  for (const Pattern& arg : pattern.args) {
    Value* v = build(arg, match);
    if (!v) return nullptr;
    args.push_back(v);
    types.push_back(v->type());
  }
  try {
    const Operator& op = resolve(pattern.name, types);
    for (size_t i = args.size(); i < op.schema.args.size(); ++i)
      args.push_back(match.root->graph().constant(op.schema.args[i].default_value, match.root));
    return insert_op(op, args, match.root);
  } catch (const Error&) {
    return nullptr;
  }
}

}  // namespace

Value* Match::operator[](const char* variable) const {
  for (const auto& [name, value] : bound)
    if (name == variable) return value;
  return nullptr;
}

Pattern parse_pattern(const std::string& text) {
  Pattern out;
  std::string word(trim(text));
  size_t open = word.find('(');
  if (open == std::string::npos) {
    out.name = word;
    if (literal_of(word, &out.literal)) out.kind = Pattern::Kind::Literal;
    FUS_CHECK(!word.empty(), "an empty word in a rewrite rule");
    return out;
  }
  FUS_CHECK(word.back() == ')', "rewrite rule '{}' does not end in ')'", text);
  out.kind = Pattern::Kind::Op;
  out.name = word.substr(0, open);
  for (const std::string& arg :
       split_outside_brackets(word.substr(open + 1, word.size() - open - 2), ','))
    out.args.push_back(parse_pattern(arg));
  return out;
}

bool match(const Pattern& pattern, Value* value, Match& m) {
  switch (pattern.kind) {
    case Pattern::Kind::Variable:
      return match_variable(pattern.name, value, m);
    case Pattern::Kind::Literal: {
      const IValue* constant = constant_of(value);
      return constant && matches_literal(pattern.literal, *constant);
    }
    case Pattern::Kind::Op:
      return match_op(pattern, value, m);
  }
  return false;
}

Value* build(const Pattern& pattern, const Match& m) {
  switch (pattern.kind) {
    case Pattern::Kind::Variable:
      return m[pattern.name.c_str()];
    case Pattern::Kind::Literal:
      return m.root->graph().constant(pattern.literal, m.root);
    case Pattern::Kind::Op:
      return build_op(pattern, m);
  }
  return nullptr;
}

bool same_known_type(const Value* a, const Value* b) {
  if (!a->type().is_tensor() || !b->type().is_tensor()) return a->type() == b->type();
  TensorInfo x = a->type().info();
  const TensorInfo& y = b->type().info();
  if (x.device && y.device && x.device != y.device) return false;
  x.device = y.device;
  x.requires_grad = y.requires_grad;
  return x.complete() && x == y;
}

}  // namespace fusillade
