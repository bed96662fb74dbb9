// See triage.h.
#include "fuzz/triage/triage.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>

#include "engine/base/file.h"
#include "engine/base/shell.h"
#include "engine/run/plan.h"
#include "fuzz/bisect/bisect.h"
#include "fuzz/bisect/row_alone.h"
#include "fuzz/judge/judge.h"
#include "fuzz/process/service.h"
#include "fuzz/reduce/reduce.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/foreign/script.h"
#include "fuzz/triage/join.h"

namespace fusillade::fuzz {
namespace {

constexpr int kConfirmations = 3;

std::string readme(const Triaged& t) {
  std::string text = fmt::format(
      "# {}\n\n- verdict: {} ({}), found by the oracle `{}`\n- blame: {}\n- plan: `{}`\n"
      "- cases: 1\n- reproduced: {} of {} fresh processes\n- reduced program: {} operator "
      "node(s)\n",
      t.bucket, name_of(t.verdict.kind), t.cause.message, t.verdict.oracle,
      t.blame + (t.note.empty() ? "" : " (" + t.note + ")"),
      t.reduced.plans.empty() ? "-" : t.reduced.plans[0], t.reproduced, t.tried, t.nodes);
  if (!t.verdict.detail.empty()) text += "\n```\n" + t.verdict.detail + "\n```\n";
  text += "\n## Reduced program\n\n```\n" +
          (t.reduced.script.empty() ? print(*t.reduced.program) : t.reduced.script) + "```\n";
  text +=
      "\n## Commands\n\nRun here; `fusillade` is the binary of the build that found it.\n\n```\n"
      "sh repro.sh                                  # exits 77, 70 or 71 while the bug lives\n"
      "fusillade repro reduced.case" +
      family_flags() + "\nfusillade bisect reduced.case" + family_flags() +
      "\nfusillade show reduced.case\n```\n"
      "\nTo keep it as a regression test, copy `reduced.case` into `suites/regress/`.\n";
  return text;
}

std::string repro_script(const Limits& limits) {
  char self[4096];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  std::string binary = n > 0 ? std::string(self, static_cast<size_t>(n)) : "fusillade";
  return "#!/bin/sh\n"
         "# Exits 77 (70 for a hang, 71 for memory) while the bug lives, 0 once it is gone. "
         "FUSILLADE names another binary.\n"
         "binary=" +
         shell_word(binary) +
         "\ncd \"$(dirname \"$0\")\" && exec \"${FUSILLADE:-$binary}\" repro reduced.case" +
         fmt::format(" --timeout={}s --rss-limit-mb={}{}\n", limits.seconds, limits.megabytes,
                     family_flags());
}

// A case that does not fail each time; what it was reported with tells it from others.
Triaged flaky(const Case& c, Triaged t) {
  t.verdict.kind = VerdictKind::Flaky;
  t.verdict.oracle = c.oracle;
  t.blame = fmt::format("flaky, {} of {}", t.reproduced, t.tried);
  t.cause.verdict = name_of(VerdictKind::Flaky);
  t.cause.part = c.oracle;
  t.cause.message = c.verdict + (c.notes.empty() ? "" : " " + normalised(c.notes[0]));
  t.cause.plan = c.plans.empty() ? "" : c.plans[0];
  return t;
}

// Blamed, reduced, and blamed again: the reduced case is what people read, and it must still be the
// same culprit. A row that fails by itself is as small as a program gets.
void blame_and_reduce(Triaged& t, const Limits& limits, const std::function<double()>& left) {
  Blame blame = bisect(t.reduced, limits, left() / 2);
  if (!blame.plan.empty() && blame.who != "not reproduced") t.reduced.plans = {blame.plan};
  if (!blame.oracle.empty()) {
    t.reduced.oracle = blame.oracle;
    t.verdict = judge_isolated(t.reduced, limits);
  }
  if (blame.who.starts_with("row ")) {
    auto alone = row_alone(t.reduced, t.verdict, limits);
    if (alone && same_failure(judge_isolated(alone->program, limits), t.verdict))
      t.reduced = std::move(alone->program);
  }
  Reduced smaller = reduce(t.reduced, limits, left() * 2 / 3);
  t.reduced = std::move(smaller.smallest);
  const double rest = left();
  Blame again = rest > 0 ? bisect(t.reduced, limits, rest) : blame;
  const Blame& final_blame = again.who == "not reproduced" ? blame : again;
  t.blame = final_blame.who;
  t.note = final_blame.note;
  if (!final_blame.plan.empty()) t.reduced.plans = {final_blame.plan};
}

// For findings in engines outside, where there is one: a script without Fusillade.
void write_script(const std::string& path, const Triaged& t, const Limits& limits) {
  if (t.reduced.plans.empty() || !is_outside(parse_plan(t.reduced.plans[0]).engine)) return;
  start_outside(t.reduced.plans);
  const Service::Lent lent;
  ChildResult r = run_isolated(
      [&]() -> std::string {
        try {
          return script_of(t.reduced, t.verdict);
        } catch (const Exception&) {  // no such script
          return "";
        }
      },
      limits);
  if (!r.output.empty()) write_atomically(path, r.output);
}

}  // namespace

Triaged triage(const Case& c, const Limits& limits, double budget,
               const std::vector<KnownCause>& known, bool only_join) {
  using Clock = std::chrono::steady_clock;
  auto left = [&, start = Clock::now()] {
    return std::max(0.0, budget - std::chrono::duration<double>(Clock::now() - start).count());
  };
  Triaged t;
  t.tried = kConfirmations;
  t.reduced = c.clone();
  t.nodes = program_nodes(*c.program);
  for (int i = 0; i < kConfirmations; ++i) {
    Verdict v = judge_isolated(c, limits);
    if (!is_finding(v.kind)) continue;
    ++t.reproduced;
    t.verdict = v;
    if (i > 0) continue;
    for (const KnownCause& k : known) {
      if (!joins(c, v, k.cause, limits)) continue;
      t.bucket = k.bucket;
      t.cause = k.cause;
      t.joined = true;
      return t;
    }
    if (only_join) return t;
  }
  if (t.reproduced < t.tried) {
    t = flaky(c, std::move(t));
  } else {
    if (!t.verdict.plan.empty()) t.reduced.plans = {t.verdict.plan};
    blame_and_reduce(t, limits, left);
    Verdict last = judge_isolated(t.reduced, limits);
    if (is_finding(last.kind)) t.verdict = last;
    t.reduced.verdict = name_of(t.verdict.kind);
    t.reduced.blame = t.blame;
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
  mkdir(part.c_str(), 0755);
  write_atomically(part + "/original.case", print(original));
  write_atomically(part + "/reduced.case", print(t.reduced));
  write_atomically(part + "/README.md", readme(t));
  write_atomically(part + "/repro.sh", repro_script(limits));
  write_script(part + "/script.py", t, limits);
  chmod((part + "/repro.sh").c_str(), 0755);
  if (rename(part.c_str(), folder.c_str()) != 0) {
    fail("cannot rename {} to {}: {}", part, folder, std::strerror(errno));
  }
  return relative + "/reduced.case";
}

void write_case_count(const std::string& out, const std::string& bucket, int64_t cases) {
  const std::string path = out + "/findings/" + bucket + "/README.md";
  struct stat s;
  if (stat(path.c_str(), &s) != 0) return;
  std::string text = read_text_file(path);
  const size_t at = text.find("\n- cases: ");
  if (at == std::string::npos) return;
  const size_t end = text.find('\n', at + 1);
  write_atomically(path, text.replace(at, end - at, fmt::format("\n- cases: {}", cases)));
}

}  // namespace fusillade::fuzz
