// fusillade repro, bisect, reduce: one saved case.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "engine/base/file.h"
#include "engine/base/shell.h"
#include "engine/base/visible.h"
#include "engine/run/plan.h"
#include "fuzz/bisect/bisect.h"
#include "fuzz/case/against.h"
#include "fuzz/cli/duration.h"
#include "fuzz/cli/engines.h"
#include "fuzz/cli/folder.h"
#include "fuzz/cli/limits.h"
#include "fuzz/cli/load_case.h"
#include "fuzz/cli/plans.h"
#include "fuzz/cli/verb.h"
#include "fuzz/judge/judge.h"
#include "fuzz/process/room.h"
#include "fuzz/reduce/reduce.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/foreign/script.h"
#include "fuzz/run/foreign/versions.h"
#include "fuzz/run/other_build.h"
#include "fuzz/triage/finding.h"

namespace fusillade::cli {
namespace {

using fuzz::Verdict;
using fuzz::VerdictKind;

struct CaseOptions {
  std::vector<std::string> files;
  std::string timeout;
  size_t megabytes = 2048;
  std::string budget = "60s";
  std::string out;
  std::string plan;
  std::string against;
  std::string script;
  int times = 1;

  fuzz::Limits limits(const fuzz::Case& c) const {
    const fuzz::Limits out{timeout_of(timeout, c.plans), megabytes};
    fuzz::require_room(out);
    return out;
  }
};

void add_limits(CLI::App& app, CaseOptions& o) {
  app.add_option("--timeout", o.timeout, kTimeoutHelp);
  app.add_option("--rss-limit-mb", o.megabytes,
                 "limit for each judgement; more is the verdict memory");
  app.add_option("--plan", o.plan, "judge this plan instead of the case's");
  app.add_option("--against", o.against,
                 "the other build that a case of `fuzz --against` is about");
  declare_engines(app);
}

// What an option is about must be there, and its value be one, though nothing fails.
void check_options(const CaseOptions& o) {
  parse_duration("--budget", o.budget);
  if (o.against.empty()) return;
  const bool any = std::any_of(o.files.begin(), o.files.end(), [](const std::string& file) {
    return fuzz::read_case(file).oracle == fuzz::kAgainst;
  });
  if (!any)
    fail("--against: {} is not about another build (oracle: {}), as cases of fuzz --against are",
         o.files.size() == 1 ? o.files[0] : "none of the cases", fuzz::kAgainst);
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

// A folder means the cases in it: of a finding its reduced one, of a campaign that of each finding,
// of any other all that it contains.
std::vector<std::string> cases_of(const std::vector<std::string>& files) {
  namespace fs = std::filesystem;
  std::vector<std::string> out;
  for (const std::string& file : files) {
    if (!fs::is_directory(file)) {
      out.push_back(file);
      continue;
    }
    std::vector<std::string> found;
    const fs::path findings = fs::path(file) / "findings";
    const fs::path one = fs::path(file) / "reduced.case";
    if (fs::exists(one)) found.push_back(one);
    for (const fs::path& in :
         fs::is_directory(findings) ? files_in(findings) : std::vector<fs::path>())
      if (fuzz::is_finding_folder(in) && fs::exists(in / "reduced.case"))
        found.push_back(in / "reduced.case");
    if (found.empty())
      for (const fs::path& in : files_in(file))
        if (in.extension() == ".case") found.push_back(in);
    if (found.empty()) fail("there is no case in the folder {}", file);
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

std::vector<std::string> one_case_of(const std::vector<std::string>& files) {
  std::vector<std::string> out = cases_of(files);
  if (out.size() != 1) fail("{} holds {} cases: name one of them", files[0], out.size());
  return out;
}

int exit_code_of(VerdictKind kind) {
  if (!fuzz::is_finding(kind)) return kOk;
  if (kind == VerdictKind::Hang) return kTimeout;
  return kind == VerdictKind::Memory ? kMemory : kReproduced;
}

void print_verdict(const std::string& file, const Verdict& v) {
  fmt::print("{}\n", visible_line(file + ": " + name_of(v.kind) +
                                  (v.reason.empty() ? "" : " (" + v.reason + ")") +
                                  (v.plan.empty() ? "" : " under " + v.plan.text)));
  if (!v.detail.empty()) fmt::print("{}\n", visible_lines(v.detail));
}

// For the people who maintain the external engine that fails.
void write_script(const CaseOptions& o, fuzz::Case& c, const Verdict& v) {
  if (!fuzz::is_finding(v.kind))
    fail("--script {}: there is no such script: nothing fails", o.script);
  if (!v.plan.empty()) c.plans = {v.plan};
  c.oracle = v.oracle;
  std::string why = fuzz::save_script(o.script, c, v, o.limits(c), o.script + ".tried");
  if (!why.empty()) fail("--script {}: there is no such script: {}", o.script, why);
  fmt::print("Without Fusillade, exits 77 while it fails: {}\n", o.script);
}

int repro_files(const CaseOptions& o) {
  check_options(o);
  if (!o.script.empty() && o.files.size() != 1) fail("--script: of one case at a time");
  if (!o.script.empty()) make_place_for(o.script);
  int worst = kOk;
  for (const std::string& file : o.files) {
    fuzz::Case c = load_case(file, o.plan, o.against);
    int reproduced = 0;
    Verdict last;
    for (int i = 0; i < o.times; ++i) {
      Verdict v = fuzz::judge_fairly(c, o.limits(c));
      if (fuzz::is_finding(v.kind)) {
        ++reproduced;
        last = v;
      } else if (reproduced == 0) {
        last = v;
      }
    }
    print_verdict(file, last);
    report_other_versions(c, file);
    if (o.times > 1) fmt::print("reproduced {} of {}\n", reproduced, o.times);
    if (fuzz::is_finding(last.kind)) {
      fmt::print(
          "Reduce with: fusillade reduce {0}\nBisect with: fusillade bisect {0}\n",
          visible_line(shell_word(file) + fuzz::family_flags(c) + fuzz::OtherBuild::flags()));
    }
    if (!o.script.empty()) write_script(o, c, last);
    worst = std::max(worst, exit_code_of(last.kind));
  }
  return worst;
}

VERB(repro, "run saved cases again, each in a fresh process") {
  auto o = std::make_shared<CaseOptions>();
  app.add_option("case", o->files,
                 "case files, or folders: of a finding, of a campaign, or of cases")
      ->required();
  app.add_option("--times", o->times, "how often each case is judged")->check(CLI::Range(1, 10000));
  app.add_option(
      "--script", o->script,
      "file for a script that shows the failure of an external engine without Fusillade");
  add_limits(app, *o);
  return [o] {
    o->files = cases_of(o->files);
    return repro_files(*o);
  };
}

int bisect_file(const CaseOptions& o) {
  check_options(o);
  const std::string& file = o.files[0];
  fuzz::Case c = load_case(file, o.plan, o.against);
  if (c.plans.empty()) fail("{} names no plan; give one with --plan", file);
  for (const Plan& plan : c.plans) {
    fuzz::Case one = c.clone();
    one.plans = {plan};
    if (!fuzz::is_finding(fuzz::judge_fairly(one, o.limits(one)).kind)) continue;
    fuzz::Blame b = fuzz::bisect(one, o.limits(c), parse_duration("--budget", o.budget));
    fmt::print("blame: {}\nplan:  {}\n", visible_line(print(b.who)), visible_line(b.plan.text));
    if (!b.note.empty()) fmt::print("{}\n", visible_lines(b.note));
    if (!b.complete) fmt::print("the time ran out first; --budget gives more\n");
    if (!b.oracle.empty()) fmt::print("shown by the oracle {}\n", b.oracle);
    if (b.rewrite) fmt::print("rewrite {}: {}\n", b.rewrite, visible_lines(b.node));
    fmt::print("checks: {}\n", b.checks);
    return kReproduced;
  }
  fmt::print("{}: not reproduced, nothing to blame\n", visible_line(file));
  return kOk;
}

VERB(bisect, "find the pass, rewrite, fuser, back end, operator or part that makes a case fail") {
  auto o = std::make_shared<CaseOptions>();
  app.add_option("case", o->files, "case file, or the folder of a finding")
      ->required()
      ->expected(1);
  app.add_option("--budget", o->budget, "limit of the whole time");
  add_limits(app, *o);
  return [o] {
    o->files = one_case_of(o->files);
    return bisect_file(*o);
  };
}

int reduce_file(const CaseOptions& o) {
  check_options(o);
  const std::string& file = o.files[0];
  if (!o.out.empty()) make_place_for(o.out);
  fuzz::Case c = load_case(file, o.plan, o.against);
  Verdict v = fuzz::judge_fairly(c, o.limits(c));
  if (!fuzz::is_finding(v.kind)) {
    print_verdict(file, v);
    fmt::print("not a failure, nothing to reduce\n");
    return kOk;
  }
  if (!v.plan.empty()) c.plans = {v.plan};
  c.oracle = v.oracle;
  fuzz::Reduced r = fuzz::reduce(c, o.limits(c), parse_duration("--budget", o.budget));
  fuzz::note_engines(r.smallest);
  std::string out = o.out.empty() ? file + ".min" : o.out;
  write_atomically(out, fuzz::print(r.smallest));
  fmt::print("{} -> {} operator nodes in {} trials: {}\n", fuzz::program_nodes(*c.program),
             fuzz::program_nodes(*r.smallest.program), r.trials, visible_line(out));
  if (!r.complete) fmt::print("the time ran out first; --budget gives more\n");
  return exit_code_of(r.verdict.kind);
}

VERB(reduce, "shrink a case while it fails in the same way") {
  auto o = std::make_shared<CaseOptions>();
  app.add_option("case", o->files, "case file, or the folder of a finding")
      ->required()
      ->expected(1);
  app.add_option("--out", o->out, "where the reduced case goes (default: CASE.min)");
  app.add_option("--budget", o->budget, "limit of the whole time");
  add_limits(app, *o);
  return [o] {
    o->files = one_case_of(o->files);
    return reduce_file(*o);
  };
}

VERB(show, "print a case as text") {
  auto o = std::make_shared<CaseOptions>();
  app.add_option("case", o->files,
                 "case files, or folders: of a finding, of a campaign, or of cases")
      ->required();
  return [o] {
    for (const std::string& file : cases_of(o->files))
      fmt::print("{}", fuzz::print(fuzz::read_case(file)));
    return static_cast<int>(kOk);
  };
}

}  // namespace
}  // namespace fusillade::cli
