// See gradient.h. Entries are looked up by the number of their row: every recorded call asks.
#include "engine/ops/gradient.h"

#include <algorithm>

#include "engine/base/text.h"

namespace fusillade {
namespace {

constexpr std::string_view kIndent = "    ";

std::string_view next_line(std::string_view& text) {
  std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

// What follows "self:" on its line, or the lines indented below it.
std::string body_behind(std::string_view rest, std::string_view& text) {
  rest = trim(rest);
  if (!rest.empty()) return fmt::format("    return {}\n", rest);
  std::string body;
  while (text.starts_with("        "))
    body += std::string(next_line(text).substr(kIndent.size())) + "\n";
  return body;
}

// The formulas of one entry, up to the next line that starts at its beginning.
std::vector<Gradient::Formula> formulas_of(std::string_view names, std::string_view& text) {
  std::vector<Gradient::Formula> out;
  while (text.starts_with(kIndent)) {
    std::string_view line = next_line(text);
    if (trim(line) == "none") continue;
    size_t colon = line.find(':');
    FUS_CHECK(colon != std::string_view::npos, "gradient of {}: '{}' names no argument", names,
              line);
    std::string body = body_behind(line.substr(colon + 1), text);
    FUS_CHECK(!body.empty(), "gradient of {}: '{}' has no formula", names, line);
    for (const std::string& arg : split_outside_brackets(line.substr(0, colon), ','))
      out.push_back({std::string(trim(arg)), body});
  }
  return out;
}

bool holds_tensors(const Type& type) {
  if (type.is_tensor()) return true;
  bool around = type.is(TypeKind::List) || type.is(TypeKind::Optional);
  return around && holds_tensors(type.element());
}

void check(const Gradient& g) {
  const Row* row = find_row(g.name);
  FUS_CHECK(row, "a gradient of '{}', which is no row", g.name);
  for (const Gradient::Formula& f : g.formulas) {
    auto is_it = [&](const SchemaArg& a) { return a.name == f.arg; };
    auto arg = std::ranges::find_if(row->schema.args, is_it);
    FUS_CHECK(arg != row->schema.args.end() && holds_tensors(arg->type),
              "the gradient of {} is of '{}', which is none of its tensors", g.name, f.arg);
  }
}

// "aten::scatter_.src" writes what "aten::scatter.src" makes, if both take the same.
const Row* made_without_writing(const Row& row) {
  if (row.functional) return row.functional;
  std::string name = row.schema.name;
  if (!row.schema.writes() || name.back() != '_') return nullptr;
  name.pop_back();
  const Row* other =
      find_row(row.schema.overload.empty() ? name : name + "." + row.schema.overload);
  if (!other || other->schema.args.size() != row.schema.args.size()) return nullptr;
  for (size_t i = 0; i < row.schema.args.size(); ++i)
    if (other->schema.args[i].name != row.schema.args[i].name) return nullptr;
  return other;
}

std::vector<const Gradient*> by_number() {
  for (const Gradient& g : Table<Gradient>::instance()) check(g);
  std::vector<const Gradient*> out;
  for (const Row& row : RowTable::instance()) {
    const Gradient* g = Table<Gradient>::instance().find(row.name);
    const Row* plain = g ? nullptr : made_without_writing(row);
    out.push_back(plain ? Table<Gradient>::instance().find(plain->name) : g);
  }
  return out;
}

}  // namespace

void add_gradients(std::string_view text) {
  while (!text.empty()) {
    std::string_view names = next_line(text);
    if (trim(names).empty()) continue;
    std::vector<Gradient::Formula> formulas = formulas_of(names, text);
    for (const std::string& name : split_outside_brackets(names, ','))
      Table<Gradient>::instance().add({std::string(trim(name)), formulas});
  }
}

const Gradient* gradient_of(const Row& row) {
  static const std::vector<const Gradient*> known = by_number();
  return row.number < known.size() ? known[row.number] : nullptr;
}

}  // namespace fusillade
