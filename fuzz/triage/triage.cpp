// See triage.h.
#include "fuzz/triage/triage.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <set>

#include "engine/base/file.h"
#include "engine/base/shell.h"
#include "engine/ops/kind_name.h"
#include "engine/run/plan.h"
#include "engine/scalar/ring.h"
#include "fuzz/bisect/bisect.h"
#include "fuzz/judge/judge.h"
#include "fuzz/process/service.h"
#include "fuzz/reduce/reduce.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/foreign/script.h"

namespace fusillade::fuzz {
namespace {

constexpr int kConfirmations = 3;

// What a program is made of, each word once, sorted: by names, its ops; else the kinds of its ops,
// with a mark on those that write, and the classes of its inputs' dtypes.
void add_words(const Block* block, bool names, std::set<std::string>& words) {
  for (const Node* n : block->nodes()) {
    const Row& row = n->row();
    if (!n->is(prim::constant()) && !n->is(prim::list_construct()))
      words.insert(names ? row.schema.name
                         : std::string(name_of(row.kind)) + (row.schema.writes() ? "!" : ""));
    for (const Block* inner : n->blocks()) add_words(inner, names, words);
  }
}

const char* class_of(DType dtype) {
  if (dtype == DType::Bool) return "bool";
  if (is_int(dtype)) return "int";
  return size_of(dtype) == 2 ? "half" : "float";
}

std::string skeleton(const Graph& graph, bool names) {
  std::set<std::string> words;
  add_words(graph.block(), names, words);
  for (const Value* v : graph.inputs()) {
    if (!names && v->type().is_tensor() && v->type().info().has_dtype)
      words.insert(class_of(v->type().info().dtype));
  }
  std::string out;
  for (const std::string& w : words) out += w + " ";
  return out;
}

std::string hash12(const std::string& text) {
  uint64_t h = 0x5eed;
  for (char c : text) h = ring_hash(h, static_cast<unsigned char>(c));
  return fmt::format("{:012x}", h & 0xffffffffffffULL);
}

// Blame and what is left of the program. A guilty pass, fuser or back end meets one bug with many
// ops, so there the kinds of ops and dtypes tell bugs apart; for engines it is the ops themselves.
std::string bucket_of(const Triaged& t) {
  bool by_op =
      Table<Engine>::instance().find(t.blame) || t.blame == t.verdict.oracle || t.blame.empty();
  std::string key = t.blame + "|" + t.verdict.reason + "|" + skeleton(*t.reduced.program, by_op);
  return fmt::format("{}-{}-{}", name_of(t.verdict.kind), t.verdict.oracle, hash12(key));
}

std::string readme(const Triaged& t) {
  std::string text = fmt::format(
      "# {}\n\n- verdict: {} ({}), found by the oracle `{}`\n- blame: {}\n- plan: `{}`\n"
      "- reproduced: {} of {} fresh processes\n- reduced program: {} operator node(s)\n",
      t.bucket, name_of(t.verdict.kind), t.verdict.reason, t.verdict.oracle, t.blame,
      t.reduced.plans.empty() ? "-" : t.reduced.plans[0], t.reproduced, t.tried, t.nodes);
  if (!t.verdict.detail.empty()) text += "\n```\n" + t.verdict.detail + "\n```\n";
  text += "\n## Reduced program\n\n```\n" +
          (t.reduced.script.empty() ? print(*t.reduced.program) : t.reduced.script) + "```\n";
  text +=
      "\n## Commands\n\nRun here; `fusillade` is the binary of the build that found it.\n\n```\n"
      "sh repro.sh                                  # exits 77, 70 or 71 while the bug lives\n"
      "fusillade repro reduced.case\nfusillade bisect reduced.case\nfusillade show "
      "reduced.case\n```\n"
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

Triaged triage(const Case& c, const Limits& limits, double budget) {
  Triaged t;
  t.tried = kConfirmations;
  for (int i = 0; i < kConfirmations; ++i) {
    Verdict v = judge_isolated(c, limits);
    if (!is_finding(v.kind)) continue;
    ++t.reproduced;
    t.verdict = v;
  }
  t.reduced = c.clone();
  t.nodes = program_nodes(*c.program);
  if (t.reproduced < t.tried) {
    t.verdict.kind = VerdictKind::Flaky;
    t.verdict.oracle = c.oracle;
    t.blame = fmt::format("flaky, {} of {}", t.reproduced, t.tried);
    t.bucket = fmt::format("flaky-{}-{}", c.oracle,
                           hash12(c.origin + (c.plans.empty() ? "" : c.plans[0])));
    return t;
  }
  if (!t.verdict.plan.empty()) t.reduced.plans = {t.verdict.plan};
  Blame blame = bisect(t.reduced, limits, budget / 4);
  if (!blame.plan.empty() && blame.who != "not reproduced") t.reduced.plans = {blame.plan};
  Reduced smaller = reduce(t.reduced, limits, budget / 2);
  t.reduced = std::move(smaller.smallest);
  // The reduced case is blamed again: it is what people read, and it must still be the same
  // culprit.
  Blame again = bisect(t.reduced, limits, budget / 4);
  const Blame& final_blame = again.who == "not reproduced" ? blame : again;
  t.blame = final_blame.who;
  if (!final_blame.plan.empty()) t.reduced.plans = {final_blame.plan};
  Verdict last = judge_isolated(t.reduced, limits);
  if (is_finding(last.kind)) t.verdict = last;
  t.reduced.verdict = name_of(t.verdict.kind);
  t.reduced.blame = t.blame;
  t.nodes = program_nodes(*t.reduced.program);
  t.bucket = bucket_of(t);
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

}  // namespace fusillade::fuzz
