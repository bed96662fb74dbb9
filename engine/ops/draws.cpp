// See draws.h.
#include "engine/ops/draws.h"

#include <algorithm>
#include <optional>

#include "engine/base/text.h"

namespace fusillade {
namespace {

struct Term {
  size_t arg = 0;
  char relation = 0;  // '<', '>'; 0: the name alone
  double bound = 0;
};

struct DrawCondition {
  std::string name;  // of the row
  std::vector<Term> terms;
};

using Conditions = Table<DrawCondition>;

Term parse_term(const Row& row, std::string_view text) {
  Term term;
  const size_t at = text.find_first_of("<>");
  const std::string_view name = trim(text.substr(0, at));
  const std::vector<SchemaArg>& args = row.schema.args;
  while (term.arg < args.size() && args[term.arg].name != name) ++term.arg;
  FUS_CHECK(term.arg < args.size(), "{} has no argument '{}'", row.name, name);
  if (at == std::string_view::npos) return term;
  term.relation = text[at];
  term.bound = std::stod(std::string(trim(text.substr(at + 1))));
  return term;
}

bool lacks_elements(const Dims& sizes) {
  return std::ranges::any_of(sizes, [](int64_t n) { return n == 0; });
}

bool fails(const Term& term, const Type& type, const IValue* value) {
  if (type.is_tensor()) return type.info().rank_known && lacks_elements(type.info().sizes);
  if (!value) return false;
  if (value->is_number()) {
    const double v = value->as_double();
    if (term.relation == '<') return !(v < term.bound);
    if (term.relation == '>') return !(v > term.bound);
    return v == 0;
  }
  return value->tag() == IValue::Tag::List &&
         std::ranges::any_of(value->items(),
                             [](const IValue& v) { return v.is_int() && v.as_int() == 0; });
}

}  // namespace

void add_draw_condition(const Row& row, std::string_view condition) {
  DrawCondition made{.name = row.name, .terms = {}};
  for (size_t from = 0; from < condition.size();) {
    const size_t end = std::min(condition.find(" and ", from), condition.size());
    made.terms.push_back(parse_term(row, condition.substr(from, end - from)));
    from = end + 5;
  }
  Conditions::instance().add(std::move(made));
}

bool may_draw(const Row& row, std::span<const ArgInfo> args) {
  if (!row.nondeterministic) return false;
  const DrawCondition* condition = Conditions::instance().find(row.name);
  if (!condition) return true;
  return std::ranges::none_of(condition->terms, [&](const Term& term) {
    const SchemaArg& formal = row.schema.args[term.arg];
    if (term.arg >= args.size())
      return formal.has_default && fails(term, formal.type, &formal.default_value);
    const ArgInfo& given = args[term.arg];
    return fails(term, given.type, given.known ? &given.value : nullptr);
  });
}

}  // namespace fusillade
