// See draws.h.
#include "engine/ops/draws.h"

#include <algorithm>
#include <optional>

#include "engine/base/text.h"

namespace fusillade {
namespace {

// A number, or an argument and a number.
struct Side {
  std::optional<size_t> arg;
  double number = 0;
};

struct Term {
  size_t arg = 0;
  char relation = 0;  // '<', '>'; 0: the name alone
  Side bound;
};

struct DrawCondition {
  std::string name;  // of the operator
  std::vector<Term> terms;
};

using Conditions = Table<DrawCondition>;

size_t argument_called(const Operator& op, std::string_view name) {
  const std::vector<SchemaArg>& args = op.schema.args;
  const auto at = std::ranges::find_if(args, [&](const SchemaArg& a) { return a.name == name; });
  FUS_CHECK(at != args.end(), "{} has no argument '{}'", op.name, name);
  return static_cast<size_t>(at - args.begin());
}

Side parse_side(const Operator& op, std::string_view text) {
  Side side;
  const size_t plus = text.find('+');
  const std::string first(trim(text.substr(0, plus)));
  if (parse_double(first, &side.number)) return side;
  side.arg = argument_called(op, first);
  if (plus != std::string_view::npos)
    side.number = std::stod(std::string(trim(text.substr(plus + 1))));
  return side;
}

Term parse_term(const Operator& op, std::string_view text) {
  Term term;
  const size_t at = text.find_first_of("<>");
  term.arg = argument_called(op, trim(text.substr(0, at)));
  if (at == std::string_view::npos) return term;
  term.relation = text[at];
  term.bound = parse_side(op, text.substr(at + 1));
  return term;
}

bool lacks_elements(const Dims& sizes) {
  return std::ranges::any_of(sizes, [](int64_t n) { return n == 0; });
}

// Of a call: an argument's type, and its value where it is known.
struct Known {
  const Type& type;
  const IValue* value;
};

Known known_argument(const Operator& op, std::span<const ArgInfo> args, size_t i) {
  const SchemaArg& formal = op.schema.args[i];
  if (i >= args.size()) return {formal.type, formal.has_default ? &formal.default_value : nullptr};
  return {args[i].type, args[i].known ? &args[i].value : nullptr};
}

bool fails(const Term& term, const Operator& op, std::span<const ArgInfo> args) {
  const auto [type, value] = known_argument(op, args, term.arg);
  if (type.is_tensor()) return type.info().rank_known && lacks_elements(type.info().sizes);
  if (!value) return false;
  if (value->is_number()) {
    if (!term.relation) return value->as_double() == 0;
    double bound = term.bound.number;
    if (term.bound.arg) {
      const IValue* other = known_argument(op, args, *term.bound.arg).value;
      if (!other || !other->is_number()) return false;
      bound += other->as_double();
    }
    return term.relation == '<' ? !(value->as_double() < bound) : !(value->as_double() > bound);
  }
  return value->tag() == IValue::Tag::List &&
         std::ranges::any_of(value->items(),
                             [](const IValue& v) { return v.is_int() && v.as_int() == 0; });
}

}  // namespace

void add_draw_condition(const Operator& op, std::string_view condition) {
  DrawCondition parsed{.name = op.name, .terms = {}};
  for (size_t from = 0; from < condition.size();) {
    const size_t end = std::min(condition.find(" and ", from), condition.size());
    parsed.terms.push_back(parse_term(op, condition.substr(from, end - from)));
    from = end + 5;
  }
  Conditions::instance().add(std::move(parsed));
}

bool may_draw(const Operator& op, std::span<const ArgInfo> args) {
  if (!op.nondeterministic) return false;
  const DrawCondition* condition = Conditions::instance().find(op.name);
  if (!condition) return true;
  return std::ranges::none_of(condition->terms,
                              [&](const Term& term) { return fails(term, op, args); });
}

}  // namespace fusillade
