// See found_by.h.
#include "fuzz/campaign/found_by.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/visible.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

struct Row {
  int64_t causes = 0, cases = 0;
  double first_seen = 0;
};

std::string policy_of(const std::string& origin) {
  constexpr std::string_view kPolicy = "policy=";
  const size_t at = origin.find(kPolicy);
  if (at != std::string::npos) {
    const size_t from = at + kPolicy.size();
    return origin.substr(from, origin.find(' ', from) - from);
  }
  return origin.find("mutant of ") != std::string::npos ? "mutants of seeds" : "programs given";
}

void add_rows(json& out, const char* by, const std::map<std::string, Row>& rows, double seconds) {
  std::vector<std::pair<std::string, Row>> sorted(rows.begin(), rows.end());
  std::ranges::sort(sorted, {}, [](const auto& r) { return std::pair(-r.second.causes, r.first); });
  for (const auto& [name, row] : sorted)
    out.push_back(
        {{"by", by},
         {"name", name},
         {"causes", row.causes},
         {"cases", row.cases},
         {"first_seen", row.first_seen},
         {"causes_per_hour", seconds > 0 ? 3600 * static_cast<double>(row.causes) / seconds : 0}});
}

}  // namespace

json found_by(const std::vector<OpenCause>& causes, double seconds) {
  std::map<std::string, Row> policies, oracles, plans;
  for (const OpenCause& c : causes) {
    for (Row* row : {&policies[policy_of(c.origin)], &oracles[c.oracle], &plans[c.plan]}) {
      row->first_seen = row->causes ? std::min(row->first_seen, c.first_seen) : c.first_seen;
      ++row->causes;
      row->cases += c.cases;
    }
  }
  json out = json::array();
  add_rows(out, "policy", policies, seconds);
  add_rows(out, "oracle", oracles, seconds);
  add_rows(out, "plan", plans, seconds);
  return out;
}

std::string found_by_summary(const json& rows) {
  if (rows.empty()) return "";
  std::string out =
      "\n## Found by\n\n| by | name | causes | causes an hour | cases | first after, s |\n"
      "|---|---|---:|---:|---:|---:|\n";
  for (const json& r : rows)
    out += fmt::format("| {} | {} | {} | {:.1f} | {} | {:.1f} |\n", r["by"].get<std::string>(),
                       markdown_code(r["name"].get<std::string>()), r["causes"].get<int64_t>(),
                       r["causes_per_hour"].get<double>(), r["cases"].get<int64_t>(),
                       r["first_seen"].get<double>());
  return out;
}

}  // namespace fusillade::fuzz
