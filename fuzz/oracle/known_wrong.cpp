// See known_wrong.h.
#include "fuzz/oracle/known_wrong.h"

#include <algorithm>

#include "engine/base/text.h"
#include "fuzz/run/entry_lines.h"

namespace fusillade::fuzz {
namespace {

constexpr std::string_view kAbout = "gradient";
constexpr std::string_view kWhen = " when ";

KnownWrong parse_one(std::string_view text) {
  const size_t colon = text.find(':');
  if (!text.starts_with(kAbout) || colon == std::string_view::npos)
    fail("'{}': 'gradient: REASON' or 'gradient when CONDITION: REASON' is legal", text);
  std::string_view condition = text.substr(kAbout.size(), colon - kAbout.size());
  KnownWrong one{"", std::string(trim(text.substr(colon + 1)))};
  if (one.reason.empty()) fail("'{}' gives no reason", text);
  if (condition.empty()) return one;
  const std::vector<std::string>& legal = known_wrong_conditions();
  if (condition.starts_with(kWhen)) one.when = trim(condition.substr(kWhen.size()));
  if (std::ranges::find(legal, one.when) == legal.end())
    fail("'{}' names no condition{}; there are: {}", text, near_misses(one.when, legal),
         join(legal, ", "));
  return one;
}

}  // namespace

std::vector<KnownWrong> parse_known_wrong(std::string_view line) {
  std::vector<KnownWrong> all;
  for (const std::string& part : split_outside_brackets(line, ';'))
    all.push_back(parse_one(trim(part)));
  return all;
}

const std::vector<KnownWrong>& known_wrong(const Operator& op) {
  return lines_of<LineKind::Peers>(op, &parse_known_wrong);
}

}  // namespace fusillade::fuzz
