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

// One entry without its name, up to the next line that starts at its beginning.
Gradient entry_of(std::string_view names, std::string_view& text) {
  Gradient out;
  while (text.starts_with(kIndent)) {
    std::string_view line = next_line(text);
    if (trim(line) == "none") continue;
    if (trim(line) == "unknown") {
      out.unknown = true;
      continue;
    }
    size_t colon = line.find(':');
    FUS_CHECK(colon != std::string_view::npos, "gradient of {}: '{}' names no argument", names,
              line);
    std::string body = body_behind(line.substr(colon + 1), text);
    FUS_CHECK(!body.empty(), "gradient of {}: '{}' has no formula", names, line);
    for (const std::string& word : split_outside_brackets(line.substr(0, colon), ',')) {
      std::string arg(trim(word));
      if (trim(line.substr(colon + 1)) == "none") out.without.push_back(arg);
      else out.formulas.push_back({arg, body});
    }
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
  std::vector<std::string> named = g.without;
  for (const Gradient::Formula& f : g.formulas) named.push_back(f.arg);
  for (const std::string& name : named) {
    auto is_it = [&](const SchemaArg& a) { return a.name == name; };
    auto arg = std::ranges::find_if(row->schema.args, is_it);
    FUS_CHECK(arg != row->schema.args.end() && holds_tensors(arg->type),
              "the gradient of {} is of '{}', which is none of its tensors", g.name, name);
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
    Gradient entry = entry_of(names, text);
    for (const std::string& name : split_outside_brackets(names, ',')) {
      entry.name = trim(name);
      Table<Gradient>::instance().add(entry);
    }
  }
}

const Gradient* gradient_of(const Row& row) {
  static const std::vector<const Gradient*> known = by_number();
  return row.number < known.size() ? known[row.number] : nullptr;
}

}  // namespace fusillade
