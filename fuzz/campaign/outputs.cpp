// See outputs.h; docs/reference/campaign.md lists the fields of campaign.json.
#include "fuzz/campaign/outputs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "engine/base/file.h"
#include "engine/base/options.h"
#include "engine/base/shell.h"
#include "engine/base/visible.h"
#include "engine/run/plan.h"
#include "fuzz/campaign/corpus_books.h"
#include "fuzz/campaign/finding_list.h"
#include "fuzz/campaign/finding_script.h"
#include "fuzz/campaign/found_by.h"
#include "fuzz/campaign/python.h"
#include "fuzz/campaign/triage_result.h"
#include "fuzz/case/header.h"
#include "fuzz/process/exit_code.h"
#include "fuzz/reduce/reduce.h"
#include "fuzz/run/foreign/centred.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/foreign/versions.h"
#include "fuzz/run/other_build.h"
#include "fuzz/triage/finding.h"
#include "fuzz/triage/triage.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

json verdict_counts(const Counters& c, const std::map<std::string, uint64_t>& reasons) {
  json out;
  for (int i = 0; i < kNumVerdicts; ++i) {
    out[name_of(static_cast<VerdictKind>(i))] = c.verdicts[i];
  }
  json skips = json::object();
  json untrusted = json::object();
  uint64_t named = 0;
  for (auto& [text, count] : reasons) {
    size_t colon = text.find(": ");
    const bool skip = text[0] == 's';
    if (skip) named += count;
    (skip ? skips : untrusted)[text.substr(colon + 2)] = count;
  }
  // Workers report a limited number of reasons by name, and count the others.
  const uint64_t all = c.verdicts[static_cast<size_t>(VerdictKind::Skip)];
  if (all > named) skips["reasons that are not named"] = all - named;
  out["skip"] = skips;
  out["untrusted_reasons"] = untrusted;
  return out;
}

// "0 to 3, 7", for they may be many.
std::string in_ranges(const std::vector<uint64_t>& numbers) {
  std::string out;
  for (size_t from = 0, to = 0; from < numbers.size(); from = to) {
    for (to = from + 1; to < numbers.size() && numbers[to] == numbers[to - 1] + 1;) ++to;
    const char* between = to - from > 2 ? " to " : ", ";
    out += fmt::format("{}{}", from ? ", " : "", numbers[from]);
    if (to - from > 1) out += fmt::format("{}{}", between, numbers[to - 1]);
  }
  return out;
}

// "Shard 1 of 4", "Shards 0, 2 of 4".
std::string shards_line(const json& c) {
  if (!c.contains("shards")) return "";
  const auto here = c["shards"]["here"].get<std::vector<uint64_t>>();
  return fmt::format("{} {} of {}, which count from 0.\n\n", here.size() == 1 ? "Shard" : "Shards",
                     in_ranges(here), c["shards"]["of"].get<uint64_t>());
}

// The programs given, and how many draws of inputs eager mode accepted of those tried, in what
// time.
json given_list(const CampaignOptions& o) {
  json out = json::array();
  for (const auto& g : o.given)
    out.push_back({{"file", g->file},
                   {"accepted_draws", g->accepted.size()},
                   {"seconds_of_finding_inputs", g->seconds}});
  return out;
}

double share(uint64_t part, uint64_t whole) {
  return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// The share of judgements that compared something.
double yield_of(const Counters& t) {
  uint64_t judged = 0;
  for (uint64_t n : t.verdicts) judged += n;
  uint64_t idle = t.verdicts[static_cast<int>(VerdictKind::Skip)] +
                  t.verdicts[static_cast<int>(VerdictKind::Untrusted)];
  return share(judged - idle, judged);
}

// What the cases in pending/ show, most cases first.
json waiting_list(const std::map<std::string, std::vector<std::string>>& waiting) {
  std::vector<json> out;
  for (const auto& [symptom, cases] : waiting) {
    std::string shows = symptom;
    std::replace(shows.begin(), shows.end(), '|', ',');
    out.push_back(
        {{"shows", shows}, {"cases", cases.size()}, {"case", "pending/" + cases.front()}});
  }
  auto order = [](const json& j) {
    return std::pair(-j["cases"].get<int64_t>(), j["shows"].get<std::string>());
  };
  std::sort(out.begin(), out.end(),
            [&](const json& a, const json& b) { return order(a) < order(b); });
  return out;
}

// The commonest reasons; campaign.json has all of them.
std::string skip_rows(const json& skips) {
  constexpr size_t kShown = 12;
  std::vector<std::pair<uint64_t, std::string>> reasons;
  for (auto& [reason, count] : skips.items()) reasons.emplace_back(count.get<uint64_t>(), reason);
  std::ranges::sort(reasons, std::greater<>());
  const size_t shown = reasons.size() > kShown + 1 ? kShown : reasons.size();
  std::string out;
  uint64_t others = 0;
  for (size_t i = 0; i < reasons.size(); ++i) {
    if (i < shown)
      out += fmt::format("| {} | {} |\n", markdown_text("skip: " + reasons[i].second),
                         reasons[i].first);
    else others += reasons[i].first;
  }
  if (others > 0)
    out += fmt::format("| skip: {} other reasons (campaign.json) | {} |\n", reasons.size() - shown,
                       others);
  return out;
}

json reach_json(const Reach& reach) {
  return {{"line", reach.line()},
          {"rows", reach.operators},
          {"rows_missing", reach.missing_operators()},
          {"rewrites", reach.rewrites},
          {"rules_missing", reach.missing_rules()},
          {"guards", reach.guards},
          {"productions", reach.productions},
          {"productions_missing", reach.missing_productions()}};
}

json sample_list(const Store& store) {
  json samples = json::array();
  for (const Sample& s : store.samples()) {
    samples.push_back({s.seconds, s.programs, s.findings, s.ok, s.failed, s.untrusted, s.skipped,
                       s.operators, s.rewrites});
  }
  return samples;
}

std::string run_line(const json& c) {
  if (c.contains("check")) {
    double finding = 0;
    for (const json& g : c["given"]) finding += g["seconds_of_finding_inputs"].get<double>();
    return fmt::format(
        "{} program(s) checked: {} judgements in {:.1f} s on {} job(s), seed {}, {} executions; "
        "finding inputs before them {:.1f} s.\n\n",
        c["given"].size(), c["programs"].get<uint64_t>(), c["seconds"].get<double>(),
        c["jobs"].get<int>(), c["seed"].get<uint64_t>(), c["executions"].get<uint64_t>(), finding);
  }
  const double after = c["seconds_after"].get<double>();
  const double rate = c["programs_per_second_per_job"].get<double>();
  return fmt::format(
      "{} programs in {:.1f} s on {} job(s), seed {}: {:.{}f} programs/s per job, {} "
      "executions; triage after them {:.1f} s.\n\n",
      c["programs"].get<uint64_t>(), c["seconds"].get<double>() - after, c["jobs"].get<int>(),
      c["seed"].get<uint64_t>(), rate, rate < 10 ? 1 : 0, c["executions"].get<uint64_t>(), after);
}

std::string summary(const json& c, const FindingList& findings) {
  std::ostringstream s;
  s << "# Campaign\n\n" << shards_line(c) << run_line(c);
  if (c.contains("stopped"))
    s << fmt::format("**It ended early**: {} (exit code {}). --resume goes on with it.\n\n",
                     markdown_text(c["stopped"].get<std::string>()), c["exit_code"].get<int>());
  s << "| verdict | judgements |\n|---|---:|\n";
  for (auto& [key, value] : c["verdicts"].items()) {
    if (value.is_number() && value.get<uint64_t>() > 0)
      s << "| " << markdown_text(key) << " | " << value << " |\n";
  }
  s << skip_rows(c["verdicts"]["skip"]);
  s << fmt::format("\nYield: {:.2f} % of judgements compared something",
                   100 * c["yield"].get<double>());
  if (c["exit_code"] == kInconclusive)
    s << fmt::format(
        "; --min-yield asks for {:g} %, so that the campaign is inconclusive (exit code 3). What "
        "is "
        "skipped or untrusted compares nothing: the table above says why",
        100 * c["min_yield"].get<double>());
  s << ".\n";
  s << fmt::format(
      "\nElements compared: {}, of them tightly (bound under 1e-3) {:.2f} %. Not compared, for the "
      "bound admits every value: {}.\n",
      c["elements"]["compared"].get<uint64_t>(), 100 * c["elements"]["tight_share"].get<double>(),
      c["elements"]["untrusted"].get<uint64_t>());
  if (const uint64_t n = c["verdicts"]["untrusted_reasons"].value(kEagerDiffers, uint64_t{0}))
    s << fmt::format("\nAn engine's eager mode differs from ours in {} judgement(s).\n", n);
  s << fmt::format("\nReached: {}.\n", visible_line(c["reach"]["line"].get<std::string>()));
  s << corpus_summary(c.value("corpus", json())) << findings.summary();
  if (c["pending"].get<size_t>() > 0) {
    s << fmt::format(
        "\n## Waiting for triage: {}\n\nNot blamed, reduced or joined yet{}; --resume goes on with "
        "them.\n\n| shows | cases | one of them |\n|---|---:|---|\n",
        c["pending"].get<size_t>(),
        c.contains("stopped") ? ""
                              : ", since the time or the number of findings asked for was over");
    for (const json& w : c["waiting"])
      s << fmt::format("| {} | {} | {} |\n", markdown_text(w["shows"].get<std::string>()),
                       w["cases"].get<size_t>(), markdown_code(w["case"].get<std::string>()));
    for (const auto& [record, cases] : c["pending_known"].items())
      s << fmt::format("\n{} of them are muted as {}: they do not count.\n", cases.get<size_t>(),
                       markdown_text(record));
  }
  if (uint64_t more = c["findings_not_saved"].get<uint64_t>())
    s << fmt::format("\n{} further failure(s) of kinds that were saved often were counted only.\n",
                     more);
  if (!c["known"].empty())
    s << "\n## Known\n\n| record | owner | until | findings | cases | reason |\n"
         "|---|---|---|---:|---:|---|\n";
  for (const json& k : c["known"]) {
    s << fmt::format("| {} | {} | {}{} | {} | {} | {} |\n",
                     markdown_text(k["name"].get<std::string>()),
                     markdown_text(k["owner"].get<std::string>()), k["until"].get<std::string>(),
                     k["expired"].get<bool>() ? ", past" : "", k["findings"].get<int64_t>(),
                     k["cases"].get<int64_t>(), markdown_text(k["reason"].get<std::string>()));
  }
  s << found_by_summary(c["found_by"]) << cost_summary(c["cost"]);
  return s.str();
}

Case case_in(const std::string& path) {
  try {
    return read_case(path);
  } catch (const Error&) {  // a case that does not read back is announced, too
    return {};
  }
}

}  // namespace

std::string campaign_identity(const CampaignOptions& o) {
  json j = {{"seed", o.seed},
            {"plans", o.plans},
            {"oracles", o.oracles},
            {"policy", o.policy},
            {"calls", o.calls}};
  if (!o.given.empty()) {
    j["given"] = identity_of(o.given);
    j["use"] = o.use == Use::Check ? "check" : "seeds";
  }
  if (!o.corpus.empty()) j["corpus"] = true;
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

bool is_identity(const std::string& a, const std::string& b) {
  json one = json::parse(a, nullptr, false), other = json::parse(b, nullptr, false);
  for (json* j : {&one, &other})
    if (j->is_object()) j->erase("jobs");
  return one == other;
}

// Says so on stderr where they are not.
static bool compared_enough(const SupervisorOptions& o, const Counters& c) {
  uint64_t judged = 0;
  for (uint64_t v : c.verdicts) judged += v;
  const uint64_t compared = judged - c.verdicts[static_cast<int>(VerdictKind::Skip)] -
                            c.verdicts[static_cast<int>(VerdictKind::Untrusted)];
  if (judged > 0 && static_cast<double>(compared) >= o.min_yield * judged) return true;
  if (o.campaign.use == Use::Check) {
    std::fprintf(stderr, "inconclusive: none of %llu judgements compared something\n",
                 static_cast<unsigned long long>(judged));
    return false;
  }
  std::fprintf(
      stderr, "inconclusive: %llu of %llu judgements compared something; --min-yield asks for %g\n",
      static_cast<unsigned long long>(compared), static_cast<unsigned long long>(judged),
      o.min_yield);
  return false;
}

int comes_to(const SupervisorOptions& o, const Counters& totals,
             const std::vector<FindingRow>& found, const TriageQueue& queue) {
  const bool has_findings = std::ranges::any_of(found, [&](const FindingRow& row) {
    return row.state() != FindingState::Closed && o.known.of(row) == nullptr;
  });
  size_t muted_waiting = 0;
  for (const auto& [record, cases] : queue.muted_counts(o.known)) muted_waiting += cases;
  if (has_findings || queue.size() > muted_waiting) return kFindings;
  return compared_enough(o, totals) ? kOk : kInconclusive;
}

std::string build_of(const std::string& version, const std::vector<Plan>& plans) {
  const auto engines = engine_versions(plans);
  return build_name(version, {engines.begin(), engines.end()});
}

std::string progress_path(const std::string& pending) { return pending + ".begun"; }
std::string trial_script_path(const std::string& pending) { return pending + ".tried.py"; }

void triage_file(const std::string& out, const TriageJob& job, const Limits& limits) {
  Case original = read_case(job.path);
  Triaged t =
      triage(original, limits, job.budget, *job.known, job.only_join, progress_path(job.path));
  std::string kept;
  if (!t.bucket.empty() && !t.joined) kept = write_finding(out, original, t, limits);
  json j = {{"bucket", t.bucket},         {"verdict", name_of(t.verdict.kind)},
            {"oracle", t.verdict.oracle}, {"blame", print(t.blame)},
            {"nodes", t.nodes},           {"path", kept},
            {"origin", original.origin},  {"cause", print(t.cause)},
            {"let_go", t.let_go}};
  job.result->write(j.dump(-1, ' ', true, json::error_handler_t::replace));
  // Scripts are run before they are kept: that comes last, for it may be cut short.
  if (kept.empty()) return;
  save_finding_script(out + "/findings/" + t.bucket, trial_script_path(job.path), t, limits);
}

void list_joined(const std::string& out, const FindingRow& row) {
  const std::string folder = out + "/findings/" + row.bucket;
  struct stat s;
  if (stat(folder.c_str(), &s) != 0) return;
  const std::string path = folder + "/joined.txt";
  refuse_links(folder + "/finding.json");  // the way there
  if (lstat(path.c_str(), &s) == 0 && S_ISLNK(s.st_mode)) unlink(path.c_str());
  append_to_file(path, visible_line(row.origin) + "\n");
}

void write_case_count(const std::string& out, const FindingRow& row) {
  const std::string folder = out + "/findings/" + row.bucket;
  std::optional<json> finding = read_finding(folder);
  if (!finding) return;
  const json before = *finding;
  (*finding)["cases"] = row.count;
  if (!row.observations.empty()) put_observations(*finding, row.observations);
  if (*finding != before) write_finding_files(folder, *finding);
}

void update_findings(const std::string& out, Store& store) {
  const std::vector<std::string> behind = store.outdated_findings();
  if (behind.empty()) return;
  for (const FindingRow& row : store.findings())
    if (std::ranges::binary_search(behind, row.bucket)) write_case_count(out, row);
  store.clear_outdated();
}

std::optional<FindingRow> read_triage_result(const std::string& path, const TriageResult& result,
                                             bool succeeded, std::string* let_go) {
  FindingRow row;
  unlink(trial_script_path(path).c_str());
  if (succeeded) try {
      row = parse_triage_result(result.text(), let_go);
      if (!let_go->empty()) return std::nullopt;
      return row;
    } catch (const Error& e) {
      std::fprintf(stderr, "fusillade: what the triage of %s came to is not taken: %s\n",
                   visible_line(path).c_str(), visible_line(e.what()).c_str());
    }
  // Triage itself failed: the case is kept as it is, under its own name, with the verdict it was
  // reported with.
  std::string folder = path.substr(0, path.rfind("/pending/")) + "/findings/untriaged";
  std::string name = path.substr(path.rfind('/') + 1);
  make_folder(folder);
  write_atomically(folder + "/" + name, read_text_file(path));
  row.bucket = "untriaged-" + name.substr(0, name.rfind('.'));
  row.verdict = name_of(VerdictKind::Bug);
  row.oracle = "triage";
  row.blame = print(Culprit{CulpritKind::Triage, "untriaged", {}});
  row.path = "findings/untriaged/" + name;
  try {
    Case c = read_case(path);
    row.verdict = c.verdict;
    row.oracle = c.oracle;
    row.origin = c.origin;
    row.nodes = c.program ? program_nodes(*c.program) : 0;
  } catch (const Error&) {  // of a case that does not read back its header may
    std::istringstream lines(read_text_file(path));
    const CaseHeader header = read_header(lines);
    if (!header.verdict.empty()) row.verdict = header.verdict;
    if (!header.oracle.empty()) row.oracle = header.oracle;
  }
  return row;
}

void announce_finding(const std::string& out, const FindingRow& f, const KnownRecord* muted) {
  const std::string path = out + "/" + f.path;
  const std::string at =
      visible_line(shell_word(path) + family_flags(case_in(path)) + OtherBuild::flags());
  const std::string with = options_in_force();
  if (muted) {
    std::fprintf(stderr,
                 "\nknown     %s: %s (%s, until %s)\nReproduce with: %sfusillade repro %s\n",
                 muted->name.c_str(), visible_line(f.bucket).c_str(), muted->owner.c_str(),
                 muted->until.c_str(), with.c_str(), at.c_str());
    return;
  }
  std::fprintf(stderr,
               "\nfinding   %s\nverdict   %s by %s, blame: %s, %d node(s)\n"
               "Reproduce with: %sfusillade repro %s\nReduce with:    %sfusillade reduce %s\n"
               "Bisect with:    %sfusillade bisect %s\n",
               visible_line(f.bucket).c_str(), visible_line(f.verdict).c_str(),
               visible_line(f.oracle).c_str(), visible_line(f.blame).c_str(), f.nodes, with.c_str(),
               at.c_str(), with.c_str(), at.c_str(), with.c_str(), at.c_str());
}

void announce_known(const KnownList& known, const std::vector<FindingRow>& findings,
                    const std::map<std::string, size_t>& waiting, const std::vector<Plan>& plans) {
  std::set<const KnownRecord*> met;
  for (const FindingRow& f : findings) {
    if (met.size() == known.records().size()) break;
    const Cause cause = parse_cause(f.cause);
    for (const KnownRecord& r : known.records())
      if (met.count(&r) == 0 && r.matches(f, cause)) met.insert(&r);
  }
  for (const KnownRecord& r : known.records()) {
    const char* name = r.name.c_str();
    const bool seen = waiting.count(r.name) > 0 || met.count(&r) > 0;
    if (known.is_expired(r) && (seen || r.concerns(plans)))
      std::fprintf(stderr, "known %s: past its day (%s), it mutes nothing; %s is to answer\n", name,
                   r.until.c_str(), r.owner.c_str());
    if (!seen && r.concerns(plans))
      std::fprintf(stderr, "known %s: not seen in this campaign\n", name);
  }
}

void report_time_over(const SupervisorOptions& o, double hunted) {
  std::fprintf(stderr,
               "fusillade: the campaign's time is over: programs ran %.1f s of %g; a longer "
               "--max-total-time goes on with it\n",
               hunted, o.max_seconds);
}

void print_progress(const Counters& t, double hunting_seconds, double run_seconds, int jobs,
                    size_t findings, size_t pending) {
  constexpr double kBetweenLines = 30;  // seconds, where no terminal shows one line anew
  static double next_line = kBetweenLines;
  const bool in_place = isatty(STDERR_FILENO);
  if (!in_place && run_seconds < next_line) return;
  next_line = run_seconds + kBetweenLines;
  double rate = hunting_seconds > 0 ? static_cast<double>(t.programs) / hunting_seconds / jobs : 0;
  if (in_place) clear_progress_line();
  std::fprintf(
      stderr, "%6.0f s  %llu programs  %.0f/s/job  tight %.1f %%  findings %zu%s%s", run_seconds,
      static_cast<unsigned long long>(t.programs), rate, 100 * share(t.tight, t.compared), findings,
      pending ? fmt::format(" (+{} to triage)", pending).c_str() : "", in_place ? "" : "\n");
  std::fflush(stderr);
}

void write_outputs(const SupervisorOptions& o, const Store& store, const Ended& ended) {
  const Counters& t = ended.totals;
  const double seconds = ended.seconds;
  const std::vector<FindingRow> found = store.findings();
  const FindingList findings(found, o.known);
  const double rate =
      ended.job_seconds > 0 ? static_cast<double>(t.programs) / ended.job_seconds : 0;
  json c = {{"schema", kCampaignSchema},
            {"build", build_name(o.build, {})},
            {"seconds", seconds},
            {"seconds_after", ended.after},
            {"jobs", o.jobs},
            {"seed", o.campaign.seed},
            {"plans", o.campaign.plans.empty() ? default_plans() : o.campaign.plans},
            {"policy", o.campaign.policy},
            {"programs", t.programs},
            {"executions", t.executions},
            {"programs_per_second_per_job", rate},
            {"verdicts", verdict_counts(t, ended.reasons)},
            {"elements",
             {{"compared", t.compared},
              {"tight", t.tight},
              {"untrusted", t.untrusted},
              {"tight_share", share(t.tight, t.compared)},
              {"untrusted_share", share(t.untrusted, t.compared + t.untrusted)}}},
            {"yield", yield_of(t)},
            {"min_yield", o.min_yield},
            {"reach", reach_json(ended.reach)},
            {"cost", ended.cost.table()},
            {"findings_not_saved", t.unsaved},
            {"found_by", findings.found_by(store, seconds)},
            {"findings", FindingList::kPlace},
            {"known", findings.known_json()},
            {"pending", ended.pending},
            {"pending_known", ended.muted},
            {"waiting", waiting_list(ended.waiting)},
            {"triage_seconds", ended.triage_seconds},
            {"samples", sample_list(store)},
            {"exit_code", ended.exit_code}};
  if (!ended.stopped.empty()) c["stopped"] = ended.stopped;
  if (!ended.engines.empty()) c["engines"] = ended.engines;
  if (!ended.walls.empty()) c["engines_kept_from"] = ended.walls;
  if (!ended.worker_walls.empty()) c["workers_kept_from"] = ended.worker_walls;
  if (!ended.shards.here.empty())
    c["shards"] = {{"of", ended.shards.of}, {"here", ended.shards.here}};
  if (!ended.corpus.empty()) c["corpus"] = json::parse(ended.corpus);
  if (!o.campaign.given.empty()) c["given"] = given_list(o.campaign);
  else if (!ended.given.empty()) c["given"] = json::parse(ended.given);
  if (o.campaign.use == Use::Check) c["check"] = true;
  write_atomically(o.out + "/campaign.json",
                   findings.put_into(c.dump(2, ' ', true, json::error_handler_t::replace)) + "\n");
  std::string text = summary(c, findings);
  write_atomically(o.out + "/summary.md", text);
  if (o.progress && isatty(STDERR_FILENO)) clear_progress_line();
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  std::fprintf(stderr, "drawing %s\n", visible_line(o.out + "/campaign.png").c_str());
  std::string drawn = run_report({"campaign", o.out});
  if (!drawn.empty()) std::fprintf(stderr, "no picture: %s\n", drawn.c_str());
}

}  // namespace fusillade::fuzz
