// See found_by.h.
#include "fuzz/campaign/found_by.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/text.h"
#include "engine/base/visible.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

using Row = FoundBy::Row;

std::string policy_of(const std::string& origin) {
  constexpr std::string_view kPolicy = "policy=";
  const bool of_mutant = origin.find("mutant of ") != std::string::npos;
  if (origin.starts_with("seed=") && !of_mutant && std::ranges::count(origin, '=') == 2)
    return "generator died";
  const size_t at = origin.find(kPolicy);
  if (at != std::string::npos) {
    const size_t from = at + kPolicy.size();
    return origin.substr(from, origin.find(' ', from) - from);
  }
  if (origin.starts_with("corpus ")) return "cases of the corpus";
  if (origin.find("mutant of corpus ") != std::string::npos) return "mutants of the corpus";
  return of_mutant ? "mutants of seeds" : "programs given";
}

// Of other compilers, that the program was drawn with: "pattern=ort/bias-gelu:dtype,xla/sub-self".
std::vector<std::string> patterns_of(const std::string& origin) {
  constexpr std::string_view kPattern = " pattern=";
  const size_t at = origin.find(kPattern);
  if (at == std::string::npos) return {};
  const size_t from = at + kPattern.size();
  std::vector<std::string> out;
  const std::string words = origin.substr(from, origin.find(' ', from) - from);
  for (const std::string& word : split_outside_brackets(words, ',')) {
    std::string name = word.substr(0, word.find(':'));
    if (std::ranges::find(out, name) == out.end()) out.push_back(std::move(name));
  }
  return out;
}

void add_rows(json& out, const char* by, const std::map<std::string, Row>& rows, double seconds) {
  std::vector<std::pair<std::string, Row>> sorted(rows.begin(), rows.end());
  std::ranges::sort(sorted, {}, [](const auto& r) { return std::pair(-r.second.causes, r.first); });
  for (const auto& [name, row] : sorted) {
    const auto [least, most] = rates_per_hour(row.causes, seconds);
    out.push_back(
        {{"by", by},
         {"name", name},
         {"causes", row.causes},
         {"cases", row.cases},
         {"first_seen", row.first_seen},
         {"causes_per_hour", seconds > 0 ? 3600 * static_cast<double>(row.causes) / seconds : 0},
         {"per_hour", {least, most}}});
  }
}

// P(at most n events), where `mean` are expected. Terms are summed from the largest of them on,
// both ways, as long as they count: of n events about as many as the root of n do.
double at_most(int64_t n, double mean) {
  constexpr double kNothing = 1e-17;  // of the sum
  const int64_t largest = std::min(n, static_cast<int64_t>(mean));
  const double of = static_cast<double>(largest);
  const double first = std::exp(of * std::log(mean) - mean - std::lgamma(of + 1));
  double sum = first;
  double term = first;
  for (int64_t k = largest; k > 0 && term > kNothing * sum; --k)
    sum += term *= static_cast<double>(k) / mean;
  term = first;
  for (int64_t k = largest + 1; k <= n && term > kNothing * sum; ++k)
    sum += term *= mean / static_cast<double>(k);
  return sum;
}

// The mean of which at most n events have this probability.
double mean_where(int64_t n, double probability) {
  const double of = static_cast<double>(n);
  double low = 0, high = of + 10 * std::sqrt(of + 1) + 10;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (at_most(n, middle) > probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

std::pair<double, double> rates_per_hour(int64_t events, double seconds) {
  if (seconds <= 0) return {0, 0};
  constexpr double kTail = 0.025;
  const double hours = seconds / 3600;
  return {events == 0 ? 0 : mean_where(events - 1, 1 - kTail) / hours,
          mean_where(events, kTail) / hours};
}

void FoundBy::add(const OpenCause& c) {
  std::vector<Row*> rows{&policies_[policy_of(c.origin)], &oracles_[c.oracle], &plans_[c.plan]};
  for (const std::string& name : c.productions) rows.push_back(&productions_[name]);
  for (const std::string& name : patterns_of(c.origin)) rows.push_back(&patterns_[name]);
  for (Row* row : rows) {
    row->first_seen = row->causes ? std::min(row->first_seen, c.first_seen) : c.first_seen;
    ++row->causes;
    row->cases += c.cases;
  }
}

json FoundBy::rows(double seconds) const {
  json out = json::array();
  add_rows(out, "policy", policies_, seconds);
  add_rows(out, "production", productions_, seconds);
  add_rows(out, "pattern", patterns_, seconds);
  add_rows(out, "oracle", oracles_, seconds);
  add_rows(out, "plan", plans_, seconds);
  return out;
}

json found_by(const std::vector<OpenCause>& causes, double seconds) {
  FoundBy by;
  for (const OpenCause& cause : causes) by.add(cause);
  return by.rows(seconds);
}

std::string found_by_summary(const json& rows) {
  if (rows.empty()) return "";
  std::string out =
      "\n## Found by\n\n| by | name | causes | causes an hour | 95 % | cases | first after, s |\n"
      "|---|---|---:|---:|---:|---:|---:|\n";
  // Most programs use many productions: the table lists some, campaign.json all.
  constexpr int kProductions = 8;
  int productions = 0;
  for (const json& r : rows) {
    if (r["by"] == "production" && productions++ >= kProductions) continue;
    out += fmt::format("| {} | {} | {} | {:.1f} | {:.1f} to {:.1f} | {} | {:.1f} |\n",
                       r["by"].get<std::string>(), markdown_code(r["name"].get<std::string>()),
                       r["causes"].get<int64_t>(), r["causes_per_hour"].get<double>(),
                       r["per_hour"][0].get<double>(), r["per_hour"][1].get<double>(),
                       r["cases"].get<int64_t>(), r["first_seen"].get<double>());
  }
  return out;
}

}  // namespace fusillade::fuzz
