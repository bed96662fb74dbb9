// See verdict.h.
#include "fuzz/verdict/verdict.h"

#include "fuzz/case/against.h"

namespace fusillade::fuzz {
namespace {

constexpr const char* kNames[] = {"ok",     "mismatch", "crash", "hang",      "bug",
                                  "memory", "flaky",    "slow",  "untrusted", "skip"};

}  // namespace

const char* name_of(VerdictKind kind) { return kNames[static_cast<int>(kind)]; }

bool is_finding(VerdictKind kind) {
  return kind != VerdictKind::Ok && kind != VerdictKind::Untrusted && kind != VerdictKind::Skip;
}

bool is_death(VerdictKind kind) {
  return kind == VerdictKind::Crash || kind == VerdictKind::Hang || kind == VerdictKind::Memory;
}

Elements& Elements::operator+=(const Elements& o) {
  compared += o.compared;
  tight += o.tight;
  untrusted += o.untrusted;
  return *this;
}

bool same_failure(const Verdict& a, const Verdict& b) {
  return is_finding(a.kind) && a.kind == b.kind && a.reason == b.reason && a.part == b.part;
}

Case finding_case(const Case& c, const Verdict& verdict) {
  Case out = c.clone();
  out.oracle = verdict.oracle;
  out.verdict = name_of(verdict.kind);
  if (!verdict.plan.empty()) out.plans = {verdict.plan};
  out.notes.clear();
  if (!verdict.reason.empty()) out.notes.push_back("reason: " + verdict.reason);
  if (!verdict.detail.empty()) {
    std::string line = verdict.detail.substr(0, verdict.detail.find('\n'));
    out.notes.push_back("detail: " + line);
  }
  set_against(out, against_of(c));
  return out;
}

}  // namespace fusillade::fuzz
