// See out_form.h.
#include "engine/front/out_form.h"

#include <algorithm>
#include <string_view>

#include "engine/base/text.h"
#include "engine/ops/entry.h"

namespace fusillade::front {
namespace {

// Of one result.
constexpr std::string_view kSingle[] = {"out", "grad_input", "output", "result"};

// What the entry says of such a form: that its result is never cast, or what its results are called
// that have other names, or none.
std::vector<std::string> said_of(const Operator& op) {
  const EntryLine* line = line_of(op, LineKind::Out);
  std::vector<std::string> out;
  if (!line) return out;
  for (const std::string& word : split_outside_brackets(line->text, ','))
    out.emplace_back(trim(word));
  return out;
}

bool is_exact(const Operator* op) { return said_of(*op) == std::vector<std::string>{"exact"}; }

// A result has a tensor that is written and is no operand.
bool has_own_out(const Operator* r) {
  const std::vector<SchemaArg>& args = r->schema.args;
  return std::ranges::any_of(args, [](const SchemaArg& a) { return a.written && a.keyword_only; });
}

bool knows(const Operator* r, const std::string& keyword) {
  return std::ranges::any_of(r->schema.args, [&](const SchemaArg& a) { return a.name == keyword; });
}

bool is_written_tensor(const Type& type) {
  if (!type.is(TypeKind::Tuple)) return type.is_tensor();
  return std::ranges::all_of(type.elements(), [](const Type& t) { return t.is_tensor(); });
}

bool may_be_called(const std::string& base, const std::string& name, size_t at, size_t count) {
  if (name == fmt::format("out{}", at)) return true;
  if (count == 1 && std::ranges::find(kSingle, name) != std::end(kSingle)) return true;
  return std::ranges::any_of(overloads(base), [&](const Operator* r) {
    const std::vector<SchemaArg>& results = r->schema.results;
    const std::vector<std::string> called = said_of(*r);
    return (results.size() == count && results[at].name == name) ||
           (at < called.size() && called.size() == count && called[at] == name);
  });
}

}  // namespace

std::vector<const Operator*> without_out(const std::string& base) {
  std::vector<const Operator*> operators = overloads(base);
  std::erase_if(operators, has_own_out);
  return operators;
}

std::optional<OutForm> out_form(const std::string& base, const std::vector<Argument>& args) {
  const bool candidate = std::ranges::any_of(args, [](const Argument& a) {
    return !a.keyword.empty() && is_written_tensor(a.value->type());
  });
  if (!candidate) return std::nullopt;
  const std::vector<const Operator*> operators = without_out(base);
  if (operators.empty()) return std::nullopt;
  OutForm form;
  bool dtype_given = false;
  for (const Argument& a : args) {
    const bool known = a.keyword.empty() || std::ranges::any_of(operators, [&](const Operator* r) {
                         return knows(r, a.keyword);
                       });
    const bool dtype = a.keyword == "dtype", none = a.value->type().is(TypeKind::None);
    dtype_given = dtype_given || (dtype && !none);
    if (!known && is_written_tensor(a.value->type())) form.outs.push_back(a);
    else if (!dtype || !none) form.rest.push_back(a);
  }
  if (form.outs.empty()) return std::nullopt;
  const bool exact = std::ranges::any_of(operators, &is_exact);
  form.exact = exact || dtype_given || form.outs.size() > 1 ||
               form.outs[0].value->type().is(TypeKind::Tuple);
  form.takes_dtype = !form.exact && std::ranges::any_of(operators, [](const Operator* r) {
    return knows(r, "dtype");
  });
  return form;
}

std::optional<std::vector<Value*>> in_order_of_results(const std::string& base, const OutForm& form,
                                                       size_t count, std::string* why) {
  std::vector<Value*> out(count);
  if (form.outs.size() != count) {
    *why = fmt::format("{} gives {} results, and {} tensors are given for them", base, count,
                       form.outs.size());
    return std::nullopt;
  }
  for (size_t i = 0; i < count; ++i) {
    const auto at = std::ranges::find_if(
        form.outs, [&](const Argument& a) { return may_be_called(base, a.keyword, i, count); });
    if (at == form.outs.end()) {
      std::string names;
      for (const Argument& a : form.outs) names += (names.empty() ? "" : ", ") + a.keyword;
      *why = fmt::format("{} has no results called {}", base, names);
      return std::nullopt;
    }
    out[i] = at->value;
  }
  return out;
}

}  // namespace fusillade::front
