// See deviation.h.
#include "fuzz/run/deviation.h"

#include <algorithm>

#include "engine/base/table.h"
#include "engine/base/text.h"
#include "fuzz/run/entry_lines.h"

namespace fusillade::fuzz {
namespace {

Deviation parse_one(std::string_view text) {
  std::vector<std::string> names;
  for (const DeviationKind& kind : Table<DeviationKind>::instance()) {
    names.push_back(kind.name);
    if (!text.starts_with(kind.name)) continue;
    std::string_view rest = trim(text.substr(kind.name.size()));
    if (kind.unit.empty()) {
      if (rest.empty()) return {&kind, 0};
      continue;
    }
    Deviation one{&kind, 0};
    if (rest.ends_with(kind.unit)) rest.remove_suffix(kind.unit.size());
    if (parse_double(trim(rest), &one.amount) && one.amount > 0) return one;
    fail("'{}': how many {}? A positive number is legal, as in '{} 4 {}'", text, kind.unit,
         kind.name, kind.unit);
  }
  fail("'{}' is no deviation{}; there are: {}", text, near_misses(std::string(text), names),
       join(names, ", "));
}

}  // namespace

std::vector<Deviation> parse_deviations(std::string_view line) {
  std::vector<Deviation> all;
  for (const std::string& part : split_outside_brackets(line, ';'))
    all.push_back(parse_one(trim(part)));
  return all;
}

const std::vector<Deviation>& deviations_of(const Operator& op) {
  return lines_of<LineKind::Others>(op, &parse_deviations);
}

bool may_deviate(const Operator& op, std::string_view kind) {
  return std::ranges::any_of(deviations_of(op),
                             [&](const Deviation& d) { return d.kind->name == kind; });
}

void apply_deviations(const DeviatingCall& call) {
  for (const Deviation& d : deviations_of(call.op))
    if (d.kind->apply) d.kind->apply(call, d.amount);
}

}  // namespace fusillade::fuzz
