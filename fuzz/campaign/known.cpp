// See known.h. A record begins with `known:` and ends where the next begins; lines are FIELD: TEXT,
// empty lines and those that begin with # mean nothing.
#include "fuzz/campaign/known.h"

#include <fnmatch.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <sstream>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/ops/operator.h"
#include "engine/passes/pass.h"
#include "engine/run/plan.h"
#include "fuzz/triage/cause.h"

namespace fusillade::fuzz {
namespace {

const std::vector<std::string>& fields() {
  static const std::vector<std::string> names = {"known", "bucket", "verdict", "blame", "message",
                                                 "ops",   "plan",   "reason",  "owner", "until"};
  return names;
}

std::string* field_of(KnownRecord& r, const std::string& name) {
  if (name == "bucket") return &r.bucket;
  if (name == "verdict") return &r.verdict;
  if (name == "blame") return &r.blame;
  if (name == "message") return &r.message;
  if (name == "plan") return &r.plan;
  if (name == "reason") return &r.reason;
  if (name == "owner") return &r.owner;
  return name == "until" ? &r.until : nullptr;
}

std::string operator_today(std::string_view name) {
  const Operator* found = find_operator(name);
  return found ? found->name : std::string(name);
}

// A blame may say "row aten::mm", and a pass by its former name; a pattern stays as it is, but for
// its first word.
std::string in_todays_words(const std::string& field, const std::string& value) {
  if (field == "blame" && value.starts_with("row ")) return "operator " + value.substr(4);
  if (field == "blame" && value.find_first_of("*?[") == std::string::npos)
    return print(read_culprit(value));
  if (field != "plan") return value;
  std::map<std::string, std::string, std::less<>> words = Table<Pass>::instance().former();
  words.emplace(",apart)", ",no_products)");  // of the pass `fuse`
  std::string out = value;
  for (const auto& [before, now] : words)
    for (size_t at = 0; (at = out.find(before, at)) != std::string::npos; at += now.size())
      out.replace(at, before.size(), now);
  return out;
}

bool is_day(const std::string& text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  for (size_t i = 0; i < text.size(); ++i)
    if (i != 4 && i != 7 && (text[i] < '0' || text[i] > '9')) return false;
  const int year = std::stoi(text.substr(0, 4)), month = std::stoi(text.substr(5, 2)),
            day = std::stoi(text.substr(8, 2));
  if (month < 1 || month > 12 || day < 1) return false;
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return day <= kDays[month - 1] + (month == 2 && leap);
}

bool is_verdict(const std::string& word) {
  for (int i = 0; i < kNumVerdicts; ++i) {
    const VerdictKind kind = static_cast<VerdictKind>(i);
    if (is_finding(kind) && word == name_of(kind)) return true;
  }
  return false;
}

bool glob(const std::string& pattern, const std::string& text) {
  return pattern.empty() || fnmatch(pattern.c_str(), text.c_str(), FNM_NOESCAPE) == 0;
}

// What a record must have, said at its first line.
void check(const KnownRecord& r, const std::string& file) {
  auto missing = [&](const char* field) {
    fail("{}:{}: '{}' has no {}: a record says why it mutes, who answers for it and until when",
         file, r.line, r.name, field);
  };
  if (r.reason.empty()) missing("reason");
  if (r.owner.empty()) missing("owner");
  if (r.until.empty()) missing("until");
  if (r.bucket.empty() && r.verdict.empty() && r.blame.empty() && r.message.empty() &&
      r.plan.empty() && r.ops.empty())
    fail(
        "{}:{}: '{}' would mute everything; give at least one of bucket, verdict, blame, message, "
        "ops, plan",
        file, r.line, r.name);
}

}  // namespace

bool KnownRecord::matches(const FindingRow& finding, const Cause& cause) const {
  auto has = [&](const std::string& op) {
    return std::any_of(cause.operators.begin(), cause.operators.end(),
                       [&](const std::string& name) { return glob(op, name); });
  };
  return glob(bucket, finding.bucket) && glob(verdict, finding.verdict) &&
         glob(blame, finding.blame) && glob(message, cause.message) && glob(plan, cause.plan) &&
         std::all_of(ops.begin(), ops.end(), has);
}

bool KnownRecord::will_match(const Untriaged& waiting) const {
  if (!bucket.empty()) return false;  // triage is what names it
  const auto all = [&](const std::string& pattern) {
    if (pattern.find_first_not_of('*') == std::string::npos) return true;
    return !waiting.engines.empty() &&
           std::all_of(waiting.engines.begin(), waiting.engines.end(),
                       [&](const std::string& engine) { return glob(pattern, engine); });
  };
  const auto matches_op = [&](const std::string& op) {
    return std::any_of(ops.begin(), ops.end(), [&](const std::string& p) { return glob(p, op); });
  };
  const auto there = [&](const std::string& pattern) {
    return std::any_of(waiting.ops.begin(), waiting.ops.end(),
                       [&](const std::string& op) { return glob(pattern, op); });
  };
  // Of more ops any may be the cause.
  const bool alone =
      ops.empty() || (std::all_of(waiting.ops.begin(), waiting.ops.end(), matches_op) &&
                      std::all_of(ops.begin(), ops.end(), there));
  return glob(verdict, waiting.verdict) && glob(message, waiting.message) && all(blame) &&
         all(plan) && alone;
}

bool KnownRecord::concerns(const std::vector<Plan>& plans) const {
  if (!glob(plan, "") &&
      std::none_of(plans.begin(), plans.end(), [&](const Plan& p) { return glob(plan, p.text); }))
    return false;
  if (blame.empty()) return true;
  bool of_engines = false;
  for (const Engine* engine : engines()) {
    if (!engine->outside || !glob(blame, engine->name)) continue;
    of_engines = true;
    for (const Plan& p : plans)
      if (p.engine == engine->name) return true;
  }
  return !of_engines;
}

KnownList::KnownList(const std::string& text, const std::string& file, const std::string& today)
    : today_(today) {
  std::istringstream lines(text);
  int number = 0;
  std::vector<std::string> given;
  for (std::string raw; std::getline(lines, raw);) {
    ++number;
    const std::string line(trim(raw));
    if (line.empty() || line[0] == '#') continue;
    const size_t colon = line.find(':');
    const std::string name = line.substr(0, colon);
    const std::string value(colon == std::string::npos ? "" : trim(line.substr(colon + 1)));
    if (colon == std::string::npos ||
        std::find(fields().begin(), fields().end(), name) == fields().end())
      fail("{}:{}: '{}' is no field{} (legal: {})", file, number, name.substr(0, 60),
           near_misses(name.substr(0, 60), fields()), join(fields(), ", "));
    if (value.empty()) fail("{}:{}: '{}' is empty", file, number, name);
    if (name == "known") {
      for (const KnownRecord& r : records_)
        if (r.name == value)
          fail("{}:{}: '{}' is a record already, at line {}", file, number, value, r.line);
      if (!records_.empty()) check(records_.back(), file);
      records_.emplace_back();
      records_.back().name = value;
      records_.back().line = number;
      given.clear();
      continue;
    }
    if (records_.empty())
      fail("{}:{}: '{}' stands before the first record; a record begins with 'known: NAME'", file,
           number, name);
    if (std::find(given.begin(), given.end(), name) != given.end())
      fail("{}:{}: '{}' is given twice", file, number, name);
    given.push_back(name);
    if (name == "verdict" && !is_verdict(value))
      fail(
          "{}:{}: '{}' is no verdict of a finding (legal: mismatch, crash, hang, bug, memory, "
          "flaky, slow)",
          file, number, value);
    if (name == "until" && !is_day(value))
      fail("{}:{}: '{}' is no day (YYYY-MM-DD)", file, number, value);
    if (std::string* field = field_of(records_.back(), name)) *field = in_todays_words(name, value);
    else
      for (const std::string& op : split_outside_brackets(value, ' '))
        if (!trim(op).empty()) records_.back().ops.push_back(operator_today(trim(op)));
  }
  if (!records_.empty()) check(records_.back(), file);
}

const KnownRecord* KnownList::of(const FindingRow& finding, const Cause& cause) const {
  for (const KnownRecord& r : records_)
    if (!is_expired(r) && r.matches(finding, cause)) return &r;
  return nullptr;
}

const KnownRecord* KnownList::of(const FindingRow& finding) const {
  return records_.empty() ? nullptr : of(finding, parse_cause(finding.cause));
}

const KnownRecord* KnownList::of(const Untriaged& waiting) const {
  for (const KnownRecord& r : records_)
    if (!is_expired(r) && r.will_match(waiting)) return &r;
  return nullptr;
}

KnownList read_known(const std::string& path) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return {read_text_file(path), path,
          fmt::format("{:04d}-{:02d}-{:02d}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday)};
}

}  // namespace fusillade::fuzz
