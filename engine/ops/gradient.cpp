// See gradient.h. Entries are looked up by the number of their operator: every recorded call asks.
#include "engine/ops/gradient.h"

#include <algorithm>
#include <unordered_map>

#include "engine/base/text.h"

namespace fusillade {
namespace {

constexpr std::string_view kIndent = "    ";

std::string_view next_line(std::string_view& text) {
  std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

// What follows "self:", on its line and on deeper ones, or indented below it.
std::string body_of(std::string_view rest) {
  std::string body;
  std::string_view first = trim(next_line(rest));
  if (!first.empty()) body = fmt::format("    return {}\n", first);
  while (!rest.empty()) {
    std::string_view line = next_line(rest);
    line.remove_prefix(std::min(line.size(), kIndent.size()));
    body.append(line).push_back('\n');
  }
  return body;
}

// `place`: of the line, for messages.
void add_line(std::string_view line, const std::string& place, Gradient& out) {
  if (line == "none") return;
  if (line == "unknown") {
    out.unknown = true;
    return;
  }
  const size_t colon = line.substr(0, line.find('\n')).find(':');
  FUS_CHECK(colon != line.npos && colon > 0, "{}: gradient '{}' names no argument", place, line);
  const std::string_view rest = line.substr(colon + 1);
  const std::string body = body_of(rest);
  FUS_CHECK(!body.empty(), "{}: gradient '{}' has no formula", place, line);
  for (const std::string& word : split_outside_brackets(line.substr(0, colon), ',')) {
    std::string arg(trim(word));
    if (trim(rest) == "none") out.without.push_back(arg);
    else out.formulas.push_back({arg, body});
  }
}

bool holds_tensors(const Type& type) {
  if (type.is_tensor()) return true;
  bool around = type.is(TypeKind::List) || type.is(TypeKind::Optional);
  return around && holds_tensors(type.element());
}

void check(const Gradient& g) {
  const Operator* op = find_operator(g.name);
  FUS_CHECK(op, "{}: a gradient of '{}', which is no operator", g.place, g.name);
  std::vector<std::string> named = g.without;
  for (const Gradient::Formula& f : g.formulas) named.push_back(f.arg);
  for (const std::string& name : named) {
    auto is_it = [&](const SchemaArg& a) { return a.name == name; };
    auto arg = std::ranges::find_if(op->schema.args, is_it);
    FUS_CHECK(arg != op->schema.args.end() && holds_tensors(arg->type),
              "{}: the gradient of {} is of '{}', which is none of its tensors", g.place, g.name,
              name);
  }
}

// "aten::scatter_.src" writes what "aten::scatter.src" makes, if both take the same.
const Operator* functional_form(const Operator& op) {
  if (op.functional) return op.functional;
  std::string name = op.schema.name;
  if (!op.schema.writes() || name.back() != '_') return nullptr;
  name.pop_back();
  const Operator* other =
      find_operator(op.schema.overload.empty() ? name : name + "." + op.schema.overload);
  if (!other || other->schema.args.size() != op.schema.args.size()) return nullptr;
  for (size_t i = 0; i < op.schema.args.size(); ++i)
    if (other->schema.args[i].name != op.schema.args[i].name) return nullptr;
  return other;
}

std::vector<const Gradient*> by_number() {
  std::unordered_map<std::string_view, const Gradient*> named;
  for (const Gradient& g : gradients()) {
    check(g);
    FUS_CHECK(named.emplace(g.name, &g).second, "{}: {} has a gradient twice", g.place, g.name);
  }
  auto find = [&](const std::string& name) {
    auto it = named.find(name);
    return it == named.end() ? nullptr : it->second;
  };
  std::vector<const Gradient*> out;
  for (const Operator& op : OperatorTable::instance()) {
    const Gradient* g = find(op.name);
    const Operator* plain = g ? nullptr : functional_form(op);
    out.push_back(plain ? find(plain->name) : g);
  }
  return out;
}

}  // namespace

std::vector<Gradient> gradients_of(std::span<const Entry> entries) {
  std::vector<Gradient> out;
  for (const Entry& e : entries) {
    Gradient g;
    for (const EntryLine& line : e.lines) {
      if (line.kind != LineKind::Gradient) continue;
      if (g.place.empty()) g.place = e.place(line.number);
      add_line(line.text, e.place(line.number), g);
    }
    for (std::string_view name : e.names) {
      if (g.place.empty()) break;
      g.name = name;
      out.push_back(g);
    }
  }
  return out;
}

const std::vector<Gradient>& gradients() {
  static const std::vector<Gradient> all = gradients_of(entries());
  return all;
}

const Gradient* gradient_of(const Operator& op) {
  static const std::vector<const Gradient*> known = by_number();
  return op.number < known.size() ? known[op.number] : nullptr;
}

}  // namespace fusillade
