// See near_miss.h.
#include "fuzz/gen/near_miss.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "engine/ir/literal.h"
#include "engine/ops/operator.h"

namespace fusillade::fuzz {
namespace {

using Kind = Pattern::Kind;

Pattern literal(IValue value) {
  Pattern out;
  out.kind = Kind::Literal;
  out.literal = std::move(value);
  return out;
}

Pattern variable(std::string name) {
  Pattern out;
  out.name = std::move(name);
  return out;
}

std::vector<IValue> others_than(const IValue& v) {
  if (v.is_bool()) return {IValue(!v.as_bool())};
  if (v.is_float()) return {IValue(-v.as_double()), IValue(v.as_double() + 1)};
  if (!v.is_int()) return {};
  std::vector<IValue> out{IValue(v.as_int() + 1), IValue(static_cast<double>(v.as_int()) + 0.5)};
  if (v.as_int() != 0) out.emplace_back(-v.as_int());
  return out;
}

// Types of the arguments after the first that an op of our rules takes: ops that share them may be
// exchanged.
std::string further_types(const Pattern& pattern) {
  for (const Operator* op : operators_by_name()) {
    const bool fits =
        op->schema.name == pattern.name && op->schema.args.size() >= pattern.args.size();
    if (!fits || op->in_place) continue;
    std::string text;
    for (size_t i = 1; i < pattern.args.size(); ++i) text += op->schema.args[i].type.text() + ",";
    return text;
  }
  return "?";
}

// Ops within the left sides of our rules, by what they take.
const std::multimap<std::string, std::string>& inner_ops() {
  static const std::multimap<std::string, std::string> all = [] {
    std::multimap<std::string, std::string> found;
    std::set<std::string> seen;
    std::function<void(const Pattern&)> collect = [&](const Pattern& p) {
      if (p.kind != Kind::Op) return;
      if (seen.insert(p.name).second) found.emplace(further_types(p), p.name);
      for (const Pattern& arg : p.args) collect(arg);
    };
    for (const Rule& rule : peephole_rules())
      for (const Pattern& arg : parse_pattern(rule.lhs).args) collect(arg);
    return found;
  }();
  return all;
}

// Arguments that the pattern leaves at their defaults, up to one that is a number or a flag and
// becomes another.
std::vector<std::pair<std::string, Pattern>> not_default(const Pattern& pattern) {
  std::vector<std::pair<std::string, Pattern>> out;
  for (const Operator* op : operators_by_name()) {
    if (op->schema.name != pattern.name || op->in_place || op->schema.writes()) continue;
    Pattern longer = pattern;
    for (size_t i = pattern.args.size(); i < op->schema.args.size(); ++i) {
      const SchemaArg& arg = op->schema.args[i];
      if (!arg.has_default) break;
      for (const IValue& other : others_than(arg.default_value)) {
        Pattern changed = longer;
        changed.args.push_back(literal(other));
        const bool known = std::ranges::any_of(out, [&](const auto& o) {
          return o.second.args.size() == changed.args.size() && o.first == arg.name;
        });
        if (!known) out.emplace_back(arg.name, std::move(changed));
      }
      longer.args.push_back(literal(arg.default_value));
    }
  }
  return out;
}

class Breaker {
 public:
  explicit Breaker(const Pattern& left) : left_(left) {}

  std::vector<NearMiss> run() {
    visit(left_, [](Pattern p) { return p; });
    return std::move(out_);
  }

 private:
  using Around = std::function<Pattern(Pattern)>;  // the whole with that in the part's place

  void add(Condition kind, std::string broken, Pattern written) {
    out_.push_back({kind, std::move(broken), std::move(written)});
  }

  void visit(const Pattern& p, const Around& around) {
    if (p.kind == Kind::Literal) {
      const std::vector<IValue> others = others_than(p.literal);
      for (const IValue& other : others)
        add(Condition::Constant, "constant " + print_literal(other), around(literal(other)));
      if (!others.empty()) add(Condition::Constant, "no constant", around(variable("other")));
    }
    if (p.kind == Kind::Variable && !seen_.insert(p.name).second)
      add(Condition::Value, "another " + p.name, around(variable(p.name + "2")));
    if (p.kind != Kind::Op) return;
    for (auto& [name, changed] : not_default(p))
      add(Condition::Argument, name, around(std::move(changed)));
    if (&p != &left_) {
      const auto [first, last] = inner_ops().equal_range(further_types(p));
      for (auto it = first; it != last; ++it) {
        if (it->second == p.name) continue;
        Pattern changed = p;
        changed.name = it->second;
        add(Condition::Op, it->second + " within", around(std::move(changed)));
      }
    }
    for (size_t i = 0; i < p.args.size(); ++i) {
      visit(p.args[i], [&, i](Pattern part) {
        Pattern changed = p;
        changed.args[i] = std::move(part);
        return around(std::move(changed));
      });
    }
  }

  const Pattern& left_;
  std::set<std::string> seen_;
  std::vector<NearMiss> out_;
};

void collect(const Pattern& pattern, std::vector<std::string>& out) {
  const bool fresh =
      pattern.kind == Kind::Variable && std::ranges::find(out, pattern.name) == out.end();
  if (fresh) out.push_back(pattern.name);
  for (const Pattern& arg : pattern.args) collect(arg, out);
}

}  // namespace

const std::vector<const Operator*>& operators_by_name() {
  static const std::vector<const Operator*> all = OperatorTable::instance().by_name();
  return all;
}

std::vector<NearMiss> near_misses_of(const Pattern& left) { return Breaker(left).run(); }

std::vector<std::string> variables_of(const Pattern& pattern) {
  std::vector<std::string> out;
  collect(pattern, out);
  return out;
}

}  // namespace fusillade::fuzz
