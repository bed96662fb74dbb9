// See triage.h.
#include "fuzz/triage/triage.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "engine/base/durable.h"
#include "engine/base/file.h"
#include "engine/base/options.h"
#include "engine/base/shell.h"
#include "engine/base/visible.h"
#include "engine/run/plan.h"
#include "fuzz/bisect/bisect.h"
#include "fuzz/bisect/operator_alone.h"
#include "fuzz/judge/judge.h"
#include "fuzz/judge/whose_limit.h"
#include "fuzz/process/installed.h"
#include "fuzz/process/service.h"
#include "fuzz/reduce/reduce.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/foreign/versions.h"
#include "fuzz/run/other_build.h"
#include "fuzz/triage/finding.h"
#include "fuzz/triage/join.h"
#include "fuzz/triage/triage_progress.h"

namespace fusillade::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kCloseToLimit = "ends, near the limit of time";

using SecondsLeft = std::function<double()>;  // until the budget ends

constexpr int kConfirmations = 3;
constexpr int kTriesOfDeaths = 8;     // of an external engine, until one comes
constexpr int kTriesOfATrial = 3;     // of such a death
constexpr double kHangShare = 0.1;    // of the time per judgement, for trials of what never ends
constexpr double kHangFactor = 20;    // and that of eager mode, so many times
constexpr double kLeastOfHang = 0.3;  // seconds

// Default flags of the script, used where no argument names one of their kind.
std::string unless_given(const std::string& kinds, const std::string& flags) {
  if (flags.empty()) return "";
  return "case \" $*\" in " + kinds + ") ;; *) set -- " + flags + " \"$@\" ;; esac\n";
}

// May be moved, with its folder, to another machine.
std::string repro_script(const Case& c, const Limits& limits) {
  const std::string own = own_executable();
  return "#!/bin/sh\n"
         "# Exits 77 (70 for a hang, 71 for memory) while the bug lives, 0 once it is gone. "
         "FUSILLADE names another binary;\n"
         "# arguments are flags of `fusillade repro`, as in --engine NAME=WORKER of another "
         "place.\n"
         "binary=" +
         shell_word(own.empty() ? "fusillade" : own) +
         "\n[ -x \"$binary\" ] || binary=fusillade\n" +
         unless_given("*' --timeout'*", fmt::format("--timeout={}s", limits.seconds)) +
         unless_given("*' --rss-limit-mb'*", fmt::format("--rss-limit-mb={}", limits.megabytes)) +
         unless_given("*' --engine'* | *' --against'*", family_flags(c) + OtherBuild::flags()) +
         "exec env " + options_in_force() +
         "\"${FUSILLADE:-$binary}\" repro \"$(dirname \"$0\")/reduced.case\" \"$@\"\n";
}

// A case that does not fail each time; what it was reported with distinguishes it from others.
Triaged flaky(const Case& c, Triaged t) {
  t.verdict.kind = VerdictKind::Flaky;
  t.verdict.oracle = c.oracle;
  t.blame = {CulpritKind::Flaky, fmt::format("{} of {}", t.reproduced, t.tried), {}};
  t.cause.verdict = name_of(VerdictKind::Flaky);
  t.cause.part = read_culprit(c.oracle);
  t.cause.message = c.verdict + (c.notes.empty() ? "" : " " + normalise(c.notes[0]));
  t.cause.operators = operators_in(c);
  t.cause.plan = c.plans.empty() ? "" : c.plans[0].text;
  return t;
}

// Who is to blame; the case is then of that plan and oracle. An operator that fails by itself is as
// small as a program gets.
Blame first_blame(Triaged& t, const Limits& limits, double budget, int tries) {
  Blame blame = bisect(t.reduced, limits, budget, tries);
  if (!blame.plan.empty() && !blame.who.is(CulpritKind::NotReproduced))
    t.reduced.plans = {blame.plan};
  if (blame.shown_by) t.reduced = blame.shown_by->clone();
  if (!blame.oracle.empty()) {
    t.reduced.oracle = blame.oracle;
    t.verdict = judge_often(t.reduced, limits, tries);
  }
  if (blame.who.is(CulpritKind::Operator)) {
    auto alone = operator_alone(t.reduced, t.verdict, limits);
    if (alone && same_failure(judge_isolated(alone->program, limits), t.verdict))
      t.reduced = std::move(alone->program);
  }
  return blame;
}

// Blamed, reduced, and blamed again: the reduced case is what people read, and it must still be the
// same culprit.
void blame_and_reduce(Triaged& t, const Limits& limits, const SecondsLeft& left, int tries,
                      const TriageProgress& progress) {
  Blame blame;
  if (t.blame.is(CulpritKind::Unknown)) {
    blame = first_blame(t, limits, left() / 2, tries);
    const bool whole = blame.complete && !blame.who.is(CulpritKind::NotReproduced);
    if (whole) std::tie(t.blame, t.note) = std::tie(blame.who, blame.note);
  } else {
    std::tie(blame.who, blame.note) = std::tie(t.blame, t.note);
  }
  progress.keep(t);
  Reduced smaller = reduce(t.reduced, limits, left() * 2 / 3, tries, [&](const Case& kept) {
    t.reduced = kept.clone();
    progress.keep(t);
  });
  t.reduced = std::move(smaller.smallest);
  const double rest = left();
  Blame again = rest > 0 ? bisect(t.reduced, limits, rest, tries) : blame;
  const Blame& final_blame =
      again.complete && !again.who.is(CulpritKind::NotReproduced) ? again : blame;
  t.blame = final_blame.who;
  t.note = final_blame.complete ? final_blame.note : "as far as the time for blame went";
  if (!smaller.complete)
    t.note += std::string(t.note.empty() ? "" : "; ") +
              "not reduced to the end, for lack of time: fusillade reduce --budget goes on";
  if (!final_blame.plan.empty()) t.reduced.plans = {final_blame.plan};
  if (!final_blame.oracle.empty()) t.reduced.oracle = final_blame.oracle;
}

bool on_engine_outside(const Case& c) {
  return std::any_of(c.plans.begin(), c.plans.end(),
                     [](const Plan& plan) { return is_outside(plan.engine); });
}

// Each trial of what never ends takes the whole time that it may, so trials may take less of it:
// some times what eager mode takes.
Limits limits_of_hangs(const Case& c, const Limits& limits) {
  Limits trials = limits;
  trials.seconds = std::max(kHangShare * limits.seconds, std::min(kLeastOfHang, limits.seconds));
  Case bare = c.clone();
  bare.plans = {reference_plan()};
  const auto start = Clock::now();
  if (judge_isolated(bare, trials).kind == VerdictKind::Hang) return trials;
  const double eager = std::chrono::duration<double>(Clock::now() - start).count();
  trials.seconds = std::clamp(kHangFactor * eager, std::min(kLeastOfHang, limits.seconds),
                              std::max(trials.seconds, limits.seconds / 2));
  return trials;
}

// Does it end, and does a unit of it take so long that its limit of time is what failed it? One
// that hangs now and then ends soon where it does not.
bool ends_close_to_limit(const Case& c, const Limits& limits) {
  constexpr double kMore = 3, kLess = 0.5;  // of the limit
  const auto hangs = [&](double share) {
    return judge_isolated(c, {share * limits.seconds, limits.megabytes}).kind == VerdictKind::Hang;
  };
  return hangs(kLess) && hangs(kLess) && !hangs(kMore);
}

// One of ours that does not end.
bool hangs_here(const Case& c, const std::string& verdict) {
  return verdict == name_of(VerdictKind::Hang) && !on_engine_outside(c);
}

// The case as found, with the plan and the oracle that showed it, and no blame but the oracle's:
// people must get a case that fails, and the reduced one does not. False where this does not,
// either.
bool as_found(Triaged& t, const Case& c, const Verdict& shown, const Limits& limits, int tries) {
  t.reduced = c.clone();
  if (!shown.plan.empty()) t.reduced.plans = {shown.plan};
  t.reduced.oracle = shown.oracle;
  t.blame =
      read_culprit(shown.kind == VerdictKind::Slow && !shown.part.empty() ? shown.part : "unknown");
  t.note = "what it was reduced to stopped failing";
  const Verdict v = judge_often(t.reduced, limits, std::max(tries, kConfirmations));
  if (!is_finding(v.kind) || v.oracle != t.reduced.oracle) return false;
  t.verdict = v;
  return true;
}

// Fills in blame and the reduced case, which fails under `limits`. What hangs is tried under
// `trials`, and must hang under `limits` in the end: that much time is kept for it. False where
// it does not fail in the end.
bool find_cause(Triaged& t, const Case& c, const Limits& limits, const Limits& trials,
                const SecondsLeft& left, const TriageProgress& progress) {
  const Verdict shown = t.verdict;
  const bool dies_outside = shown.kind == VerdictKind::Crash && on_engine_outside(c);
  const int tries = dies_outside ? kTriesOfATrial : 1;
  const bool hangs = hangs_here(c, name_of(shown.kind));
  const SecondsLeft before_the_end = [&] { return std::max(0.0, left() - limits.seconds); };
  if (!shown.plan.empty()) t.reduced.plans = {shown.plan};
  t.reduced.oracle = shown.oracle;
  blame_and_reduce(t, hangs ? trials : limits, hangs ? before_the_end : left, tries, progress);
  Verdict last = hangs ? judge_fairly(t.reduced, limits) : judge_often(t.reduced, limits, tries);
  if (hangs && last.kind != VerdictKind::Hang) {  // the trials had too little time to decide
    t.reduced = c.clone();
    t.blame = {};
    blame_and_reduce(t, limits, left, tries, progress);
    last = judge_fairly(t.reduced, limits);
  }
  const bool same = is_finding(last.kind) && last.oracle == t.reduced.oracle;
  if (!same) return !hangs && as_found(t, c, shown, limits, tries);
  t.verdict = last;
  return true;
}

// Most known causes are of another message, which hangs on the part alone.
bool join_known_cause(Triaged& t, const Case& c, const Limits& limits,
                      const std::vector<KnownCause>& known) {
  const std::string verdict = name_of(t.verdict.kind);
  std::map<Culprit, std::string> messages;  // by part
  for (const KnownCause& k : known) {
    if (k.cause.verdict != verdict) continue;
    auto [message, fresh] = messages.try_emplace(k.cause.part);
    if (fresh) message->second = cause_of(t.verdict, k.cause.part, c).message;
    if (message->second != k.cause.message) continue;
    if (!matches_cause(c, t.verdict, k.cause, limits)) continue;
    t.bucket = k.bucket;
    t.cause = k.cause;
    t.joined = true;
    return true;
  }
  return false;
}

// Goes on where a triage was cut short, if what it left still fails.
bool goes_on(Triaged& t, const Limits& trials, const TriageProgress& progress) {
  std::optional<Triaged> before = progress.read();
  if (!before) return false;
  const int tries = on_engine_outside(before->reduced) ? kTriesOfATrial : 1;
  Verdict v = judge_often(before->reduced, trials, tries);
  if (!is_finding(v.kind)) return false;
  before->verdict = std::move(v);
  before->nodes = t.nodes;
  t = std::move(*before);
  return true;
}

// In fresh processes. True: there is no more to do, for it joined a cause, or was only to join one.
bool confirm(Triaged& t, const Case& c, const Limits& limits, const Limits& trials,
             const std::vector<KnownCause>& known, bool only_join) {
  const bool died_outside = c.verdict == name_of(VerdictKind::Crash) && on_engine_outside(c);
  const bool hung = hangs_here(c, c.verdict);
  int enough = kConfirmations;
  for (; t.tried < enough; ++t.tried) {
    Verdict v = judge_isolated(c, t.tried == 0 ? trials : limits);
    if (hung && t.tried == 0 && v.kind != VerdictKind::Hang) v = judge_isolated(c, limits);
    const bool waits = died_outside && t.reproduced == 0 && !is_finding(v.kind);
    if (waits) enough = kTriesOfDeaths;
    if (!is_finding(v.kind)) continue;
    ++t.reproduced;
    t.verdict = v;
    if (v.kind == VerdictKind::Hang) enough = t.tried + 1;  // each takes the whole time
    if (t.reproduced > 1) continue;
    if (join_known_cause(t, c, limits, known) || only_join) return true;
  }
  return false;
}

}  // namespace

Triaged triage(const Case& c, const Limits& limits, double budget,
               const std::vector<KnownCause>& known, bool only_join, const std::string& kept) {
  const SecondsLeft seconds_left = [budget, start = Clock::now()] {
    return std::max(0.0, budget - std::chrono::duration<double>(Clock::now() - start).count());
  };
  Triaged t;
  t.reduced = c.clone();
  t.nodes = program_nodes(*c.program);
  const bool died_outside = c.verdict == name_of(VerdictKind::Crash) && on_engine_outside(c);
  const Limits trials = hangs_here(c, c.verdict) ? limits_of_hangs(c, limits) : limits;
  const TriageProgress progress(kept);
  if (goes_on(t, trials, progress)) {
    if (join_known_cause(t, c, limits, known) || only_join) return t;
  } else if (confirm(t, c, limits, trials, known, only_join)) {
    return t;
  }
  // Whether memory that is destroyed ends a process hangs on where it lies.
  const bool comes_and_goes =
      t.reproduced > 0 && t.verdict.kind == VerdictKind::Crash && died_outside;
  bool confirmed = t.reproduced == t.tried || comes_and_goes;
  if (confirmed && !find_cause(t, c, limits, trials, seconds_left, progress)) {
    confirmed = false;
    ++t.tried;
    if (hangs_here(c, c.verdict)) t.reproduced = 0;  // nothing but the trials showed it
    t.reduced = c.clone();
  }
  if (!confirmed && c.verdict == name_of(VerdictKind::Memory)) t.let_go = kTooLarge;
  if (!confirmed && c.verdict == name_of(VerdictKind::Hang) && ends_close_to_limit(c, limits))
    t.let_go = kCloseToLimit;
  if (!t.let_go.empty()) return t;
  if (!confirmed) {
    t = flaky(c, std::move(t));
  } else {
    t.reduced.verdict = name_of(t.verdict.kind);
    t.reduced.blame = print(t.blame);
    note_engines(t.reduced);
    t.nodes = program_nodes(*t.reduced.program);
    t.cause = cause_of(t.verdict, t.blame, t.reduced);
  }
  t.bucket = bucket_name(t.cause);
  for (const KnownCause& k : known)
    if (same_cause(k.cause, t.cause)) t.bucket = k.bucket;
  return t;
}

std::string write_finding(const std::string& out, const Case& original, const Triaged& t,
                          const Limits& limits) {
  std::string relative = "findings/" + t.bucket;
  std::string folder = out + "/" + relative;
  struct stat s;
  if (stat(folder.c_str(), &s) == 0) return relative + "/reduced.case";
  std::string part = folder + ".part";
  make_folder(part);
  write_atomically(part + "/original.case", print(original));
  write_atomically(part + "/reduced.case", print(t.reduced));
  write_atomically(part + "/repro.sh", repro_script(t.reduced, limits));
  chmod((part + "/repro.sh").c_str(), 0755);
  write_finding_files(part, finding_of(t, original.origin));
  rename_for_good(part, folder);
  return relative + "/reduced.case";
}

}  // namespace fusillade::fuzz
