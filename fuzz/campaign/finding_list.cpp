// See finding_list.h.
#include "fuzz/campaign/finding_list.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/visible.h"
#include "fuzz/campaign/found_by.h"
#include "fuzz/triage/cause.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

constexpr size_t kMostShown = 1000;  // open ones in the summary
constexpr size_t kMostClosed = 100;  // besides

}  // namespace

FindingList::FindingList(const std::vector<FindingRow>& found, const KnownList& known)
    : known_(known) {
  listed_.reserve(found.size());
  for (const FindingRow& row : found) listed_.push_back({&row, known.of(row), row.state()});
}

json FindingList::describe(const Listed& l) const {
  const FindingRow& f = *l.row;
  json out = {{"bucket", f.bucket},
              {"verdict", f.verdict},
              {"oracle", f.oracle},
              {"blame", f.blame},
              {"nodes", f.nodes},
              {"case", f.path},
              {"origin", f.origin},
              {"count", f.count},
              {"first_seen", f.first_seen},
              {"message", parse_cause(f.cause).message},
              {"known", l.muted ? json(l.muted->name) : json()}};
  put_observations(out, f.observations);
  return out;
}

std::string FindingList::put_into(const std::string& campaign) const {
  const std::string place = json(kPlace).dump(-1, ' ', true);
  const std::string key = "\n  \"findings\": ";  // of the outermost object
  size_t at = campaign.find(key + place);
  if (at == std::string::npos) fail("there is no place for findings in campaign.json");
  at += key.size();
  std::string out = campaign.substr(0, at) + "[";
  for (const Listed& f : listed_) {
    out += &f == listed_.data() ? "\n    " : ",\n    ";
    for (const char c : describe(f).dump(2, ' ', true, json::error_handler_t::replace)) {
      out += c;
      if (c == '\n') out += "    ";
    }
  }
  out += listed_.empty() ? "]" : "\n  ]";
  return out.append(campaign, at + place.size());
}

json FindingList::found_by(const Store& store, double seconds) const {
  FoundBy by;
  for (const Listed& f : listed_) {
    if (!f.is_open()) continue;
    const FindingRow& row = *f.row;
    by.add({row.origin, row.oracle, parse_cause(row.cause).plan, row.count, row.first_seen,
            store.productions(row.bucket)});
  }
  return by.rows(seconds);
}

json FindingList::known_json() const {
  std::map<const KnownRecord*, std::pair<int64_t, int64_t>> counts;
  for (const Listed& f : listed_) {
    auto& [findings, cases] = counts[f.muted];
    ++findings;
    cases += f.row->count;
  }
  json out = json::array();
  for (const KnownRecord& r : known_.records()) {
    const auto [findings, cases] = counts[&r];
    out.push_back({{"name", r.name},
                   {"reason", r.reason},
                   {"owner", r.owner},
                   {"until", r.until},
                   {"expired", known_.is_expired(r)},
                   {"findings", findings},
                   {"cases", cases}});
  }
  return out;
}

std::string FindingList::open_rows() const {
  const auto total = static_cast<size_t>(std::ranges::count_if(listed_, &Listed::is_open));
  std::string out = fmt::format("\n## Findings: {}\n\n", total);
  if (total) out += "| bucket | blame | nodes | cases | case |\n|---|---|---:|---:|---|\n";
  size_t shown = 0;
  for (const Listed& f : listed_) {
    if (!f.is_open()) continue;
    if (shown++ == kMostShown) break;
    const FindingRow& row = *f.row;
    const char* again = f.state == FindingState::Reopened ? " (reopened)" : "";
    out += fmt::format("| {} | {} | {} | {} | {} |\n", markdown_text(row.bucket),
                       markdown_text(row.blame + again), row.nodes, row.count,
                       markdown_code(row.path));
  }
  if (total > kMostShown)
    out += fmt::format("\n{} more findings are in campaign.json.\n", total - kMostShown);
  return out;
}

std::string FindingList::closed_rows() const {
  std::string rows;
  size_t closed = 0;
  for (const Listed& f : listed_) {
    if (f.state != FindingState::Closed || ++closed > kMostClosed) continue;
    const Observation last = by_build(f.row->observations).back();
    rows += fmt::format("| {} | {} | {} | {} |\n", markdown_text(f.row->bucket),
                        markdown_text(f.row->blame), markdown_text(last.build), day_of(last.at));
  }
  if (closed == 0) return "";
  if (closed > kMostClosed)
    rows += fmt::format("\n{} more closed findings are in campaign.json.\n", closed - kMostClosed);
  return fmt::format(
      "\n## Closed: {}\n\nTheir cases do not fail any more; they do not count.\n\n"
      "| bucket | blame | closed by | on |\n|---|---|---|---|\n{}",
      closed, rows);
}

std::string FindingList::summary() const { return open_rows() + closed_rows(); }

}  // namespace fusillade::fuzz
