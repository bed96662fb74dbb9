// See release_causes.h.
#include "fuzz/campaign/release_causes.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/run/plan.h"
#include "fuzz/case/case.h"
#include "fuzz/judge/judge.h"
#include "fuzz/reduce/reduce.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/triage/cause.h"
#include "fuzz/triage/finding.h"
#include "fuzz/triage/join.h"

namespace fusillade::fuzz {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// What judging a case under one release some times says.
struct ReleaseResult {
  int failed = 0;
  int tried = 0;
  std::string says;  // of the first failure; else why nothing is concluded
  bool asked = true;
  std::optional<Cause> cause;  // as of the family that is shown
};

struct Found {
  std::string bucket, message, verdict;
  int nodes = 0;  // of the reduced program
  std::string engine, path;
  ReleaseResult before, after;
};

std::string in_family(const std::string& engine, const std::string& family) {
  return family + ":" + name_in_family(engine);
}

// The same plan of the other release.
Plan with_family(const Plan& plan, const std::string& family) {
  Plan out = plan;
  out.engine = in_family(plan.engine, family);
  return respell(std::move(out));
}

ReleaseResult judge_under(const Case& found, const std::string& family, const Releases& releases,
                          const Limits& limits, int tries) {
  ReleaseResult out;
  Case c = found.clone();
  const std::string engine = in_family(c.plans[0].engine, releases.shown);
  c.plans = {with_family(c.plans[0], family)};
  for (; out.tried < tries; ++out.tried) {
    const Verdict v = judge_isolated(c, limits);
    if (is_finding(v.kind)) {
      if (++out.failed > 1) continue;
      out.says = v.detail;
      out.cause = cause_of(v, {CulpritKind::EngineOutside, engine, ""}, c);
      out.cause->plan = engine;
    } else if (v.kind == VerdictKind::Skip && !out.failed) {
      out.asked = false;
      out.says = v.reason;
    }
  }
  return out;
}

// What its reduced program does not show may still be there: the program as it was drawn is asked.
// It may fail by another cause, so the operators of this one must be needed for it.
void ask_of_the_whole(const std::string& path, const std::string& family, const Limits& limits,
                      const ReleaseResult& other, ReleaseResult& mine) {
  if (mine.failed || !other.cause || !fs::exists(path)) return;
  Case whole = read_case(path);
  if (whole.plans.size() != 1) return;
  whole.plans = {with_family(whole.plans[0], family)};
  const Verdict v = judge_isolated(whole, limits);
  if (!is_finding(v.kind)) return;
  Cause there = *other.cause;
  there.part.name = whole.plans[0].engine;
  if (!matches_cause(whole, v, there, limits)) return;
  mine = {.failed = 1, .tried = 1, .says = v.detail, .asked = true, .cause = other.cause};
}

const char* status_of(const Found& f) {
  if (!f.before.asked || !f.after.asked) return "not comparable";
  if (f.before.failed && f.after.failed) return "both";
  if (f.after.failed) return "new";
  return f.before.failed ? "mended" : "unsteady";
}

json result_json(const ReleaseResult& t) {
  return {{"failed", t.failed}, {"tried", t.tried}, {"says", t.says}};
}

std::vector<std::string> findings_in(const std::string& folder) {
  std::vector<std::string> out;
  const fs::path in = fs::path(folder) / "findings";
  if (fs::is_directory(in))
    for (const auto& entry : fs::directory_iterator(in))
      if (is_finding_folder(entry.path())) out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

// The reduced case of a finding whose files are whole.
std::optional<Case> whole_finding(const std::string& folder) {
  if (!read_finding(folder)) return std::nullopt;
  try {
    return read_case(folder + "/reduced.case");
  } catch (const Error&) {
    return std::nullopt;
  }
}

// None: it is about neither release.
std::optional<Found> judge_finding(const std::string& folder, const Case& c,
                                   const Releases& releases, const Limits& limits, int tries) {
  if (c.plans.size() != 1 || !is_outside(c.plans[0].engine)) return std::nullopt;
  const std::string family = family_of(c.plans[0].engine).name;
  if (family != releases.before && family != releases.after) return std::nullopt;
  const std::optional<json> finding = read_finding(folder);
  Found out{.bucket = fs::path(folder).filename(),
            .message = finding->value("message", ""),
            .verdict = finding->value("verdict", ""),
            .nodes = program_nodes(*c.program),
            .engine = in_family(c.plans[0].engine, releases.shown),
            .path = "findings/" + fs::path(folder).filename().string() + "/reduced.case",
            .before = judge_under(c, releases.before, releases, limits, tries),
            .after = judge_under(c, releases.after, releases, limits, tries)};
  const std::string whole = folder + "/original.case";
  ask_of_the_whole(whole, releases.before, limits, out.after, out.before);
  ask_of_the_whole(whole, releases.after, limits, out.before, out.after);
  return out;
}

bool is_one_cause(const Found& a, const Found& b) {
  const auto& left = a.after.cause ? a.after.cause : a.before.cause;
  const auto& right = b.after.cause ? b.after.cause : b.before.cause;
  return left && right && same_cause(*left, *right);
}

// The worst of a cause's findings says what became of it: one that is new stays new only where no
// other finding of the cause fails in the old release.
void add(json& rows, std::vector<Found>& kept, Found found) {
  const auto same =
      std::ranges::find_if(kept, [&](const Found& k) { return is_one_cause(k, found); });
  if (same != kept.end()) {
    json& row = rows[static_cast<size_t>(same - kept.begin())];
    row["buckets"].push_back(found.bucket);
    if (found.before.failed > same->before.failed) same->before = found.before;
    if (found.after.failed > same->after.failed) same->after = found.after;
    row["status"] = status_of(*same);
    row["old"] = result_json(same->before);
    row["new"] = result_json(same->after);
    return;
  }
  rows.push_back({{"status", status_of(found)},
                  {"buckets", {found.bucket}},
                  {"engine", found.engine},
                  {"verdict", found.verdict},
                  {"message", found.message},
                  {"nodes", found.nodes},
                  {"case", found.path},
                  {"old", result_json(found.before)},
                  {"new", result_json(found.after)}});
  kept.push_back(std::move(found));
}

}  // namespace

json causes_by_release(const std::string& folder, const Releases& releases, const Limits& limits,
                       int tries) {
  json rows = json::array();
  int unread = 0;
  std::vector<Found> kept;
  const std::vector<std::string> findings = findings_in(folder);
  for (size_t i = 0; i < findings.size(); ++i) {
    std::fprintf(stderr, "fusillade: finding %zu of %zu is judged under both releases\n", i + 1,
                 findings.size());
    const std::optional<Case> c = whole_finding(findings[i]);
    if (!c) {
      ++unread;
      continue;
    }
    if (std::optional<Found> found = judge_finding(findings[i], *c, releases, limits, tries))
      add(rows, kept, std::move(*found));
  }
  return {{"causes", rows}, {"unread", unread}};
}

}  // namespace fusillade::fuzz
